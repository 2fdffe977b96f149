// Giving each plan a slot on one of the locked requisites. The slots' primary key decides who gets one;
// here it is only guessed which are free, and seen to it that nobody gets more than their share.

import { endOfDetails, endOfSlot, firstThatMayLive } from "../../domain/payment.ts";
import {
  type Candidate,
  chooseSlots,
  type NoSlot,
  type Slot,
  slotKey,
  type TransferService,
  type WalletKind,
  type WantedBank,
} from "../../domain/requisite.ts";
import {
  type HeldSlot,
  openHoldings,
  type Places,
  type SlotHolder,
  type Uncrowded,
  uncrowded,
} from "../../domain/share.ts";
import type { Fee, Rates } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { LockedInvoice } from "../invoices/queries.ts";
import type { Shop } from "../merchants/principal.ts";
import type { Pool } from "../requisites/pool.ts";
import { heldSlots, type PoolRow, type UsageRow } from "../requisites/queries.ts";
import { issuePayments, type LivePayment, liveSlots, type NewPayment } from "./queries.ts";

export interface DetailsWish {
  readonly shop: Shop;
  readonly invoiceId: string;
  /** What the payer chose on the payment page; host-to-host the invoice has one service. */
  readonly service?: TransferService;
  /** Of any bank only on the payment page. */
  readonly bank: WantedBank;
  readonly payerIp: string | null;
  /** Whose share on the payment page this counts for; nobody's where the shop asks. */
  readonly payer?: string | null;
  readonly payerUserAgent: string | null;
}

/** What is to be issued: it is a need of a requisite and a wish for a slot at once. */
export interface Plan {
  readonly wish: DetailsWish;
  readonly invoice: LockedInvoice;
  readonly service: TransferService;
  readonly bank: WantedBank;
  readonly currency: string;
  readonly wallet: WalletKind;
  readonly rates: Rates;
  readonly fee: Fee;
  readonly toPayMinor: bigint;
  readonly nudgeMaxMinor: bigint;
  readonly holder: SlotHolder;
  readonly replaces: LivePayment | undefined;
}

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

export interface Issued {
  readonly plan: Plan;
  readonly requisite: LockedRequisite;
  readonly payment: NewPayment;
  readonly slot: HeldSlot;
  /** The number to pay to. */
  readonly sealed: Buffer;
}

/** Where it is not known which slots are held, what turns out to be is tried on another requisite. */
const GUESSES = 3;

/**
 * Of the requisites that are locked. With the slots around the amounts each plan gets the best that there
 * is; without, a slot is guessed and may turn out to be held, and amounts are never raised. Whatever got its slot is
 * written with it.
 */
export async function claimFor(
  tx: Tx,
  app: App,
  plans: readonly Plan[],
  locked: readonly LockedRequisite[],
  known: readonly HeldSlot[] | undefined,
  now: Date,
): Promise<Issued[]> {
  const requisites = new Map(locked.map((row) => [row.id, row]));
  const chooser = await openChooser(tx, app, plans, locked, known, now);
  const issued: Issued[] = [];
  let open: readonly Plan[] = known ? plans : plans.map((plan) => ({ ...plan, nudgeMaxMinor: 0n }));
  for (let round = known ? GUESSES : 1; round <= GUESSES; round += 1) {
    const slots = chooser.choose(open, issued);
    const picked = open.flatMap((plan, index) => {
      const slot = slots[index];
      if (slot === undefined || typeof slot === "string") return [];
      const requisite = requisites.get(slot.requisiteId);
      if (requisite === undefined) return [];
      const payment = toPayment(app, plan, slot, now, requisite.day);
      return [{ plan, requisite, payment, slot: { ...slot, ...plan.holder } }];
    });
    if (picked.length === 0) break;
    // Whether a slot is free is found out by the claim itself.
    const given = await issuePayments(
      tx,
      picked.map(({ payment }) => payment),
      now,
      known ? undefined : chooser.crowd,
    );
    const failed = picked.filter(({ payment }) => !given.has(payment.id));
    for (const one of picked) {
      const sealed = given.get(one.payment.id);
      if (sealed !== undefined) issued.push({ ...one, sealed });
    }
    if (failed.length === 0) break;
    for (const { slot } of failed) chooser.markHeld(slot);
    open = failed.map(({ plan }) => plan);
  }
  return issued;
}

