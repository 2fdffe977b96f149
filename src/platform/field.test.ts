// That schemas of our making are those that typebox would make, and are checked alike.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Typebox from "typebox";
import { Compile } from "typebox/schema";
import { Type } from "./field.ts";

/** The same words, said with our makers and with typebox's own. */
const SAID: readonly (readonly [what: string, say: (type: typeof Type) => object])[] = [
  ["a text", (type) => type.String({ minLength: 1, format: "uuid", description: "An id." })],
  ["a whole number", (type) => type.Integer({ minimum: 0 })],
  [
    "a number, a yes or no and nothing",
    (type) => type.Union([type.Number(), type.Boolean(), type.Null()]),
  ],
  ["literals", (type) => type.Union([type.Literal("fail"), type.Literal(41), type.Literal(true)])],
  ["what cannot be", (type) => type.Never({ description: "Left out." })],
  ["a type of its own", (type) => type.Unsafe<1>({ type: "integer", const: 1 })],
  [
    "an object without a field that must be there",
    (type) => type.Object({ a: type.Optional(type.Null()) }),
  ],
  ["an object", (type) => type.Object(FIELDS(type), { additionalProperties: false })],
  ["a part of its fields", (type) => type.Pick(type.Object(FIELDS(type)), ["list", "name"])],
  ["all but one of its fields", (type) => type.Omit(type.Object(FIELDS(type)), ["name"])],
  ["none of them asked for", (type) => type.Partial(type.Object(FIELDS(type)))],
  [
    "fields of a part",
    (type) => type.Object({ ...type.Partial(type.Object(FIELDS(type))).properties }),
  ],
];

const FIELDS = (type: typeof Type) => ({
  name: type.Refine(
    type.String(),
    (value) => value !== "x",
    () => "not x",
  ),
  both: type.Optional(
    type.Refine(
      type.Number(),
      (value) => value % 2 === 0,
      () => "odd",
    ),
  ),
  twice: type.Refine(
    type.Refine(
      type.Integer(),
      (value) => value > 1,
      () => "small",
    ),
    (value) => value < 9,
    () => "large",
  ),
  list: type.Array(type.Object({ id: type.String() }), { maxItems: 2 }),
});

const VALUES: readonly unknown[] = [
  undefined,
  null,
  "",
  "x",
  0,
  1,
  1.5,
  41,
  true,
  "fail",
  [],
  {},
  { a: null },
  { a: 1 },
  { name: "y", twice: 2, list: [] },
  { name: "x", twice: 2, list: [] },
  { name: "y", both: 1, twice: 1, list: [{ id: "1" }, {}, { id: "3" }] },
  { name: "y", both: 2, twice: 9, list: [], more: 1 },
  "00000000-0000-4000-8000-000000000002",
];

describe("schemas", () => {
  for (const [what, say] of SAID) {
    it(`are what typebox makes of ${what}, and check the same`, () => {
      const [ours, theirs] = [say(Type), say(Typebox as unknown as typeof Type)];
      assert.equal(JSON.stringify(ours), JSON.stringify(theirs));
      const [our, their] = [Compile(ours), Compile(theirs)];
      for (const value of VALUES) {
        assert.equal(our.Check(value), their.Check(value));
        assert.deepEqual(our.Errors(value), their.Errors(value));
      }
    });
  }

  it("leave what they are made of as it was", () => {
    const text = Type.String();
    Type.Optional(
      Type.Refine(
        text,
        () => false,
        () => "never",
      ),
    );
    assert.deepEqual(Object.getOwnPropertyNames(text), ["type"]);
    assert.deepEqual(Type.Object({ text }).required, ["text"]);
  });
});
