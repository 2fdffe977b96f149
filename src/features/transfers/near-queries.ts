// Which payments money that waits may have been meant for. Each way to one is a look-up by a key.

import type { InvoiceState } from "../../domain/invoice.ts";
import { issuedWithin } from "../../domain/made-at.ts";
import { addSeconds } from "../../domain/moment.ts";
import type { PaymentState } from "../../domain/payment.ts";
import { type Queryable, rowsOf } from "../../platform/db.ts";
import { firstIdAt } from "../../platform/id.ts";
import { madeWithin, type TransferRow } from "./nouns.ts";

/** A payment as whoever decides sees it, beside what its payer says of the transfer. */
export interface NearRow {
  readonly transfer_id: string;
  readonly id: string;
  readonly invoice_id: string;
  readonly order_id: string;
  readonly shop_id: string;
  readonly requisite_id: string;
  readonly to_pay_minor: bigint;
  readonly state: PaymentState;
  readonly invoice_state: InvoiceState;
  readonly issued_at: Date;
  readonly ends_at: Date;
  readonly payer_said_paid_at: Date | null;
  readonly payer_said_amount_minor: bigint | null;
  readonly payer_said_bank: string | null;
  readonly payer_said_when: string | null;
}

/** So far back somebody may have kept old details; so long before its details money may seem to be. */
const OLD_DETAILS_SECONDS = 7 * 24 * 60 * 60;
const EARLY_SECONDS = 60 * 60;

const MOST_OF_A_WAY = 40;

const ON_ITS_CARD = `
  (select id from payments
   where requisite_id = money."requisiteId" and to_pay_minor = money."amountMinor"
     and created_at > money."oldest" and created_at <= money."youngest"
   order by created_at desc limit ${MOST_OF_A_WAY})
  union
  (select id from payments
   where requisite_id = money."requisiteId" and id >= money."firstLive" and id <= money."lastLive"
     and ends_at > money."from" and currency = money.currency
   order by abs(to_pay_minor - money."amountMinor"), id desc limit ${MOST_OF_A_WAY})`;

const ON_OTHER_CARDS = `
  (select near.id from requisites card
   cross join lateral (
     select id from payments
     where requisite_id = card.id and to_pay_minor = money."amountMinor"
       and created_at > money."liveIssuedAfter" and created_at <= money."liveIssuedBy"
       and ends_at > money."from"
     limit 1) near
   where card.currency = money.currency and card.id <> money."requisiteId"
   limit ${MOST_OF_A_WAY})`;

export function paymentsNear(
  db: Queryable,
  transfers: readonly TransferRow[],
  { onOtherCards }: { readonly onOtherCards: boolean },
): Promise<NearRow[]> {
  if (transfers.length === 0) return Promise.resolve([]);
  const rows = transfers.map((transfer) => {
    const { id, requisite_id: requisiteId, amount_minor: amountMinor, currency } = transfer;
    const made = madeWithin(transfer);
    const { liveIssuedAfter, liveIssuedBy } = issuedWithin(made);
    return {
      id,
      requisiteId,
      amountMinor,
      currency,
      from: made.from,
      liveIssuedAfter,
      liveIssuedBy,
      oldest: addSeconds(made.from, -OLD_DETAILS_SECONDS),
      youngest: addSeconds(made.to, EARLY_SECONDS),
      firstLive: firstIdAt(liveIssuedAfter),
      lastLive: firstIdAt(addSeconds(made.to, EARLY_SECONDS)),
    };
  });
  return db.query<NearRow>(
    `select money.id as transfer_id, payment.id, payment.invoice_id, invoice.order_id,
            payment.shop_id, payment.requisite_id, payment.to_pay_minor, payment.state,
            invoice.state as invoice_state, payment.created_at as issued_at, payment.ends_at,
            said.paid_said_at as payer_said_paid_at, said.amount_minor as payer_said_amount_minor,
            said.bank as payer_said_bank, said.sent_when as payer_said_when
     from json_to_recordset($1) as money(id uuid, "requisiteId" uuid, "amountMinor" bigint,
       currency text, "from" timestamptz, "liveIssuedAfter" timestamptz,
       "liveIssuedBy" timestamptz, oldest timestamptz, youngest timestamptz, "firstLive" uuid,
       "lastLive" uuid)
     cross join lateral (${ON_ITS_CARD} ${onOtherCards ? `union ${ON_OTHER_CARDS}` : ""}) near
     cross join lateral (select * from payments where id = near.id limit 1) payment
     cross join lateral (select * from invoices where id = payment.invoice_id limit 1) invoice
     left join payer_words said on said.payment_id = payment.id
     where payment.currency = money.currency`,
    [rowsOf(rows)],
  );
}
