// Which of a source's requisites a message is for, by the digits that the bank prints. Guards that a message
// about another card of the same phone is no requisite's money.

import type { Income } from "../../domain/notification.ts";
import type { App } from "../../platform/app.ts";
import { requisitesById } from "../requisites/queries.ts";
import { type MaskedNumber, maskedNumbers } from "../requisites/wallet.ts";
import type { NumberKind } from "../requisites/wallet-queries.ts";
import type { Source } from "./source-gate.ts";

export interface BoundRequisite {
  readonly id: string;
  readonly currency: string;
  /** Current and former ones. */
  readonly numbers: readonly MaskedNumber[];
  /** Digits that the bank prints for it beside those of its numbers. */
  readonly endings: readonly string[];
}

/** The requisites that a source tells of, with what may be known of their numbers. */
export async function boundTo(app: App, { requisites }: Source): Promise<BoundRequisite[]> {
  const ids = requisites.map(({ requisite_id }) => requisite_id);
  const [rows, numbers] = await Promise.all([requisitesById(app.db, ids), maskedNumbers(app, ids)]);
  const endings = new Map(requisites.map((bound) => [bound.requisite_id, bound.endings]));
  return rows.map((row) => ({
    id: row.id,
    currency: row.currency,
    endings: endings.get(row.id) ?? [],
    numbers: numbers.filter(({ requisiteId }) => requisiteId === row.id),
  }));
}

type Printed = Pick<Income, "last4" | "last4Of">;

/** What the texts tell that are read: no wording of another currency is known. */
const CURRENCY = "RUB";

/** Money of another currency it is not, whatever digits say: a payer could send as many roubles. */
export function requisiteFor(
  printed: Printed,
  bound: readonly BoundRequisite[],
): BoundRequisite | undefined {
  const meant = meantBy(printed, bound);
  return meant?.currency === CURRENCY ? meant : undefined;
}

/** The only one that has these digits; or the only one there is, where none of its numbers says otherwise. */
function meantBy(printed: Printed, bound: readonly BoundRequisite[]): BoundRequisite | undefined {
  const { last4 } = printed;
  const ending = last4 === null ? [] : bound.filter((one) => hasEnding(one, last4));
  if (ending.length > 0) return ending.length === 1 ? ending[0] : undefined;
  const [only, ...others] = bound;
  return only !== undefined && others.length === 0 && !isOther(only, printed) ? only : undefined;
}

export function hasEnding(one: BoundRequisite, digits: string): boolean {
  const numbers = [...one.numbers.map(({ masked }) => masked), ...one.endings];
  return numbers.some((number) => number.endsWith(digits));
}

/** Whether the digits are of a kind that is known of it: then they are another card's or account's. */
function isOther({ numbers, endings }: BoundRequisite, { last4, last4Of }: Printed): boolean {
  if (last4 === null) return false;
  if (endings.length > 0) return true;
  const has = (wanted: NumberKind) => numbers.some(({ kind }) => kind === wanted);
  if (last4Of === "card") return has("card");
  if (last4Of === "account") return has("account");
  return has("card") || has("account");
}
