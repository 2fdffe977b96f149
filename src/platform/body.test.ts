// JSON from the wire: exactly what was sent, or nothing. What of it is refused is asked at the doors, by
// test/contract-invoice-fields.test.ts and test/contract-http.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { parseJsonText } from "./body.ts";
import { jsonText } from "./json-text.ts";

it("is what JSON.parse gives, for everything that survives it", () => {
  checkProperty(
    fc.property(fc.json(), (text) => {
      const parsed = parseJsonText(text);
      if (parsed !== undefined) assert.deepEqual(parsed.value, JSON.parse(text));
      else assert.match(text, /__proto__/);
    }),
  );
  assert.notEqual(parseJsonText('{"a": "__proto__"}'), undefined);
});

it("keeps every number that a double holds, however it is written, and no other", () => {
  const kept = ["9007199254740991", "1000000000000000000000", "100.0000000000000000000", "-0.0"];
  const lost = ["9007199254740993", "12345678901234567890", "100.00000000000000001", "1e400"];
  const isKept = (source: string): boolean => {
    const value = parseJsonText(`[${source}]`)?.value as number[] | undefined;
    return Number.isFinite(value?.[0]);
  };
  assert.deepEqual(
    [...kept, "0.1234567890123456", "1e2", "-1.50e-3"].filter((n) => !isKept(n)),
    [],
  );
  assert.deepEqual(lost.filter(isKept), []);
});

it("goes back to text only where JSON can say it", () => {
  assert.equal(jsonText({ a: [1, null] }, 100), '{"a":[1,null]}');
  assert.equal(jsonText({ a: [Number.NaN] }, 100), undefined);
  const deep = JSON.parse(`{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
  assert.equal(jsonText(deep, 1_000_000), undefined);
});