/** Chooses for plans among these requisites, as far as can be told from what is known of them. */
async function openChooser(
  tx: Tx,
  app: App,
  plans: readonly Plan[],
  rows: readonly LockedRequisite[],
  known: readonly HeldSlot[] | undefined,
  now: Date,
) {
  const { shares } = app.config;
  const enabled = rows.filter((row) => row.enabled);
  const sparse = uncrowded(
    shares,
    plans.map(({ holder }) => holder),
  );
  const live = await liveOnCrowded(tx, sparse, enabled, plans, now);
  const held = new Set(known?.map(slotKey));
  const candidates = (issued: readonly Issued[]): Candidate[] =>
    enabled.map((row) => toCandidate(row, issued));
  return {
    crowd: sparse.slots,
    markHeld: (slot: Slot): unknown => held.add(slotKey(slot)),
    choose(open: readonly Plan[], issued: readonly Issued[]): (Slot | NoSlot)[] {
      const taken = issued.map(({ slot }) => slot);
      const holdings = openHoldings(shares, [...(known ?? []), ...taken], [...live, ...taken]);
      return chooseSlots(candidates(issued), (slot) => held.has(slotKey(slot)), open, holdings);
    },
  };
}

/** What each plan would be given now, if nobody else was: of rows that are only read. */
export async function lookForSlots(
  tx: Tx,
  app: App,
  plans: readonly Plan[],
  seen: readonly LockedRequisite[],
  known: readonly HeldSlot[],
  now: Date,
): Promise<(Slot | NoSlot)[]> {
  const chooser = await openChooser(tx, app, plans, seen, known, now);
  return chooser.choose(plans, []);
}

/** Who holds what on these requisites around the amounts that may be given out. */
export function slotsAround(
  tx: Tx,
  requisiteIds: readonly string[],
  plans: readonly Plan[],
  now: Date,
): Promise<HeldSlot[]> {
  const ranges = plans.map(({ toPayMinor, nudgeMaxMinor }) => ({
    fromMinor: toPayMinor,
    toMinor: toPayMinor + nudgeMaxMinor,
  }));
  return heldSlots(tx, requisiteIds, ranges, now);
}

/** Who has the live payments of those requisites on which somebody could come to have too much. */
async function liveOnCrowded(
  tx: Tx,
  sparse: Uncrowded,
  rows: readonly LockedRequisite[],
  plans: readonly Plan[],
  now: Date,
): Promise<HeldSlot[]> {
  // At most: each may still be raised.
  const wantedMinor = plans.reduce(
    (sum, { toPayMinor, nudgeMaxMinor }) => sum + toPayMinor + nudgeMaxMinor,
    0n,
  );
  const crowded = rows.filter((row) => {
    const payments = Math.max(
      row.max_live_payments - row.live_payments_left,
      row.max_day_payments - row.day_payments_left,
    );
    const sumMinor = row.max_day_sum_minor - row.day_sum_left_minor;
    return !sparse.has(placesOf(row), payments + plans.length, sumMinor + wantedMinor);
  });
  return liveSlots(
    tx,
    crowded.map(({ id }) => id),
    firstThatMayLive(now),
  );
}

function toPayment(app: App, plan: Plan, slot: Slot, now: Date, day: string): NewPayment {
  const { wish, invoice, fee } = plan;
  const endsAt = endOfDetails(now, invoice.expires_at);
  return {
    id: app.newId(),
    invoiceId: invoice.id,
    number: invoice.details + 1,
    ...plan.holder,
    requisiteId: slot.requisiteId,
    service: plan.service,
    currency: invoice.currency,
    amountMinor: invoice.amount_minor,
    percentPpm: plan.rates.percentPpm,
    userPercentPpm: plan.rates.userPercentPpm,
    feeMinor: fee.totalMinor,
    payerFeeMinor: fee.payerMinor,
    nudgeMinor: slot.amountMinor - plan.toPayMinor,
    toPayMinor: slot.amountMinor,
    payerIp: wish.payerIp,
    payerUserAgent: wish.payerUserAgent,
    createdAt: now,
    createdOn: day,
    endsAt,
    slotUntil: endOfSlot(endsAt),
  };
}

/** With the room that is left after what was given out of it in the same transaction. */
function toCandidate(row: LockedRequisite, issued: readonly { readonly slot: Slot }[]): Candidate {
  const own = issued.filter(({ slot }) => slot.requisiteId === row.id);
  const sumMinor = own.reduce((sum, { slot }) => sum + slot.amountMinor, 0n);
  return {
    id: row.id,
    bank: row.set.bank,
    currency: row.set.currency,
    wallets: row.set.wallets,
    lastUsedAt: row.last_used_at,
    minMinor: row.set.min_minor,
    maxMinor: row.set.max_minor,
    places: placesOf(row),
    livePaymentsLeft: row.live_payments_left - own.length,
    dayPaymentsLeft: row.day_payments_left - own.length,
    daySumLeftMinor: row.day_sum_left_minor - sumMinor,
  };
}

function placesOf(row: UsageRow): Places {
  return {
    maxLivePayments: row.max_live_payments,
    maxDayPayments: row.max_day_payments,
    maxDaySumMinor: row.max_day_sum_minor,
  };
}
