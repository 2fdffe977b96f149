// What a form changes: what differs from what stands there, and what was emptied; nothing where nothing was changed.
import assert from "node:assert/strict";
import { it } from "node:test";
import { Type } from "../../platform/field.ts";
import { view } from "../operators/doors.ts";
import { changesOf } from "./form-page.ts";

const door = view({
  path: "/things/:id",
  summary: "A thing",
  input: Type.Object({
    id: Type.String(),
    name: Type.Optional(Type.String()),
    amount: Type.Optional(Type.Number()),
    banks: Type.Optional(Type.Array(Type.String())),
    address: Type.Optional(Type.String()),
    clear: Type.Optional(Type.Array(Type.Union([Type.Literal("address")]))),
  }),
  data: Type.Object({}),
  read: async () => ({}),
});
const now = { id: "1", name: "A\nB", amount: 1500.5, banks: ["b", "a"], address: "here" };
const same = { name: "A\r\nB", amount: "1 500,50", banks: ["", "a", "b"], address: "here" };
const changes = (sent: Record<string, string | readonly string[]>) =>
  changesOf(door, { sent: { ...same, ...sent }, params: { id: "1" } }, now);

it("only what differs is sent on: other ends of lines, signs of numbers, orders of boxes do not", () => {
  assert.deepEqual(changes({}), { id: "1" });
  assert.deepEqual(changes({ amount: "1500,6" }), { id: "1", amount: 1500.6 });
  assert.deepEqual(changes({ banks: ["", "a"] }), { id: "1", banks: ["a"] });
});

it("a list that was emptied is empty; what cannot be taken away is asked for", () => {
  assert.deepEqual(changes({ banks: [""] }), { id: "1", banks: [] });
  assert.throws(() => changes({ name: " " }), /required|invalid/i);
});
