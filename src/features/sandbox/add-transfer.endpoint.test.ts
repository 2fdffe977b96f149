// POST /sandbox/transfers over HTTP, by status. What it does to money is told in test/sdk-life.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice, SHOP, URLS_SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const TOKEN = "Bearer sandbox_operator_token";
const CARD = "2202200000000007";
const CARD_OWNER = "019a3f00-0000-7000-8000-000000000009";
const EITHER = "Name either a wallet and an amount, or an invoice id and an ending.";

const { gateway, own, trade } = await openOneGateway();

const add = (body: unknown) =>
  gateway.call("/sandbox/transfers", { body, headers: { authorization: TOKEN } });

it("200: finds the payment by card and by phone, and says so", async () => {
  for (const service of ["p2p_card", "p2p_sbp"]) {
    const { body } = await createInvoice(gateway, { include_service: [service] });
    const { wallet, amount } = (await createH2h(gateway, body.data.id)).body.data;
    const answer = await add({ wallet, amount: Number(amount) });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body.data), [
      "transfer_id",
      "state",
      "suspense_reason",
      "invoice_id",
      "fresh",
    ]);
    assert.equal(answer.body.data.suspense_reason, null);
    assert.equal(answer.body.data.fresh, true);
    assert.equal(answer.body.data.state, "matched");
    assert.equal(answer.body.data.invoice_id, body.data.id);
  }
});

const issued = async (shop = SHOP): Promise<string> => {
  const { body } = await createInvoice(gateway, {}, shop);
  assert.equal((await createH2h(gateway, body.data.id, {}, shop)).status, 200);
  return body.data.id;
};

/** What is played, what it makes of the money, and how the invoice stands then. */
const PLAYED: readonly [ending: string, money: readonly string[], state: string][] = [
  ["exact", ["1020 matched null"], "paid"],
  ["too_little", ["1012.23 suspense nobody_expected"], "pending"],
  ["too_much", ["1027.77 suspense nobody_expected"], "pending"],
  ["twice", ["1020 matched null", "1020 suspense paid_already"], "paid"],
  ["late", ["1020 matched null"], "paid"],
  ["nothing", [], "pending"],
];

it("200: plays every ending of an invoice's latest details, each once", async () => {
  for (const [ending, money, state] of PLAYED) {
    const id = await issued();
    // Alone, so that the amount is what it says.
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => add({ invoice_id: id.toUpperCase(), ending })),
    );
    const told = answers.map(({ body }) => body.data);
    assert.ok(told.every((one) => one.ending === ending && one.transfers.length === money.length));
    const fresh = told.flatMap((one) => one.transfers).filter((one) => one.fresh);
    const shown = await Promise.all(fresh.map(({ transfer_id }) => transferOf(transfer_id)));
    assert.deepEqual(shown.sort(), money, ending);
    const { invoice, payments } = await own.get(`invoices/${id}`);
    assert.equal(invoice.state, state, ending);
    assert.equal(payments[0].late, state === "paid" ? ending === "late" : null);
    await trade.pass(2 * 24 * 60 * 60);
  }
  await assertBooksAreRight(gateway);
});

const transferOf = async (id: string): Promise<string> => {
  // Of one moment, ids have no order: all of them are looked through.
  const { items } = await own.get("transfers?limit=200");
  const found = items.find((one: { transfer_id: string }) => one.transfer_id === id);
  return `${found.amount} ${found.state} ${found.suspense_reason}`;
};

it("200: late money shows the shop's policy, also long after the details' end", async () => {
  await own.post(`shops/${URLS_SHOP.id}`, { late_policy: "hold" });
  const id = await issued(URLS_SHOP);
  await trade.pass(3 * 24 * 60 * 60);
  const { body } = await add({ invoice_id: id, ending: "late" });
  const [{ transfer_id }] = body.data.transfers;
  assert.match(await transferOf(transfer_id), /suspense late_held$/);
});

it("200: late money waits, and says why, where somebody else is paying as much on the same card", async () => {
  const late = await issued();
  await trade.pass(10 * 60);
  // The plain amount on the other cards, and then more on each.
  for (let count = 0; count < 7; count += 1) await issued();
  const { body } = await add({ invoice_id: late, ending: "late" });
  const [{ state, suspense_reason }] = body.data.transfers;
  assert.deepEqual([state, suspense_reason], ["suspense", "contested"]);
  const { invoice } = await own.get(`invoices/${late}`);
  assert.notEqual(invoice.state, "paid");
});

it("200: without an ending the invoice is paid exactly; 404 where there is nothing to pay", async () => {
  const { body } = await add({ invoice_id: await issued(), payer: "Пётр" });
  assert.deepEqual([body.data.ending, body.data.transfers[0].state], ["exact", "matched"]);
  const unissued = (await createInvoice(gateway)).body.data.id;
  for (const invoice_id of [unissued, "019a3f00-0000-7000-8000-000000000009"]) {
    const answer = await add({ invoice_id });
    assert.deepEqual([answer.status, answer.body.error], [404, "The payment was not found."]);
  }
});

it("422 in the words of POST /manage/transfers, which is the same door", async () => {
  for (const [body, message] of [
    [{ amount: 1 }, "The wallet field is required."],
    [{ wallet: CARD, amount: 1.005 }, "The amount field must have at most two decimals."],
    [{ wallet: CARD }, "The amount field is required."],
    [{ ending: "exact" }, "The invoice id field is required."],
    [{ invoice_id: "1" }, "The invoice id field must be a UUID."],
    [
      { invoice_id: CARD_OWNER, ending: "paid" },
      "The ending field must be one of: exact, too_little, too_much, twice, late, nothing.",
    ],
    [{ invoice_id: CARD_OWNER, amount: 1 }, EITHER],
    [{ ending: "exact", wallet: CARD, amount: 1 }, EITHER],
    [{ invoice_id: CARD_OWNER, reference: "a" }, EITHER],
    [
      { wallet: "2202200000000006", amount: 1 },
      "The wallet field is no card or phone of a requisite.",
    ],
  ] as const) {
    const answer = await add(body);
    assert.deepEqual([answer.status, answer.body.error], [422, message]);
  }
});
