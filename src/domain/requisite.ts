// Requisites and the choice of one for a payment: limits, free slots, and shares of shops and payers.

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

interface OwnShare {
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

export const BANKS = { sber: "Сбербанк", tinkoff: "Т-Банк" } as const;

export type BankCode = keyof typeof BANKS;

export const BANK_CODES = Object.keys(BANKS) as BankCode[];

/** For a payer of whose bank there is no requisite, or whom it does not matter to. */
export const ANY_BANK = "any" as const;

export type WantedBank = BankCode | typeof ANY_BANK;

/** What the payer sends the money to, by the service of the invoice. */
export const WALLET_OF_SERVICE = { p2p_card: "card", p2p_sbp: "phone" } as const;

export type TransferService = keyof typeof WALLET_OF_SERVICE;
export type WalletKind = (typeof WALLET_OF_SERVICE)[TransferService];

export function isTransferService(service: string): service is TransferService {
  return Object.hasOwn(WALLET_OF_SERVICE, service);
}

export interface Candidate {
  readonly id: string;
  readonly bank: string;
  readonly currency: string;
  readonly wallets: readonly WalletKind[];
  readonly lastUsedAt: Date | null;
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
  readonly places: Places;
  readonly livePaymentsLeft: number;
  readonly dayPaymentsLeft: number;
  readonly daySumLeftMinor: bigint;
}

export interface Wanted {
  readonly bank: string;
  readonly currency: string;
  readonly wallet: WalletKind;
  readonly toPayMinor: bigint;
  /** How far the amount may be raised to find a free slot; 0 means not at all. */
  readonly nudgeMaxMinor: bigint;
  readonly holder: SlotHolder;
}

export interface Slot {
  readonly requisiteId: string;
  readonly amountMinor: bigint;
}

interface Room {
  readonly candidate: Candidate;
  payments: number;
  sumMinor: bigint;
}

/** Nothing is free; or what is free would be more than the share of whoever asks. */
export type NoSlot = "none" | "share";

/**
 * Gives each wish the requisite that has rested longest and is free for its amount. The amount is
 * raised only when every requisite's slot for the smaller one is taken. A requisite that is chosen
 * goes to the back of the line, so one set of wishes spreads like single ones would.
 */
export function chooseSlots(
  candidates: readonly Candidate[],
  isTaken: (slot: Slot) => boolean,
  wishes: readonly Wanted[],
  holdings: Holdings,
): (Slot | NoSlot)[] {
  const line: Room[] = candidates
    .toSorted(longestUnusedFirst)
    .map((candidate) => ({ candidate, payments: 0, sumMinor: 0n }));
  const given = new Set<string>();
  // Slots are only ever taken here, so an amount that had none free is not tried again, nor is anything
  // for who was refused it: with 500 requisites and all slots held, 128 equal wishes took 7.5 s.
  const firstNudge = new Map<string, bigint>();
  const refused = new Set<string>();

  return wishes.map((wish) => {
    const { holder } = wish;
    const need = `${wish.bank} ${wish.currency} ${wish.wallet} ${wish.toPayMinor}`;
    const asked = `${need} ${wish.nudgeMaxMinor} ${holder.shopId} ${holder.payer}`;
    if (refused.has(asked)) return "share";
    let isOverShare = false;
    const shares = new Map<Room, OwnShare>();
    for (let nudge = firstNudge.get(need) ?? 0n; nudge <= wish.nudgeMaxMinor; nudge += 1n) {
      const amountMinor = wish.toPayMinor + nudge;
      for (const [position, room] of line.entries()) {
        const slot = { requisiteId: room.candidate.id, amountMinor };
        const key = slotKey(slot);
        if (!suits(room.candidate, wish) || !hasRoom(room, amountMinor)) continue;
        if (given.has(key) || isTaken(slot)) continue;
        const share = shares.get(room) ?? holdings(room.candidate.id, holder);
        shares.set(room, share);
        if (!share.mayTake(amountMinor, room.candidate.places)) {
          isOverShare = true;
          continue;
        }
        share.take(amountMinor);
        given.add(key);
        room.payments += 1;
        room.sumMinor += amountMinor;
        line.push(...line.splice(position, 1));
        return slot;
      }
      if (!isOverShare) firstNudge.set(need, nudge + 1n);
    }
    if (isOverShare) refused.add(asked);
    return isOverShare ? "share" : "none";
  });
}

export function slotKey(slot: Slot): string {
  return `${slot.requisiteId}:${slot.amountMinor}`;
}

export function isWantedBank(bank: string, wanted: string): boolean {
  return wanted === ANY_BANK || bank === wanted;
}

function suits(candidate: Candidate, wish: Wanted): boolean {
  return (
    isWantedBank(candidate.bank, wish.bank) &&
    candidate.currency === wish.currency &&
    candidate.wallets.includes(wish.wallet)
  );
}

function hasRoom({ candidate, payments, sumMinor }: Room, amountMinor: bigint): boolean {
  return (
    amountMinor >= candidate.minMinor &&
    amountMinor <= candidate.maxMinor &&
    payments < candidate.livePaymentsLeft &&
    payments < candidate.dayPaymentsLeft &&
    sumMinor + amountMinor <= candidate.daySumLeftMinor
  );
}

function longestUnusedFirst(left: Candidate, right: Candidate): number {
  const leftMs = left.lastUsedAt?.getTime() ?? 0;
  const rightMs = right.lastUsedAt?.getTime() ?? 0;
  return leftMs - rightMs || (left.id < right.id ? -1 : 1);
}

/** Sixteen to nineteen digits whose check digit (Luhn) is right. */
export function isCardNumber(text: string): boolean {
  return looksLikeCard(text) && hasCheckDigit(text);
}

export function looksLikeCard(text: string): boolean {
  return /^\d{16,19}$/.test(text);
}

export function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** With a plus and the country: +79990000001. */
export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{9,14}$/.test(text);
}

/** Twenty digits, as Russian statements have them, or an IBAN: what a statement calls an account. */
export function isAccountNumber(text: string): boolean {
  return /^(?:\d{20}|[A-Z]{2}\d{2}[A-Z0-9]{11,30})$/.test(text);
}

/** At most the first six and the last four of a card; less of anything shorter. */
export function maskNumber(number: string): string {
  const digits = number.replace(/\D/g, "");
  const shown = digits.length >= 13 ? 6 : 2;
  const hidden = digits.length - shown - 4;
  // Too few to be a number that anybody could send money to, and a text that looks like one.
  if (hidden < 0) return "*".repeat(digits.length);
  return digits.slice(0, shown) + "*".repeat(hidden) + digits.slice(-4);
}
