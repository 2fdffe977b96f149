// POST /manage/lines/decide: many lines with one word, each as it would be decided by itself.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { changedLine } from "../../../test/lines.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));

const reason = "the bank renamed them";

async function threeLines(): Promise<string[]> {
  const ids: string[] = [];
  for (const [n, sum] of [30, 40, 50].entries()) {
    ids.push((await changedLine(gateway, sum, `2026-02-0${n + 6}`)).line_id);
  }
  return ids;
}

it("200: each has its answer, in their order, and a row in the audit log; the same again decides none", async () => {
  const [first = "", second = "", third = ""] = await threeLines();
  await own.post(`lines/${second}/decide`, { decision: "exclude", reason: "before" });
  const line_ids = [third, NOBODY, second, first];
  const { items } = await own.post("lines/decide", { line_ids, decision: "book", reason });
  const told = items.map((item: Record<string, unknown>) => [
    item["line_id"],
    item["outcome"] ?? item["code"],
    item["status"] ?? 200,
  ]);
  assert.deepEqual(told, [
    [third, "new", 200],
    [NOBODY, "line_not_found", 404],
    [second, "line_settled", 422],
    [first, "new", 200],
  ]);
  const { items: rows } = await own.get("audit?limit=200");
  const acts = rows.filter(
    ({ act, subject }: Record<string, unknown>) =>
      act === "line.decide" && line_ids.includes(String(subject)),
  );
  assert.equal(acts.length, 3, "one for each that was decided, and none for what was refused");
  const again = await own.post("lines/decide", { line_ids, decision: "book", reason });
  assert.ok(again.items.every((item: object) => "error" in item));
  const { items: lines } = await own.get(`lines?ids=${line_ids.join()}`);
  const reasons = new Map(
    lines.map((line: Record<string, unknown>) => [line["line_id"], line["settled_reason"]]),
  );
  assert.deepEqual([reasons.get(first), reasons.get(second)], [reason, "before"]);
});

it("422: a line twice, none, more than a hundred, or no reason decide nothing", async () => {
  const ids = await threeLines();
  const [one = ""] = ids;
  const many = Array.from({ length: 101 }, (_, n) => `${NOBODY.slice(0, -3)}${n + 100}`);
  const word = { decision: "exclude", reason };
  await trade.refusedWithoutTrace(422, [
    ["lines/decide", { ...word, line_ids: [one, one] }],
    ["lines/decide", { ...word, line_ids: [] }],
    ["lines/decide", { ...word, line_ids: [one, ...many] }],
    ["lines/decide", { decision: "exclude", line_ids: ids }],
    ["lines/decide", { ...word, line_ids: ids, line_id: one }],
  ]);
});
