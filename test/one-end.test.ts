// What ends once, ends once by the database too: states change along the edges of src/domain only, money that arrived
// and what a payout reserved end in one posting, and one transfer pays an invoice.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Edges } from "../src/domain/edge.ts";
import { INVOICE_EDGES } from "../src/domain/invoice.ts";
import { PAYMENT_EDGES } from "../src/domain/payment.ts";
import { ATTEMPT_EDGES, PAYOUT_EDGES } from "../src/domain/payout.ts";
import { TRANSFER_EDGES } from "../src/domain/transfer.ts";
import { openOneGateway } from "./one-gateway.ts";

const { gateway, own, trade } = await openOneGateway();
const { db } = gateway.app;

const TABLES: Readonly<Record<string, Edges<string>>> = {
  invoices: INVOICE_EDGES,
  payments: PAYMENT_EDGES,
  transfers: TRANSFER_EDGES,
  payouts: PAYOUT_EDGES,
  payout_attempts: ATTEMPT_EDGES,
};

for (const [table, edges] of Object.entries(TABLES)) {
  it(`${table} change their state along the edges of the domain`, async () => {
    const [row] = await db.query<{ text: string }>(
      "select pg_get_triggerdef(oid) as text from pg_trigger where tgname = $1 and tgenabled = 'O'",
      [`${table}_edges`],
    );
    const [, list] = /'\{([^}]*)\}'/.exec(row?.text ?? "") ?? [];
    const all = Object.entries(edges).flatMap(([from, to]) => to.map((one) => `${from}>${one}`));
    assert.deepEqual(list?.split(",").toSorted(), all.toSorted());
  });
}

it("a state that no edge leads to is refused", async () => {
  const order = await trade.order();
  await trade.pay(order);
  await assert.rejects(
    db.query("update payments set state = 'lapsed' where invoice_id = $1", [order.id]),
    /payments cannot go from paid to lapsed/,
  );
});

it("a transfer that was matched has no second end in the ledger", async () => {
  const order = await trade.order();
  await trade.pay(order);
  await assert.rejects(
    db.query(
      `insert into ledger_postings (id, source_id, kind, currency, created_at, bank_out_minor, suspense_minor)
       select id, source_id, 'suspense_returned', currency, created_at, 1, -1 from ledger_postings
       where source_id = (select id from transfers where payment_id = $1)`,
      [order.paymentId],
    ),
    /ledger_postings_end_once/,
  );
});

it("a second transfer cannot pay an invoice", async () => {
  const order = await trade.order();
  await trade.pay(order);
  const requisite_id = "00000000-0000-4000-8000-000000000101";
  const stray = await own.post("transfers", { requisite_id, amount: 7.77, reference: "a stray" });
  await assert.rejects(
    db.query(
      `update transfers set state = 'matched', payment_id = paid.payment_id, invoice_id = paid.invoice_id,
         settled_at = received_at, settled_by = 'x', settled_reason = 'x'
       from (select payment_id, invoice_id from transfers where invoice_id = $2) paid where id = $1`,
      [stray.transfer_id, order.id],
    ),
    /transfers_(payment|invoice)_id_key/,
  );
});
