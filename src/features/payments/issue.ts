// Giving plans their slots: on which requisites it is tried, in what order, and what is written once a
// slot is had. Guards that nobody waits for a requisite while holding another one that others may wait for.

import { momentFormat } from "../../domain/moment.ts";
import { endOfReplacedSlot } from "../../domain/payment.ts";
import { Refusal } from "../../domain/refusal.ts";
import { type BankCode, slotKey, WALLET_OF_SERVICE } from "../../domain/requisite.ts";
import type { HeldSlot } from "../../domain/share.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { HttpFailure } from "../../platform/failure.ts";
import { countInvoices } from "../invoices/count.ts";
import type { Pool } from "../requisites/pool.ts";
import {
  giveBackUsage,
  lockUsage,
  lockWithRoom,
  type PoolRow,
  readUsage,
  shortenSlots,
} from "../requisites/queries.ts";
import { numberOf } from "../requisites/wallet.ts";
import {
  claimFor,
  type DetailsWish,
  type Issued,
  lookForSlots,
  type Plan,
  slotsAround,
  withSettings,
} from "./claim.ts";
import { type LivePayment, lapsePayments } from "./queries.ts";

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
    claimFor(tx, app, open, withSettings(pool, others), undefined, now),
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
  { app, pool, now }: Scene,
  plans: readonly Plan[],
  locked: Parameters<typeof claimFor>[3],
  known: readonly HeldSlot[],
): Promise<Issued[]> {
  const held = new Set(known.map(slotKey));
  const own = new Set(locked.map(({ id }) => id));
  const bounded = plans.map((plan) => {
    const others = pool.suiting(plan).filter(({ id }) => !own.has(id));
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
  return claimFor(tx, app, bounded, locked, known, now);
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
  const slots = await lookForSlots(tx, app, plans, withSettings(pool, rows), known, now);
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
async function claimAsFound(
  tx: Tx,
  { app, pool, now }: Scene,
  found: readonly FoundPlan[],
): Promise<Issued[]> {
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
  return claimFor(tx, app, found, locked, known, now);
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
