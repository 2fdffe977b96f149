// What one shop, one user or one payer's address may hold of what all need: of a requisite, its live
// places, its payments and its sum of a day, and its slots around an amount. Guards that nobody can close
// a card or a price for others.

import { divFloor } from "./money.ts";

/** In percent of the whole. */
export interface Shares {
  readonly shop: number;
  readonly user: number;
  readonly payer: number;
}

export interface SlotHolder {
  readonly shopId: string;
  readonly userId: string;
  /** The block of addresses that asks on the payment page; null where a shop asks for its payer. */
  readonly payer: string | null;
}

/** How far an amount may be raised to find a free slot, in kopecks. */
export const MAX_NUDGE_MINOR = 99n;

/** As many amounts as one price may be nudged to: what there is to share on one requisite. */
const SLOTS_OF_PRICE = Number(MAX_NUDGE_MINOR) + 1;

/** Of a requisite, what details that nobody has paid yet take away from all others. */
export interface Places {
  readonly maxLivePayments: number;
  readonly maxDayPayments: number;
  readonly maxDaySumMinor: bigint;
}

/** Where there is one place, one may have it. */
function shareOf(total: number, percent: number): number {
  return Math.max(1, Math.floor((total * percent) / 100));
}

function shareOfSum(totalMinor: bigint, percent: number): bigint {
  return divFloor(totalMinor * BigInt(percent), 100n);
}

function placesOf({ maxLivePayments, maxDayPayments }: Places, percent: number): number {
  return shareOf(Math.min(maxLivePayments, maxDayPayments), percent);
}

/** So much may be held by anybody together without looking at who holds it. */
export interface Uncrowded {
  readonly slots: number;
  has(places: Places, payments: number, sumMinor: bigint): boolean;
}

export function uncrowded(shares: Shares, holders: readonly SlotHolder[]): Uncrowded {
  const ofShops = Math.min(shares.shop, shares.user);
  const least = holders.some(({ payer }) => payer !== null)
    ? Math.min(ofShops, shares.payer)
    : ofShops;
  return {
    slots: shareOf(SLOTS_OF_PRICE, least),
    has: (places, payments, sumMinor) =>
      payments <= placesOf(places, least) && sumMinor <= shareOfSum(places.maxDaySumMinor, least),
  };
}

export interface HeldSlot extends SlotHolder {
  readonly requisiteId: string;
  readonly amountMinor: bigint;
}

/** What one holder may still have of one requisite. */
export interface OwnShare {
  /** Whether one more, of this amount, would stay within the holder's shares. */
  mayTake(amountMinor: bigint, places: Places): boolean;
  take(amountMinor: bigint): void;
}

export type Holdings = (requisiteId: string, holder: SlotHolder) => OwnShare;

interface Holding {
  readonly percent: number;
  live: number;
  liveSumMinor: bigint;
  /** Of slots, sorted: searched one by one, 128 wishes for crowded prices on 50 cards took 5 s. */
  readonly amounts: bigint[];
}

/**
 * Counts who holds what. Slots are counted up to a nudge to either side of an amount, so that whatever
 * range of amounts a price is nudged through, nobody holds more than their share of it.
 */
export function openHoldings(
  shares: Shares,
  slots: readonly HeldSlot[],
  live: readonly HeldSlot[],
): Holdings {
  const holdings = new Map<string, Holding>();
  const find = (requisiteId: string, id: string, percent: number): Holding => {
    const key = `${requisiteId} ${id}`;
    let known = holdings.get(key);
    if (known === undefined) {
      known = { percent, live: 0, liveSumMinor: 0n, amounts: [] };
      holdings.set(key, known);
    }
    return known;
  };
  const of = (requisiteId: string, { shopId, userId, payer }: SlotHolder): Holding[] => {
    const both = [find(requisiteId, shopId, shares.shop), find(requisiteId, userId, shares.user)];
    return payer === null ? both : [...both, find(requisiteId, payer, shares.payer)];
  };
  for (const slot of slots) {
    for (const { amounts } of of(slot.requisiteId, slot)) amounts.push(slot.amountMinor);
  }
  for (const { amounts } of holdings.values()) amounts.sort((a, b) => (a < b ? -1 : 1));
  for (const slot of live) {
    for (const holding of of(slot.requisiteId, slot)) addLive(holding, slot.amountMinor);
  }
  return (requisiteId, holder) => {
    const own = of(requisiteId, holder);
    return {
      mayTake: (amountMinor, places) =>
        own.every(
          (holding) =>
            hasPlace(holding, amountMinor, places) &&
            countNear(holding.amounts, amountMinor) < shareOf(SLOTS_OF_PRICE, holding.percent),
        ),
      take(amountMinor) {
        for (const holding of own) {
          addLive(holding, amountMinor);
          holding.amounts.splice(firstAtLeast(holding.amounts, amountMinor), 0, amountMinor);
        }
      },
    };
  };
}

function addLive(holding: Holding, amountMinor: bigint): void {
  holding.live += 1;
  holding.liveSumMinor += amountMinor;
}

/** A first one may always be had, however large it is: the requisite's own limits are looked at apart. */
function hasPlace({ percent, live, liveSumMinor }: Holding, more: bigint, places: Places): boolean {
  if (live === 0) return true;
  const isWithinSum = liveSumMinor + more <= shareOfSum(places.maxDaySumMinor, percent);
  return live < placesOf(places, percent) && isWithinSum;
}

function countNear(sorted: readonly bigint[], amount: bigint): number {
  const from = firstAtLeast(sorted, amount - MAX_NUDGE_MINOR);
  return firstAtLeast(sorted, amount + MAX_NUDGE_MINOR + 1n) - from;
}

function firstAtLeast(sorted: readonly bigint[], wanted: bigint): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? wanted) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
