// What requisites are needed for a set of plans, and what is to be known of each to choose among them.

import type { Candidate, Slot } from "../../domain/requisite.ts";
import type { Places } from "../../domain/share.ts";
import type { Need, RequisiteRow } from "../requisites/queries.ts";
import type { Plan } from "./judge.ts";

/**
 * More than are wanted: some will have their slot taken, or no room for the amount. With only 8 to spare
 * three sets of ten had to be settled the thorough way, which looks at all and takes 24 ms.
 */
const candidatesFor = (plans: number): number => 2 * plans + 16;

export function distinctNeeds(plans: readonly Plan[]): Need[] {
  const alike = Map.groupBy(plans, ({ bank, currency, wallet }) => `${bank} ${currency} ${wallet}`);
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { bank, currency, wallet } = first;
    return [{ bank, currency, wallet, wanted: candidatesFor(group.length) }];
  });
}

/** With the room that is left after what was given out of it in the same transaction. */
export function toCandidate(
  row: RequisiteRow,
  issued: readonly { readonly slot: Slot }[],
): Candidate {
  const own = issued.filter(({ slot }) => slot.requisiteId === row.id);
  const sumMinor = own.reduce((sum, { slot }) => sum + slot.amountMinor, 0n);
  const wallets: Candidate["wallets"][number][] = [];
  if (row.card_sealed !== null) wallets.push("card");
  if (row.phone_sealed !== null) wallets.push("phone");
  return {
    id: row.id,
    bank: row.bank,
    currency: row.currency,
    wallets,
    lastUsedAt: row.last_used_at,
    minMinor: row.min_minor,
    maxMinor: row.max_minor,
    places: placesOf(row),
    livePaymentsLeft: row.live_payments_left - own.length,
    dayPaymentsLeft: row.day_payments_left - own.length,
    daySumLeftMinor: row.day_sum_left_minor - sumMinor,
  };
}

export function placesOf(row: RequisiteRow): Places {
  return {
    maxLivePayments: row.max_live_payments,
    maxDayPayments: row.max_day_payments,
    maxDaySumMinor: row.max_day_sum_minor,
  };
}
