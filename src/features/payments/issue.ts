// Gives plans their slots: on which requisites it is tried, in what order, and what is written then.
// The slots' primary key decides about a slot; each holder keeps to its share, and no transaction waits for a
// requisite while it holds another one.

import { momentFormat } from "../../domain/moment.ts";
import {
  endOfDetails,
  endOfReplacedSlot,
  endOfSlot,
  firstThatMayLive,
} from "../../domain/payment.ts";
import { Refusal } from "../../domain/refusal.ts";
import {
  type BankCode,
  type Candidate,
  chooseSlots,
  type HeldSlot,
  type NoSlot,
  openHoldings,
  type Places,
  type Slot,
  type SlotHolder,
  slotKey,
  type TransferService,
  type Uncrowded,
  uncrowded,
  WALLET_OF_SERVICE,
  type WalletKind,
  type WantedBank,
} from "../../domain/requisite.ts";
import type { Fee, Rates } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { HttpFailure } from "../../platform/failure.ts";
import { countInvoices } from "../invoices/count.ts";
import type { LockedInvoice } from "../invoices/queries.ts";
import type { Shop } from "../merchants/principal.ts";
import type { Pool } from "../requisites/pool.ts";
import {
  giveBackUsage,
  heldSlots,
  lockUsage,
  lockWithRoom,
  type PoolRow,
  readUsage,
  shortenSlots,
  type UsageRow,
} from "../requisites/queries.ts";
import { numberOf } from "../requisites/wallet.ts";
import {
  issuePayments,
  type LivePayment,
  lapsePayments,
  liveSlots,
  type NewPayment,
} from "./queries.ts";

export interface Details {
  readonly wallet: string;
  readonly receiverName: string;
  readonly bank: BankCode;
  readonly amountMinor: bigint;
  readonly endsAt: Date;
}

export type DetailsOutcome = Details | Refusal | HttpFailure;

export interface Scene {
  readonly app: App;
  readonly pool: Pool;
  readonly now: Date;
}

export function detailsOf(
  app: App,
  requisite: PoolRow,
  { service, toPayMinor: amountMinor, endsAt, sealed }: LivePayment,
): Details {
  const wallet = numberOf(app, requisite.id, WALLET_OF_SERVICE[service], sealed);
  const { receiver_name: receiverName, bank } = requisite;
  return { wallet, receiverName, bank, amountMinor, endsAt };
}

/** So few requisites are all looked at, locked or not: they soon have no amount free that is not raised. */
const FEW = 16;

/** Some more than are wanted: a slot may be taken, or there be no room for the amount. */
const candidatesFor = (plans: number): number => plans + 8;

/** On some of those that suit, whatever is not locked by others. */
export async function issueQuickly(
  tx: Tx,
  scene: Scene,
  plans: readonly Plan[],
): Promise<Map<DetailsWish, DetailsOutcome>> {
  const { app, pool, now } = scene;
  const day = momentFormat(app.config.timeZone).day(now);
  const groups = [...Map.groupBy(plans, (plan) => pool.suiting(plan)).entries()];
  const { few = [], many = [] } = Object.groupBy(groups, ([suiting]) =>
    suiting.length <= FEW ? "few" : "many",
  );
  const lines = few.map(([suiting, own]) => ({
    ids: pool.nextInLine(suiting, suiting.length),
    most: Math.min(halfOf(suiting), own.length),
  }));
  const ofMany = many.flatMap(([suiting, own]) =>
    pool.nextInLine(suiting, Math.min(candidatesFor(own.length), halfOf(suiting))),
  );
  const among = few.flatMap(([, own]) => own);
  const around = () => slotsAround(tx, [...new Set(lines.flatMap(({ ids }) => ids))], among, now);
  // In one flight: what is read after the locks has seen all that their last holders did.
  let [rows, rest, known] = await Promise.all([
    Promise.all(lines.map(({ ids, most }) => lockWithRoom(tx, ids, day, most))),
    lockWithRoom(tx, ofMany, day, ofMany.length),
    around(),
  ]);
  const [first] = lines;
  const isNothingLocked = rest.length + rows.flat().length === 0;
  if (first !== undefined && isNothingLocked) {
    // No locks are held yet, so waiting cannot deadlock.
    const waited = lockUsage(tx, first.ids.slice(0, first.most), day);
    [rows, known] = await Promise.all([Promise.all([waited]), around()]);
  }
  // One requisite can be of several groups, by its card and by its phone: it has its room once.
  const locked = new Map(rows.flat().map((row) => [row.id, row]));
  const others = rest.filter(({ id }) => !locked.has(id));
  const open = many.flatMap(([, own]) => own);
  const issued = await Promise.all([
    claimAmongFew(tx, scene, among, withSettings(pool, [...locked.values()]), known),
    claimFor(tx, scene, open, withSettings(pool, others), undefined),
  ]);
  return settleIssued(tx, scene, issued.flat());
}

/** Never more than these, so that others find some as well, also when this process freezes. */
function halfOf(suiting: readonly PoolRow[]): number {
  return Math.max(1, suiting.length >> 1);
}

