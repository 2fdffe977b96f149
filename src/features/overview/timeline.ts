// The story of an invoice: what the tables know, put in the order that it happened.

import { earlier } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import type { InvoiceWhole, Removed } from "./queries.ts";

export interface Step {
  readonly at: Date;
  readonly what: string;
  readonly id: string;
  readonly detail: string;
}

/** Who of the operator's has settled what, and what the bank calls it, is the operator's own matter. */
export function timelineOf(
  whole: InvoiceWhole,
  reader: "operator" | "merchant" = "operator",
): Step[] {
  const { invoice, payments, transfers, refunds, freezes, events, deliveries } = whole;
  const money = (minor: bigint): string => `${toDecimalText(minor)} ${invoice.currency}`;
  const canceled = events.filter(({ status }) => status === "fail");
  /** Others may have replaced them, or the invoice was canceled, before their time was over. */
  const endOf = (place: number): Date =>
    [payments[place + 1], ...canceled]
      .flatMap((one) => one?.created_at ?? [])
      .reduce(earlier, payments[place]?.ends_at ?? invoice.expires_at);
  const steps: Step[] = [
    {
      at: invoice.created_at,
      what: "invoice created",
      id: invoice.id,
      detail: `order ${invoice.order_id}, ${money(invoice.amount_minor)}`,
    },
    ...payments.flatMap((payment, place): Step[] => [
      {
        at: payment.created_at,
        what: "details issued",
        id: payment.id,
        detail: `${money(payment.to_pay_minor)} by ${payment.service}`,
      },
      ...saidSteps(payment.id, payment.payer_word, money),
      ...(payment.state === "lapsed" || payment.late
        ? [
            {
              at: endOf(place),
              what: "details lapsed",
              id: payment.id,
              detail: endOf(place) < payment.ends_at ? "ended early" : "not paid in time",
            },
          ]
        : []),
    ]),
    ...transfers.map((transfer) => ({
      at: transfer.received_at,
      what: "money arrived",
      id: transfer.id,
      detail: [
        money(transfer.amount_minor),
        ...(reader === "operator" ? [`reference ${transfer.reference}`] : []),
      ].join(", "),
    })),
    ...transfers.flatMap(({ id, settled_at: at, settled_by: who, settled_reason: why }) =>
      at === null
        ? []
        : [
            {
              at,
              what: "transfer assigned",
              id,
              detail: reader === "operator" ? `by ${who}: ${why}` : "by hand",
            },
          ],
    ),
    ...payments.flatMap(({ id, paid_at: at, credited_minor: credited, late }) =>
      at === null || credited === null
        ? []
        : [{ at, what: "paid", id, detail: `credited ${money(credited)}${late ? ", late" : ""}` }],
    ),
    ...freezes.map(({ payment_id: id, amount_minor, frozen_until, released_at, needs_proof }) => {
      const detail = money(amount_minor);
      if (released_at !== null) return { at: released_at, what: "freeze ended", id, detail };
      return needs_proof
        ? {
            at: frozen_until,
            what: "freeze stays",
            id,
            detail: `${detail}, until a line proves it`,
          }
        : { at: frozen_until, what: "freeze ends", id, detail };
    }),
    ...refunds.map(({ id, created_at: at, amount_minor, author, reason }) => ({
      at,
      what: "refunded",
      id,
      detail: `${money(amount_minor)} by ${author}: ${reason}`,
    })),
    // Late money may have paid it since; that it had expired stays part of the story.
    ...(events.some(({ status }) => status === "expired")
      ? [{ at: invoice.expires_at, what: "invoice expired", id: invoice.id, detail: "not paid" }]
      : []),
    ...canceled.map((event) => ({
      at: event.created_at,
      what: "invoice canceled",
      id: invoice.id,
      detail: `by ${cancelerOf(event, reader)}`,
    })),
    ...events.map(({ event_id: id, created_at: at, sequence, status, state, ...removed }) => ({
      at,
      what: "event recorded",
      id,
      detail: [`${sequence}: ${status}`, state, ...removedWords(removed)].join(", "),
    })),
    ...deliveries.map(({ event_id: id, started_at: at, attempt, status, error }) => ({
      at,
      what: "webhook sent",
      id,
      detail: `attempt ${attempt}: ${status ?? error ?? "not known"}`,
    })),
  ];
  // What happened at one moment stays in the order above, which is the order of cause and effect.
  return steps.toSorted((left, right) => left.at.getTime() - right.at.getTime());
}

function cancelerOf(
  { canceled_by: who, canceled_for, canceled_why: why }: InvoiceWhole["events"][number],
  reader: "operator" | "merchant",
): string {
  // What people cancel stands in the log; a shop's program leaves no row there.
  if (who === null) return "the shop's program";
  if (reader === "merchant") return canceled_for === null ? "the operator" : who;
  return canceled_for === null ? `${who}: ${why}` : `${who}, who works for the merchant`;
}

/** What the payer says of the transfer; nobody has proven it. */
function saidSteps(
  id: string,
  word: InvoiceWhole["payments"][number]["payer_word"],
  money: (minor: bigint) => string,
): Step[] {
  if (word === null) return [];
  const { amount_minor: minor, bank, sent_when: when } = word;
  const told = [minor === null ? null : money(BigInt(minor)), bank, when];
  const steps = [{ at: word.paid_said_at, what: "payer says paid", detail: "not proven" }];
  const rest = { at: word.told_at, what: "payer tells", detail: told.filter(Boolean).join(", ") };
  return [...steps, rest].flatMap(({ at, what, detail }) =>
    at === null ? [] : [{ at: new Date(at), what, id, detail }],
  );
}

function removedWords({ body_removed, attempts_removed: attempts }: Removed): string[] {
  return [
    ...(body_removed ? ["body removed"] : []),
    ...(attempts > 0 ? [`${attempts} attempt${attempts === 1 ? "" : "s"} removed`] : []),
  ];
}
