// Every house rule trusts scan(): were it to lose its place in one file, the rules would be blind
// in the rest of that file and stay green.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findAll, scan } from "./source.ts";

/** The code without the blanks that stand for what is no code. */
function codeOf(text: string): string {
  const { code } = scan(text);
  assert.equal(code.length, text.length, "offsets stay true");
  assert.equal(code.split("\n").length, text.split("\n").length, "lines stay true");
  return code.replace(/\s+/g, " ").trim();
}

describe("scan", () => {
  it("blanks comments and keeps them aside", () => {
    assert.equal(codeOf("a; // b 'c\n/* d ` \n */ e;"), "a; e;");
    assert.deepEqual(scan("a; // b\n/* c */").comments, [
      { text: "// b", at: 3 },
      { text: "/* c */", at: 8 },
    ]);
  });

  it("blanks strings and keeps them aside", () => {
    assert.equal(codeOf(`f("a // \\" b", 'c " \\\\', d);`), `f(" ", ' ', d);`);
    assert.deepEqual(scan(`f("a", 'b "c');`).literals, [
      { text: "a", at: 2 },
      { text: 'b "c', at: 7 },
    ]);
  });

  it("recovers on the next line from a quote that nothing closes", () => {
    assert.equal(codeOf("a '\nb;"), "a ' b;");
  });

  it("reads the code inside a template, however deep", () => {
    const text = "f(`a ${g({ h: `b ${{ i }.i} c` }, '}')} \\` d`, j);";
    assert.equal(codeOf(text), "f(` ${g({ h: ` ${{ i }.i} ` }, ' ')} `, j);");
    assert.deepEqual(scan(text).literals, [
      { text: "a ${} \\` d", at: 2 },
      { text: "b ${} c", at: 14 },
      { text: "}", at: 34 },
    ]);
  });

  it("reads neighbouring holes of a template", () => {
    assert.equal(codeOf("`${a}${b}`; c"), "`${a}${b}`; c");
  });

  it("goes on after a template that nothing closes", () => {
    assert.deepEqual(scan("`a").literals, [{ text: "a", at: 0 }]);
  });

  it("tells a regular expression from a division", () => {
    assert.equal(codeOf("a = /['`/*]\\/b/g; c / d / e"), "a = ; c / d / e");
    assert.equal(codeOf("return /'/.test(a) / b['c'] / d"), "return .test(a) / b[' '] / d");
    assert.equal(codeOf("x = (a + b) / c; // 'd\ny / 2"), "x = (a + b) / c; y / 2");
  });

  it("skips a first line that names an interpreter", () => {
    assert.equal(codeOf("#!/usr/bin/env node's\na;"), "a;");
  });

  it("leads a match back to its line", () => {
    assert.deepEqual(
      findAll("a.ts", "x\ny y\n", /y/g, (found) => found),
      ["a.ts:2: y", "a.ts:2: y"],
    );
  });
});
