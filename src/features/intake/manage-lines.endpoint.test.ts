// Lines that wait, through /manage/lines: a person decides once, and what is decided moves money at most once.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";
import { statement1c } from "../../../test/statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));

const ACCOUNT = "40817810000000000101";
const reason = "the bank was asked";

async function bring(days: Parameters<typeof statement1c>[0][number]["days"]) {
  const content = Buffer.from(statement1c([{ account: ACCOUNT, days }])).toString("base64");
  const { import_id } = await own.post("imports", { filename: "one.txt", content });
  await trade.pass(0);
  return (await own.get(`lines?import_id=${import_id}`)).items;
}

it("a line of a day to come waits, cannot be booked before it, and can be put aside", async () => {
  const [line] = await bring({ "2099-01-02": [{ sum: 1.23 }] });
  assert.deepEqual([line.fate, line.waits_for], ["waiting", "ahead"]);
  const path = `lines/${line.line_id}/decide`;
  assert.deepEqual(await own.refused(path, { decision: "book", reason }), [
    422,
    ["The line is of a moment that has not come yet."],
  ]);
  await trade.refusedWithoutTrace(422, [
    [path, { decision: "book", reason }],
    [path, { decision: "credit", reason }],
    [path, { decision: "ignore" }],
  ]);
  const { row } = await trade.audited(() => own.post(path, { decision: "ignore", reason }));
  assert.equal(row.act, "line.decide");
  assert.equal((await own.refused(path, { decision: "ignore", reason }))[0], 422);
  assert.equal(
    (await own.refused(`lines/${NOBODY}/decide`, { decision: "ignore", reason }))[0],
    404,
  );
});

it("money that left is booked by nobody", async () => {
  const day = "2026-02-20";
  const both = [
    { sum: 5, number: "1" },
    { sum: -2.5, number: "2" },
  ];
  await bring({ [day]: both });
  // The same day again, without the money that left and with other money in its place.
  const lines = await bring({
    [day]: [
      { sum: 5, number: "1" },
      { sum: -2.51, number: "2" },
    ],
  });
  const [changed] = lines.filter(({ waits_for }: { waits_for: string }) => waits_for === "changed");
  assert.equal(changed.direction, "out");
  const path = `lines/${changed.line_id}/decide`;
  const words = ["Only money that came in can be booked."];
  assert.deepEqual(await own.refused(path, { decision: "book", reason }), [422, words]);
  await own.post(path, { decision: "ignore", reason });
});
