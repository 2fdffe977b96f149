// A requisite as it is set and as it is used, and what is to be known of it to choose among several.

import type { Candidate, Slot } from "../../domain/requisite.ts";
import type { Places } from "../../domain/share.ts";
import type { Pool } from "../requisites/pool.ts";
import type { PoolRow, UsageRow } from "../requisites/queries.ts";

export interface LockedRequisite extends UsageRow {
  readonly set: PoolRow;
}

/** What was locked, with what is set. */
export function withSettings(pool: Pool, rows: readonly UsageRow[]): LockedRequisite[] {
  return rows.flatMap((row) => {
    const set = pool.byId(row.id);
    return set === undefined ? [] : [{ ...row, set }];
  });
}

/** With the room that is left after what was given out of it in the same transaction. */
export function toCandidate(
  row: LockedRequisite,
  issued: readonly { readonly slot: Slot }[],
): Candidate {
  const own = issued.filter(({ slot }) => slot.requisiteId === row.id);
  const sumMinor = own.reduce((sum, { slot }) => sum + slot.amountMinor, 0n);
  const wallets: Candidate["wallets"][number][] = [];
  if (row.set.card_sealed !== null) wallets.push("card");
  if (row.set.phone_sealed !== null) wallets.push("phone");
  return {
    id: row.id,
    bank: row.set.bank,
    currency: row.set.currency,
    wallets,
    lastUsedAt: row.last_used_at,
    minMinor: row.set.min_minor,
    maxMinor: row.set.max_minor,
    places: placesOf(row),
    livePaymentsLeft: row.live_payments_left - own.length,
    dayPaymentsLeft: row.day_payments_left - own.length,
    daySumLeftMinor: row.day_sum_left_minor - sumMinor,
  };
}

export function placesOf(row: UsageRow): Places {
  return {
    maxLivePayments: row.max_live_payments,
    maxDayPayments: row.max_day_payments,
    maxDaySumMinor: row.max_day_sum_minor,
  };
}
