// Every house rule trusts scan(): were it to lose its place in one file, the rules would be blind
// in the rest of that file and stay green.
import assert from "node:assert/strict";
import { it } from "node:test";
import { findAll, scan } from "./source.ts";

/** What is read, what of it is code without the blanks that stand for the rest, and the literals in it. */
const READ: readonly [name: string, text: string, code: string, literals?: [string, number][]][] = [
  ["blanks comments", "a; // b 'c\n/* d ` \n */ e;", "a; e;"],
  [
    ...(["keeps strings aside", `f("a", 'b "c');`, `f(" ", ' ');`] as const),
    [
      ["a", 2],
      ['b "c', 7],
    ],
  ],
  ["recovers from a quote that nothing closes", "a '\nb;", "a ' b;"],
  [
    "reads the code inside a template, however deep",
    "f(`a ${g({ h: `b ${{ i }.i} c` }, '}')} \\` d`, j);",
    "f(` ${g({ h: ` ${{ i }.i} ` }, ' ')} `, j);",
    [
      ["a ${} \\` d", 2],
      ["b ${} c", 14],
      ["}", 34],
    ],
  ],
  ["tells a regular expression from a division", "a = /['`/*]\\/b/g; c / d / e", "a = ; c / d / e"],
  ["skips a first line that names an interpreter", "#!/usr/bin/env node's\na;", "a;"],
];

for (const [name, text, wanted, literals] of READ) {
  it(`scan ${name}`, () => {
    const { code, literals: found } = scan(text);
    assert.equal(code.length, text.length, "offsets stay true");
    assert.equal(code.split("\n").length, text.split("\n").length, "lines stay true");
    assert.equal(code.replace(/\s+/g, " ").trim(), wanted);
    if (literals === undefined) return;
    assert.deepEqual(
      found.map((one) => [one.text, one.at]),
      literals,
    );
  });
}

it("goes on after a template that nothing closes, and leads a match back to its line", () => {
  assert.deepEqual(scan("`a").literals, [{ text: "a", at: 0 }]);
  assert.deepEqual(findAll("a.ts", "x\ny y\n", /y/g, String), ["a.ts:2: y", "a.ts:2: y"]);
});
