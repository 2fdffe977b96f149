// What one shop, one user or one payer's address may hold of what all need: the live places of a
// requisite, and its slots around an amount. Guards that nobody can close a card or a price for others.

/** In percent of the whole. */
export interface Shares {
  readonly shop: number;
  readonly user: number;
  readonly payer: number;
}

export interface Holder {
  readonly shopId: string;
  readonly userId: string;
  /** The block of addresses that asks on the payment page; null where a shop asks for its payer. */
  readonly payer: string | null;
}

/** How far an amount may be raised to find a free slot, in kopecks. */
export const MAX_NUDGE_MINOR = 99n;

/** As many amounts as one price may be nudged to: what there is to share on one requisite. */
const SLOTS_OF_PRICE = Number(MAX_NUDGE_MINOR) + 1;

const KINDS = ["shop", "user", "payer"] as const;

/** Rounded up: where there is one place, one may have it. */
function shareOf(total: number, percent: number): number {
  return Math.ceil((total * percent) / 100);
}

/** So few may be held by anybody together without looking at who holds them. */
export function uncrowded(shares: Shares): { slots: number; placesOf(total: number): number } {
  const least = Math.min(shares.shop, shares.user, shares.payer);
  return {
    slots: shareOf(SLOTS_OF_PRICE, least),
    placesOf: (total) => shareOf(total, least),
  };
}

export interface HeldPlace extends Holder {
  readonly requisiteId: string;
}

export interface HeldSlot extends HeldPlace {
  readonly amountMinor: bigint;
}

export interface Holdings {
  /** Whether one more would stay within the holder's shares. */
  mayTake(slot: HeldSlot, places: number): boolean;
  take(slot: HeldSlot): void;
}

/**
 * Counts who holds what. Slots are counted up to a nudge to either side of an amount, so that whatever
 * range of amounts a price is nudged through, nobody holds more than their share of it.
 */
export function openHoldings(
  shares: Shares,
  slots: readonly HeldSlot[],
  places: readonly HeldPlace[],
): Holdings {
  const amounts = new Map<string, bigint[]>();
  const counts = new Map<string, number>();
  const keep = (slot: HeldSlot): void => {
    for (const key of keysOf(slot)) {
      const known = amounts.get(key);
      if (known === undefined) amounts.set(key, [slot.amountMinor]);
      else known.push(slot.amountMinor);
    }
  };
  const count = (place: HeldPlace): void => {
    for (const key of keysOf(place)) counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (const slot of slots) keep(slot);
  for (const place of places) count(place);
  return {
    mayTake: (slot, total) =>
      keysOf(slot).every((key, index) => {
        const percent = shares[KINDS[index] ?? "payer"];
        if ((counts.get(key) ?? 0) >= shareOf(total, percent)) return false;
        const near = (amounts.get(key) ?? []).filter((amount) =>
          isNear(amount, slot.amountMinor),
        ).length;
        return near < shareOf(SLOTS_OF_PRICE, percent);
      }),
    take(slot) {
      keep(slot);
      count(slot);
    },
  };
}

/** In the order of KINDS; a payer who is not known has none. */
function keysOf({ requisiteId, shopId, userId, payer }: HeldPlace): string[] {
  const keys = [`${requisiteId} ${shopId}`, `${requisiteId} ${userId}`];
  return payer === null ? keys : [...keys, `${requisiteId} ${payer}`];
}

function isNear(left: bigint, right: bigint): boolean {
  const apart = left - right;
  return apart <= MAX_NUDGE_MINOR && -apart <= MAX_NUDGE_MINOR;
}
