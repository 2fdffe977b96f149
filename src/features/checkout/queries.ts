// Every statement about what a payer sees; all of them only read.

import type { InvoiceState } from "../../domain/invoice.ts";
import type { PaymentState } from "../../domain/payment.ts";
import type { BankCode, TransferService } from "../../domain/requisite.ts";
import type { Queryable } from "../../platform/db.ts";
import { numberToPay } from "../requisites/wallet-queries.ts";

export interface CheckoutRow {
  readonly id: string;
  readonly shop_id: string;
  readonly order_id: string;
  readonly state: InvoiceState;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly services: readonly string[];
  /** What is bought, in the shop's words. */
  readonly comment: string | null;
  /** How often it was given details. */
  readonly details: number;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
  readonly shop_name: string;
  readonly title: string | null;
  readonly logo_url: string | null;
  readonly color: string | null;
  /** Whom a payer may ask: a URL, an e-mail address or a phone number. */
  readonly support: string | null;
  /** Of the payment that was made, else of the latest one; null before there was any. */
  readonly payment_id: string | null;
  readonly payment_state: PaymentState | null;
  readonly service: TransferService | null;
  readonly to_pay_minor: bigint | null;
  readonly payer_fee_minor: bigint | null;
  readonly nudge_minor: bigint | null;
  readonly received_minor: bigint | null;
  readonly refunded_minor: bigint | null;
  readonly refunded_at: Date | null;
  readonly ends_at: Date | null;
  /** Until when its money is recognised by itself. */
  readonly slot_until: Date | null;
  readonly requisite_id: string | null;
  readonly bank: BankCode | null;
  readonly receiver_name: string | null;
  /** The number to pay to. */
  readonly number_sealed: Buffer | null;
  /** Another one where the number to pay to is another one, or is shown no more. */
  readonly number_mark: string;
  /** Whether its requisite is given out still. */
  readonly is_given_out: boolean | null;
  /** When the payer said to have paid, and how often what was sent has been told since. */
  readonly paid_said_at: Date | null;
  readonly times: number | null;
  /** Whether, while this payer waits, money that nobody expected has come to the same requisite. */
  readonly other_amount_came: boolean;
}

/**
 * Whether money that nobody expected has come to the requisite of a payment whose payer says to have paid:
 * many share a card, so nobody else is told, nor of an amount that no slip explains.
 */
const OTHER_AMOUNT_CAME = `case when word.paid_said_at is null then false else exists (
              select from transfers transfer
              where transfer.state = 'suspense' and transfer.suspense_reason = 'nobody_expected'
                and transfer.requisite_id = payment.requisite_id
                -- Ids begin with their moment: not before the details were issued.
                and transfer.id >= (left(payment.id::text, 13) || '-7000-8000-000000000000')::uuid
                and transfer.amount_minor <> payment.to_pay_minor
                and 2 * abs(transfer.amount_minor - payment.to_pay_minor) <= payment.to_pay_minor
                and coalesce(transfer.made_to, transfer.received_at)
                  between payment.created_at and payment.slot_until) end`;

/**
 * A card that its bank issues anew has another digest; four digits of it say nothing of the number. One that was switched
 * off has none: whoever looks at it is to send nothing there.
 */
const NUMBER_MARK = `coalesce(case when usage.enabled then left(encode(${numberToPay("digest", "payment.requisite_id", "payment.service")}, 'hex'), 4) end, '')`;

/** Of those that have a page at all. */
export function findCheckouts(db: Queryable, ids: readonly string[]): Promise<CheckoutRow[]> {
  return db.query<CheckoutRow>(
    `select invoice.id, invoice.shop_id, invoice.order_id, invoice.state,
            invoice.amount_minor, invoice.currency, invoice.services, invoice.success_url,
            invoice.fail_url, invoice.expires_at, invoice.paid_at, invoice.comment, invoice.details,
            shop.name as shop_name, shop.title, shop.logo_url, shop.color, shop.support,
            payment.id as payment_id, payment.state as payment_state, payment.service,
            payment.to_pay_minor, payment.payer_fee_minor, payment.nudge_minor,
            payment.received_minor, payment.refunded_minor,
            (select max(created_at) from refunds where payment_id = payment.id) as refunded_at,
            payment.ends_at, payment.slot_until, payment.requisite_id, requisite.bank,
            requisite.receiver_name,
            ${numberToPay("sealed", "payment.requisite_id", "payment.service")} as number_sealed,
            ${NUMBER_MARK} as number_mark,
            usage.enabled as is_given_out, word.paid_said_at, word.times,
            ${OTHER_AMOUNT_CAME} as other_amount_came
     from invoices invoice
     join shops shop on shop.id = invoice.shop_id
     left join lateral (
       select * from payments where invoice_id = invoice.id
       order by (state = 'paid') desc, (state = 'live') desc, id desc limit 1) payment on true
     left join requisites requisite on requisite.id = payment.requisite_id
     left join requisite_usage usage on usage.requisite_id = payment.requisite_id
     left join lateral (
       select paid_said_at, times from payer_words where payment_id = payment.id offset 0) word on true
     where invoice.id = any($1::uuid[]) and invoice.type = 'link'`,
    [ids],
  );
}

export interface Offer {
  readonly currency: string;
  readonly bank: BankCode;
  readonly p2p_card: boolean;
  readonly p2p_sbp: boolean;
}

/** The banks that money of these currencies can go to, and whether to a card, to a phone or to both. */
export function offeredBanks(db: Queryable, currencies: readonly string[]): Promise<Offer[]> {
  return db.query<Offer>(
    `select currency, bank, bool_or(kind = 'card') as p2p_card, bool_or(kind = 'phone') as p2p_sbp
     from requisites join requisite_usage usage on usage.requisite_id = requisites.id
     join requisite_numbers number on number.requisite_id = requisites.id and until is null
     where enabled and resting_since is null and currency = any($1::text[])
     group by currency, bank order by bank`,
    [currencies],
  );
}

export interface Standing {
  readonly id: string;
  readonly standing: string;
}

/** One word for how each invoice that has a page stands: when it changes, the page does. */
export function standings(db: Queryable, ids: readonly string[]): Promise<Standing[]> {
  return db.query<Standing>(
    `select invoice.id, invoice.state || coalesce(
              (select concat(' ', payment.id, ' ', ${NUMBER_MARK},
                             case when ${OTHER_AMOUNT_CAME} then '!' end)
               from payments payment
               left join requisite_usage usage on usage.requisite_id = payment.requisite_id
               left join lateral (
                 select paid_said_at from payer_words where payment_id = payment.id offset 0) word on true
               where payment.invoice_id = invoice.id and payment.state = 'live'), '') as standing
     from invoices invoice where invoice.id = any($1::uuid[]) and invoice.type = 'link'`,
    [ids],
  );
}