/** An amount is raised no further than where one of the others, which are not locked now, has it free. */
function claimAmongFew(
  tx: Tx,
  scene: Scene,
  plans: readonly Plan[],
  locked: readonly LockedRequisite[],
  known: readonly HeldSlot[],
): Promise<Issued[]> {
  const held = new Set(known.map(slotKey));
  const own = new Set(locked.map(({ id }) => id));
  const bounded = plans.map((plan) => {
    const others = scene.pool.suiting(plan).filter(({ id }) => !own.has(id));
    const isFree = (amountMinor: bigint): boolean =>
      others.some(
        ({ id, min_minor, max_minor }) =>
          amountMinor >= min_minor &&
          amountMinor <= max_minor &&
          !held.has(slotKey({ requisiteId: id, amountMinor })),
      );
    let nudgeMinor = 0n;
    while (nudgeMinor < plan.nudgeMaxMinor && !isFree(plan.toPayMinor + nudgeMinor)) {
      nudgeMinor += 1n;
    }
    return { ...plan, nudgeMaxMinor: nudgeMinor };
  });
  return claimFor(tx, scene, bounded, locked, known);
}

/**
 * On any that suits: what all of them have free is read, and only what looks free is locked, because who
 * locks them all stops everybody else. Whoever finds nothing is refused; whoever was overtaken has no
 * outcome, and looks again in another transaction.
 */
export async function issueThoroughly(
  tx: Tx,
  scene: Scene,
  plans: readonly Plan[],
): Promise<Map<DetailsWish, DetailsOutcome>> {
  const { app, pool, now } = scene;
  const day = momentFormat(app.config.timeZone).day(now);
  const suiting = [...new Set(plans.flatMap((plan) => pool.suiting(plan).map(({ id }) => id)))];
  const [rows, known] = await Promise.all([
    readUsage(tx, suiting, day),
    slotsAround(tx, suiting, plans, now),
  ]);
  const chooser = await openChooser(tx, scene, plans, withSettings(pool, rows), known);
  const slots = chooser.choose(plans, []);
  const outcomes = new Map<DetailsWish, DetailsOutcome>();
  const found = plans.flatMap((plan, index) => {
    const slot = slots[index] ?? "none";
    if (typeof slot !== "string") {
      return { ...plan, nudgeMaxMinor: slot.amountMinor - plan.toPayMinor, on: slot.requisiteId };
    }
    outcomes.set(plan.wish, new Refusal(slot === "share" ? "share_used_up" : "no_requisite"));
    return [];
  });
  const issued = await claimAsFound(tx, scene, found);
  for (const [wish, outcome] of await settleIssued(tx, scene, issued)) outcomes.set(wish, outcome);
  return outcomes;
}

interface FoundPlan extends Plan {
  /** The requisite that looked free. */
  readonly on: string;
}

/** Locked by their ids and looked at again. */
async function claimAsFound(tx: Tx, scene: Scene, found: readonly FoundPlan[]): Promise<Issued[]> {
  const { app, pool, now } = scene;
  const day = momentFormat(app.config.timeZone).day(now);
  const wanted = new Set(found.map(({ on }) => on));
  const replaced = new Set(found.flatMap(({ replaces }) => replaces?.requisiteId ?? []));
  const rows = await lockUsage(tx, [...wanted.union(replaced)], day);
  const locked = withSettings(
    pool,
    rows.filter(({ id }) => wanted.has(id)),
  );
  const known = await slotsAround(
    tx,
    locked.map(({ id }) => id),
    found,
    now,
  );
  return claimFor(tx, scene, found, locked, known);
}

/** What else is to be written, and told, of those that were given their slots. */
async function settleIssued(
  tx: Tx,
  { app, now }: Scene,
  issued: readonly Issued[],
): Promise<Map<DetailsWish, DetailsOutcome>> {
  const outcomes = new Map<DetailsWish, DetailsOutcome>();
  if (issued.length === 0) return outcomes;
  await endEarly(
    tx,
    issued.flatMap(({ plan }) => plan.replaces ?? []),
    now,
  );
  const fresh = issued.filter(({ plan }) => plan.invoice.state === "created");
  tx.onCommit(() => countInvoices(app, "pending", fresh.length));
  for (const { plan, payment, requisite, sealed } of issued) {
    outcomes.set(plan.wish, detailsOf(app, requisite.set, { ...payment, sealed }));
  }
  return outcomes;
}

/** What others have replaced or a shop has canceled. The usage comes first, as for whoever is given a slot. */
export async function endEarly(tx: Tx, live: readonly LivePayment[], now: Date): Promise<void> {
  if (live.length === 0) return;
  const ended = live.map((payment) => ({
    paymentId: payment.id,
    requisiteId: payment.requisiteId,
    amountMinor: payment.toPayMinor,
    endsAt: payment.endsAt,
    heldUntil: endOfReplacedSlot(payment.createdAt, now, payment.endsAt),
  }));
  const usages = await lapsePayments(tx, ended);
  await Promise.all([giveBackUsage(tx, usages), shortenSlots(tx, ended)]);
}

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

interface LockedRequisite extends UsageRow {
  readonly set: PoolRow;
}

/** What was locked, with what is set. */
function withSettings(pool: Pool, rows: readonly UsageRow[]): LockedRequisite[] {
  return rows.flatMap((row) => {
    const set = pool.byId(row.id);
    return set === undefined ? [] : [{ ...row, set }];
  });
}

interface Issued {
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
async function claimFor(
  tx: Tx,
  scene: Scene,
  plans: readonly Plan[],
  locked: readonly LockedRequisite[],
  known: readonly HeldSlot[] | undefined,
): Promise<Issued[]> {
  const { app, now } = scene;
  const requisites = new Map(locked.map((row) => [row.id, row]));
  const chooser = await openChooser(tx, scene, plans, locked, known);
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
  { app, now }: Scene,
  plans: readonly Plan[],
  rows: readonly LockedRequisite[],
  known: readonly HeldSlot[] | undefined,
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

/** Who holds what on these requisites around the amounts that may be given out. */
function slotsAround(
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
