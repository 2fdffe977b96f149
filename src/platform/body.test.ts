// JSON from the wire: exactly what was sent, or nothing.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { isJsonObject, jsonText, parseJsonBytes, parseJsonText } from "./body.ts";

describe("JSON from the wire", () => {
  it("is what JSON.parse gives, for everything that survives it", () => {
    checkProperty(
      fc.property(fc.json(), (text) => {
        const parsed = parseJsonText(text);
        if (parsed !== undefined) assert.deepEqual(parsed.value, JSON.parse(text));
        else assert.match(text, /__proto__/);
      }),
    );
  });

  it("never holds a number that lost a digit", () => {
    for (const [source, kept] of [
      ["100.00000000000000001", false],
      ["9007199254740993", false],
      ["9007199254740991", true],
      ["12345678901234567890", false],
      ["1000000000000000000000", true],
      ["100.0000000000000000000", true],
      ["0.1234567890123456", true],
      ["1e400", false],
      ["1e2", true],
      ["-1.50e-3", true],
      ["-0.0", true],
    ] as const) {
      const parsed = parseJsonText(`{"n": ${source}}`);
      assert.ok(parsed);
      const { n } = parsed.value as { n: number };
      assert.equal(Number.isFinite(n), kept, source);
    }
  });

  it("refuses __proto__ in every spelling, and bytes that are no UTF-8", () => {
    assert.equal(parseJsonText('{"__proto__": 1}'), undefined);
    assert.equal(parseJsonText('{"a": {"__pr\\u006fto__": 1}}'), undefined);
    assert.equal(parseJsonText('{"\\u005f_proto__": 1}'), undefined);
    assert.notEqual(parseJsonText('{"a": "__proto__"}'), undefined);
    assert.equal(parseJsonBytes(Buffer.from([0x22, 0xff, 0x22])), undefined);
    assert.equal(parseJsonBytes(Buffer.from("")), undefined);
  });

  it("goes back to text only where JSON can say it", () => {
    assert.equal(jsonText({ a: [1, null] }, 100), '{"a":[1,null]}');
    assert.equal(jsonText({ a: [Number.NaN] }, 100), undefined);
    assert.equal(jsonText({ a: Number.POSITIVE_INFINITY }, 100), undefined);
    const deep = JSON.parse(`{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
    assert.ok(isJsonObject(deep));
    assert.equal(jsonText(deep, 1_000_000), undefined);
  });
});
