// A receiving card or phone of the operator, and the choice of one for a payment. Guards that no
// requisite is given out past its limits, that no (requisite, amount) is given out twice, and that nobody
// gets more than their share.

import type { Holdings, OwnShare, Places, SlotHolder } from "./share.ts";

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

/** By Luhn's formula, of digits. */
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
