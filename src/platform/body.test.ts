// JSON from the wire: exactly what was sent, or nothing. What of it is refused is asked at the doors, by
// test/contract-invoice-fields.test.ts and test/contract-http.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { jsonText, parseJsonText, readForm, readMultipart } from "./body.ts";

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

const TYPE = "multipart/form-data; boundary=xx";
const part = (head: string, body: string): string => `--xx\r\n${head}\r\n\r\n${body}\r\n`;
const field = (name: string, body: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, body);
const read = (text: string) => readMultipart(TYPE, Buffer.from(text, "latin1"));

it("reads what a browser sends, and several of a name", async () => {
  const form = new FormData();
  form.append("a", "1");
  form.append("a", "два\r\n--x");
  form.append("empty", "");
  form.append("file", new Blob([Buffer.from([0, 255, 13, 10])]), "имя.csv");
  const sent = new Response(form);
  const type = sent.headers.get("content-type") ?? "";
  const got = readMultipart(type, Buffer.from(await sent.arrayBuffer()));
  const file = { name: "имя.csv", bytes: Buffer.from([0, 255, 13, 10]) };
  assert.deepEqual(got, { a: ["1", "два\r\n--x"], empty: "", file });
  assert.deepEqual(
    readForm("a=1&b=2&a=3&__proto__=4"),
    Object.fromEntries([
      ["a", ["1", "3"]],
      ["b", "2"],
      ["__proto__", "4"],
    ]),
  );
});

it("refuses what is no form, in one walk", () => {
  const good = field("a", "1");
  const bad = [
    "",
    "--xx",
    "--xx\r\n",
    "xx",
    good,
    `${good}--x`,
    `${good}--xx`,
    `junk${good}--xx--`,
    part("Content-Disposition: form-data", "1"),
    `${part("Content-Type: text/plain", "1")}--xx--`,
    `${part(`Content-Disposition: form-data; name="${"a".repeat(5_000)}"`, "1")}--xx--`,
    `${good.repeat(65)}--xx--`,
    "--xx\r\n".repeat(10_000),
    `--xx\r\n${"; name=".repeat(500)}\r\n\r\n1\r\n--xx--`,
  ];
  for (const text of bad) assert.throws(() => read(text), /form/i, text.slice(0, 60));
  assert.deepEqual(read("--xx--"), {});
  assert.deepEqual(read(`${good}--xx--`), { a: "1" });
  for (const type of ["multipart/form-data", `multipart/form-data; boundary="${"x".repeat(71)}"`]) {
    assert.throws(() => readMultipart(type, Buffer.from("--xx--")), /form/i);
  }
});
