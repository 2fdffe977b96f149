// /desk/transfers: the list, one of them and why it is whose it is, and one by hand.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { anna, linkIn, setAnnasRole, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const REQUISITE = "00000000-0000-4000-8000-000000000101";

it("200: the list names the requisite, and its file has the same rows", async () => {
  const order = await trade.order();
  const { transfer_id } = await trade.pay(order, { payer: "<b>Иван</b>" });
  const visit = await anna(gateway);
  const page = await visit.open("/desk/transfers?state=matched");
  assert.ok(page.includes(`/desk/transfers/${transfer_id}`));
  assert.match(wordsIn(page), /Sberbank …\d{4}, .* <b>Иван<\/b>/);
  assert.ok(!page.includes("<b>Иван"));
  assert.match(await visit.open("/desk/transfers.csv"), /Sberbank …\d{4}/);
  const shown = wordsIn(await visit.open(`/desk/transfers/${transfer_id}`));
  assert.match(shown, /one payment alone had this requisite and this amount/);
  assert.match(shown, /Who told of it/);
});

it("200: what was assigned today and had come yesterday is a step away from today's rows", async () => {
  const order = await trade.order({ amount: 640 });
  const { transfer_id } = await own.post("transfers", {
    wallet: order.wallet,
    amount: 641,
    reference: "late-1",
  });
  await trade.pass(DAY);
  const later = await trade.order({ amount: 640 });
  const wish = { payment_id: later.paymentId, reason: "the payer called" };
  await own.post(`transfers/${transfer_id}/assign`, wish);
  await trade.pass(2 * MINUTE);
  const visit = await anna(gateway);
  const today = linkIn(await visit.open("/desk"), "/desk/transfers", "from=");
  const rows = await visit.open(today);
  assert.ok(!rows.includes(transfer_id), "it came yesterday");
  const entries = await visit.open(
    linkIn(rows, "/desk/books/suspense.RUB", today.split("?")[1] ?? ""),
  );
  assert.ok(entries.includes(transfer_id));
  assert.match(wordsIn(entries), /settled by hand −?-?641\.00/);
  assert.equal(linkIn(await visit.open("/desk/transfers"), "/desk/books/suspense.RUB", ""), "");
});

it("200: a day's rows that nobody settled, and what was assigned then, add up to its figure", async () => {
  const [sameDay, exact] = [await trade.order({ amount: 750 }), await trade.order({ amount: 330 })];
  const { transfer_id } = await trade.pay(sameDay, { amount: 751 });
  const wish = { payment_id: sameDay.paymentId, reason: "the payer called" };
  await own.post(`transfers/${transfer_id}/assign`, wish);
  await trade.pay(exact);
  // This one waits, and the one of the test before had come the day before.
  await trade.pay(await trade.order({ amount: 120 }), { amount: 120.5 });
  await trade.pass(2 * MINUTE);
  const visit = await anna(gateway);
  const today = linkIn(await visit.open("/desk"), "/desk/transfers", "from=");
  const page = await visit.open(today);
  assert.match(wordsIn(page), /matched and have no moment under “Settled”, and beside them/);
  const assigned = linkIn(page, "/desk/books/suspense.RUB", "from=");
  const fileOf = async (path: string): Promise<string[][]> =>
    (await visit.open(path.replace("?", ".csv?"))).split("\r\n").map((row) => row.split(","));
  const [, ...came] = await fileOf(today);
  const [, ...moved] = await fileOf(assigned);
  const counted = [
    ...came.filter(([, , state, settled]) => state === "matched" && settled === ""),
    ...moved.filter(([, kind]) => kind === "suspense_assigned"),
  ].map(([, one, other]) => Math.abs(Number(one === "suspense_assigned" ? other : one)));
  const { items } = await own.get("statistics");
  assert.equal(counted.length, 3);
  assert.equal(
    counted.reduce((sum, one) => sum + one, 0),
    items.at(-1).received,
  );
});

it("200: a period is looked for with whatever else of the form is left empty; no currency that is none leads anywhere", async () => {
  const visit = await anna(gateway);
  const page = await visit.open("/desk/transfers?state=&amount=&currency=&from=2026-03-01&to=");
  assert.notEqual(linkIn(page, "/desk/books/suspense.RUB", "from="), "");
  const { status, text } = await visit.get("/desk/transfers?currency=usd&from=2026-03-01");
  assert.equal(status, 422);
  assert.match(text, /name="currency"[^>]* aria-invalid="true" value="usd"/);
});

it("303: one by hand waits, and leads to its page; a viewer is not offered it", async () => {
  const visit = await anna(gateway);
  const path = "/desk/transfers/new";
  const form = { requisite_id: REQUISITE, amount: "77,10", reference: "7712-A", payer: "Иван" };
  const done = await visit.fill(path, path, form);
  assert.equal(done.status, 303, wordsIn(done.text));
  assert.match(wordsIn(await visit.open(done.location)), /waits for a person.*77\.10/);
  const wrong = await visit.fill(path, path, { ...form, amount: "many" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /aria-invalid/);
  await setAnnasRole(own, "viewer");
  assert.doesNotMatch(await visit.open("/desk/transfers"), /transfers\/new/);
  assert.equal((await visit.post(path, { ...form, reference: "7713-A" })).status, 403);
});
