// The check of the books can fail: each planted corruption is found, under its own number.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { findViolations, type Violation } from "../src/features/ledger/queries.ts";
import { refundInvoice } from "../src/features/payments/refund.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice } from "./cast.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";

const headers = { authorization: "Bearer sandbox_operator_token" };

/** Without its guards the database lets everything through: exactly what the check is for. */
const UNGUARDED = `
  alter table ledger_entries disable trigger user;
  alter table ledger_postings disable trigger user;`;

const PAID = "(select id from payments where state = 'paid' limit 1)";
const LIVE = "(select id from payments where state = 'live' limit 1)";
const CREDIT = "(select id from ledger_postings where kind = 'transfer_matched' limit 1)";

const CORRUPTIONS: [name: string, invariant: number, sql: string][] = [
  [
    "an entry was changed",
    1,
    `update ledger_entries set amount_minor = amount_minor + 1 where posting_id = ${CREDIT}
       and amount_minor > 0`,
  ],
  ["a posting lost its entries", 1, `delete from ledger_entries where posting_id = ${CREDIT}`],
  ["the ledger can be changed", 2, "select 1"],
  [
    "a balance was changed",
    3,
    "update ledger_accounts set balance_minor = balance_minor + 1 where kind = 'available'",
  ],
  [
    "a balance is below zero",
    4,
    `alter table ledger_accounts drop constraint ledger_accounts_balance_minor_check;
     update ledger_accounts set balance_minor = -1 where kind = 'reserved'`,
  ],
  [
    "a credit was doubled",
    5,
    `insert into ledger_postings select gen_random_uuid(), 'suspense_assigned', source_id,
       currency, created_at from ledger_postings where id = ${CREDIT}`,
  ],
  [
    "a paid payment has no transfer",
    5,
    `update transfers set payment_id = null, state = 'suspense' where payment_id = ${PAID}`,
  ],
  [
    "a transfer was made larger",
    5,
    `update transfers set amount_minor = amount_minor + 1 where payment_id = ${PAID}`,
  ],
  [
    "money left suspense without a trace",
    6,
    "update transfers set state = 'returned' where state = 'suspense'",
  ],
  [
    "a slot was given out twice",
    7,
    `update payments set to_pay_minor = twin.to_pay_minor, requisite_id = twin.requisite_id,
       amount_minor = twin.amount_minor, payer_fee_minor = twin.payer_fee_minor,
       nudge_minor = twin.nudge_minor
     from payments twin where payments.id = ${LIVE} and twin.id = ${PAID}`,
  ],
  ["a slot was lost", 7, `delete from slots where payment_id = ${LIVE}`],
  ["a requisite miscounts its live payments", 8, "update requisites set live_payments = 7"],
  [
    "a requisite miscounts its day",
    8,
    "update requisites set day_sum_minor = day_sum_minor + 1 where day is not null",
  ],
  [
    "a fee does not add up",
    9,
    `alter table payments drop constraint payments_add_up;
     update payments set payer_fee_minor = payer_fee_minor + 1 where id = ${LIVE}`,
  ],
  [
    "a freeze was released early",
    10,
    `alter table ledger_freezes drop constraint ledger_freezes_check;
     update ledger_freezes set released_at = frozen_until - interval '1 second'
     where released_at is null`,
  ],
  [
    "a freeze was released without a posting",
    10,
    "update ledger_freezes set released_at = frozen_until where released_at is null",
  ],
  [
    "a user was given money",
    11,
    "update ledger_accounts set balance_minor = balance_minor + 100 where kind = 'frozen'",
  ],
  ["a refund was lost", 11, "delete from refunds"],
  [
    "an invoice was paid without a payment",
    13,
    `update invoices set state = 'paid', paid_at = created_at where state = 'created'`,
  ],
  [
    "an invoice has two live payments",
    14,
    `drop index payments_one_live;
     update payments set invoice_id = (select invoice_id from payments where id = ${LIVE}),
       state = 'live' where state = 'lapsed'`,
  ],
  [
    "a payment lives past its end",
    17,
    "update payments set ends_at = created_at + interval '1 ms' where state = 'live'",
  ],
  [
    "an invoice lives past its end",
    17,
    "update invoices set expires_at = created_at + interval '1 ms' where state = 'created'",
  ],
  ["an event was lost", 18, "delete from deliveries; delete from events where sequence = 1"],
  ["an event was numbered wrongly", 20, "update events set sequence = sequence + 5"],
  [
    "a body is another event's",
    20,
    "update events set body = replace(body, id::text, gen_random_uuid()::text)",
  ],
];

onEachEngine("the check of the books", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
    const pass = (advance_seconds: number) =>
      gateway.call("/sandbox/clock", { body: { advance_seconds }, headers });
    const pay = async (amount: number): Promise<string> => {
      const { body } = await createInvoice(gateway, { amount });
      const details = (await createH2h(gateway, body.data.id)).body.data;
      await gateway.call("/sandbox/transfers", {
        body: { wallet: details.wallet, amount: Number(details.amount) },
        headers,
      });
      return body.data.id;
    };
    // A little of everything: released, frozen, refunded, lapsed, live, waiting in suspense.
    const refunded = await pay(500);
    const lapsed = await createInvoice(gateway, { amount: 600, expire: 7200 });
    await createH2h(gateway, lapsed.body.data.id);
    await pass(24 * 60 * 60);
    await gateway.app.db.transaction((tx) =>
      refundInvoice(tx, gateway.app, {
        invoiceId: refunded,
        amountMinor: 100n,
        reason: "test",
        author: "test",
      }),
    );
    await pay(700);
    const live = await createInvoice(gateway, { amount: 800 });
    await createH2h(gateway, live.body.data.id);
    await createInvoice(gateway, { amount: 900 });
    await gateway.call("/sandbox/transfers", {
      body: { wallet: "2202200000000007", amount: 1 },
      headers,
    });
    await pass(0);
  });
  after(() => gateway.stop());

  it("finds nothing while they are right", () => assertBooksAreRight(gateway));

  for (const [name, invariant, sql] of CORRUPTIONS) {
    it(`finds that ${name} (${invariant})`, async () => {
      const { db, clock } = gateway.app;
      let found: Violation[] = [];
      const plant = db.transaction(async (tx) => {
        await tx.query(UNGUARDED + sql);
        if (invariant !== 2) {
          await tx.query(UNGUARDED.replaceAll("disable", "enable"));
        }
        found = await findViolations(tx, new Date(clock.now().getTime() + 10_000));
        throw new Error("planted");
      });
      await assert.rejects(plant, /planted/);
      assert.ok(
        found.some((one) => one.invariant === invariant),
        JSON.stringify(found),
      );
    });
  }

  it("finds nothing afterwards either", () => assertBooksAreRight(gateway));
});
