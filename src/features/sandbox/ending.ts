// How a payment can end, as the sandbox plays it: the money that the bank would tell of for an invoice's
// latest details. Both doors that play an ending ask here. Guards that one which is played again is the same
// money again: its references are the payment's own.

import { toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Job } from "../../platform/job.ts";
import type { RowOf } from "../operators/noun.ts";
import { Payments } from "../payments/nouns.ts";
import type { Told } from "../transfers/book.ts";
import { passTime } from "./time.ts";

export const ENDINGS = ["exact", "too_little", "too_much", "twice", "late", "nothing"] as const;

export type Ending = (typeof ENDINGS)[number];

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
