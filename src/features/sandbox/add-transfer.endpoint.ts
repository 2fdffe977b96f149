// POST /sandbox/transfers: money arrives on a wallet, or as one of the endings of a payment.

import type { Static } from "typebox";
import { minorFromNumber, toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { TRANSFER_STATES } from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { butErrors } from "../../platform/failure.ts";
import { checked, oneOf, Type, text, textOrNull, uuid } from "../../platform/field.ts";
import { judgeOf } from "../../platform/input.ts";
import type { Job } from "../../platform/job.ts";
import { SAMPLE_ID } from "../../platform/openapi.ts";
import type { RowOf } from "../operators/noun.ts";
import { operatorGate } from "../operators/operator.ts";
import { Payments } from "../payments/nouns.ts";
import { bookTold, type Told } from "../transfers/book-transfers.endpoint.ts";
import { Transfers } from "../transfers/nouns.ts";
import type { Accepted } from "../transfers/transfers.ts";
import { passTime } from "./clock.endpoint.ts";

export const ENDINGS = ["exact", "too_little", "too_much", "twice", "late", "nothing"] as const;

export type Ending = (typeof ENDINGS)[number];

const Money = Type.Object({
  wallet: text(
    { max: 64 },
    {
      description: "The card or phone that the money arrives on.",
      examples: ["2202200000000007"],
    },
  ),
  amount: checked(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1e12,
      description: "How much arrived.",
      examples: [1020],
    }),
    "decimals",
    (value: number) => minorFromNumber(value) !== undefined,
  ),
});

const Played = Type.Object({ invoice_id: uuid({ description: "Or the invoice to be paid." }) });

const Input = Type.Object({
  ...Type.Partial(Money).properties,
  reference: Type.Optional(
    text({ max: 255 }, { description: "The bank's own reference; the same one counts once." }),
  ),
  payer: Type.Optional(
    text({ max: 255 }, { description: "Who sent it, as the bank says.", examples: ["Иван П."] }),
  ),
  ...Type.Partial(Played).properties,
  ending: Type.Optional(
    oneOf(ENDINGS, {
      description:
        "How the payment of that invoice's latest details goes; exact. Played again, it is the same money again.",
    }),
  ),
});

const Transfer = Type.Object({
  transfer_id: uuid({ description: "The transfer." }),
  state: oneOf(TRANSFER_STATES, { description: "Whether a payment was found for it." }),
  suspense_reason: Transfers.wire.properties.suspense_reason,
  invoice_id: textOrNull(
    { description: "The invoice that it paid, or null.", examples: [SAMPLE_ID] },
    "uuid",
  ),
  fresh: Type.Boolean({ description: "Whether it was new; false for a repeated call." }),
});

const Data = Type.Union([
  Transfer,
  Type.Object({
    ending: oneOf(ENDINGS, { description: "What was played." }),
    transfers: Type.Array(Transfer, { description: "The money; empty where there was none." }),
  }),
]);

interface Ask {
  readonly ending?: Ending;
  readonly money: readonly Told[];
}

const judgeMoney = judgeOf(Money);
const judgePlayed = judgeOf(Played);

export const addTransfer = (jobs: readonly Job[]) =>
  hotEndpoint({
    method: "POST",
    path: "/sandbox/transfers",
    summary: "Money arrives (sandbox only)",
    description:
      "On a card or phone: wallet and amount. Or for an invoice, in one of the ways that a payment can " +
      "end: exact; too_little and too_much, by 7.77; twice; late, after the details' end (until which " +
      "time passes, if they still hold); nothing. An ending is answered with all of its transfers.",
    gate: operatorGate,
    input: Input,
    data: Data,
    notFound: "The invoice is not there, or has no details yet.",
    problems: "first",
    lanes: 2,
    async handleSet(app, calls) {
      const asks = await Promise.all(calls.map(({ input }) => askOf(app, jobs, input)));
      return butErrors(asks, async (known) => {
        const all = known.flatMap(({ money }) => money);
        const booked = await app.db.transaction((tx) => bookTold(tx, app, all));
        return known.map((ask) => answerTo(ask, booked.splice(0, ask.money.length)));
      });
    },
  });

async function askOf(
  app: App,
  jobs: readonly Job[],
  { invoice_id: invoiceId, ending, reference, payer, ...money }: Static<typeof Input>,
): Promise<Ask | Error> {
  const sender = payer === undefined ? {} : { payer };
  if (invoiceId === undefined && ending === undefined) {
    const own = { ...money, ...sender, reference: reference ?? `sandbox ${app.newId()}` };
    return judgeMoney(own) ?? { money: [own as Told] };
  }
  if (Object.keys(money).length > 0 || reference !== undefined) {
    return new Refusal("wallet_or_invoice");
  }
  if (invoiceId === undefined) return judgePlayed({}) ?? new Refusal("payment_not_found");
  const played = ending ?? "exact";
  const told = await moneyFor(app, jobs, invoiceId, played).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  if (told instanceof Refusal) return told;
  return { ending: played, money: told.map((one) => ({ ...one, ...sender })) };
}

function answerTo(
  { ending }: Ask,
  outcomes: readonly (Accepted | Error)[],
): Static<typeof Data> | Error {
  const failed = outcomes.find((one) => one instanceof Error);
  if (failed !== undefined) return failed;
  const transfers = outcomes.flatMap((one) => (one instanceof Error ? [] : [toWire(one)]));
  if (ending !== undefined) return { ending, transfers };
  return transfers[0] ?? new Error("A transfer got no outcome.");
}

function toWire({ transfer, fresh }: Accepted): Static<typeof Transfer> {
  const { id, state, suspense_reason, invoice_id } = transfer;
  return { transfer_id: id, state, suspense_reason, invoice_id, fresh };
}

/** An odd sum, so that a wrong amount is hardly the right one of somebody else. */
const SLIP_MINOR = 777n;

/**
 * Late is what was paid after the details' end. No bank tells of money from the future: while the details
 * hold, time passes until they end, and nothing else is moved.
 */
export async function moneyFor(
  app: App,
  jobs: readonly Job[],
  invoiceId: string,
  ending: Ending,
): Promise<Told[]> {
  const all = await Payments.all(app.db, { "row.invoice_id": invoiceId });
  const details = all.toSorted((one, other) => other.number - one.number)[0];
  if (details === undefined) throw new Refusal("payment_not_found");
  if (ending === "late") {
    const leftMs = details.ends_at.getTime() - app.clock.now().getTime();
    if (leftMs > 0) await passTime(app.for("jobs"), jobs, Math.ceil(leftMs / 1000));
  }
  return arrivals(ending, details);
}

function arrivals(ending: Ending, details: RowOf<typeof Payments>): Told[] {
  const { id, requisite_id, to_pay_minor: toPay, ends_at: endsAt } = details;
  const told = (minor: bigint, mark = ""): Told => ({
    requisite_id,
    amount: toDecimalNumber(minor),
    payer: "Sandbox payer",
    reference: `simulated ${id}${mark}`,
  });
  switch (ending) {
    case "exact":
      return [told(toPay)];
    case "too_little":
      return [told(toPay > SLIP_MINOR ? toPay - SLIP_MINOR : 1n, " too little")];
    case "too_much":
      return [told(toPay + SLIP_MINOR, " too much")];
    case "twice":
      return [told(toPay), told(toPay, " again")];
    case "late":
      return [{ ...told(toPay, " late"), made_at: endsAt.toISOString() }];
    case "nothing":
      return [];
  }
}
