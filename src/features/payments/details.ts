// Issuing transfer details for a set of wishes. Guards that one (requisite, amount) belongs to one
// payment at a time, that an invoice has one live payment, and that no requisite passes its limits.
//
// Locks are taken in one order: invoices by id, payments by id, requisites. A wish is first tried on
// the few requisites that have rested longest and that nobody else is choosing from: no waiting, so
// no deadlock. What finds no slot there is tried again with every suitable requisite locked by id.
// Only then is an amount nudged, and only then can the answer be that nothing is free. In a careful
// transaction nobody waits: a wish that needs what somebody holds is answered Held, and comes again.

import { momentFormat } from "../../domain/moment.ts";
import { endOfReplacedSlot } from "../../domain/payment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { BankCode } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { Held, heldAmong } from "../../platform/db-held.ts";
import { lockInvoices, markPending } from "../invoices/queries.ts";
import {
  countUsage,
  giveBackUsage,
  type HeldRequisite,
  heldThatSuit,
  lockAll,
  lockRested,
} from "../requisites/queries.ts";
import { shortenSlots } from "../requisites/slot-queries.ts";
import { openWallet } from "../requisites/wallet.ts";
import { type ShopTariff, termsOf } from "../tariffs/queries.ts";
import { distinctNeeds } from "./candidates.ts";
import { claimFor, type Issued } from "./claim.ts";
import { judgeWish, type Plan, type Wish } from "./judge.ts";
import {
  addPayments,
  countDetails,
  type LivePayment,
  lapsePayments,
  lockLivePayments,
} from "./queries.ts";

interface Details {
  readonly wallet: string;
  readonly receiverName: string;
  readonly bank: BankCode;
  readonly amountMinor: bigint;
  readonly endsAt: Date;
}

type Outcome = Details | Refusal | Held;

export async function issueDetails(app: App, wishes: readonly Wish[]): Promise<Outcome[]> {
  // Equal wishes share one outcome, so that one invoice asked for a hundred times is asked for once.
  const first = new Map(wishes.toReversed().map((wish) => [wishKey(wish), wish]));
  const outcomes = new Map<Wish, Outcome>();
  const tariffs = await termsOf(
    app,
    wishes.map(({ shop }) => shop),
  );
  const attempt = async (open: readonly Wish[], thorough: boolean): Promise<void> => {
    if (open.length === 0) return;
    const settled = await app.db.transaction((tx) => settle(tx, app, open, tariffs, thorough));
    for (const [wish, outcome] of settled) outcomes.set(wish, outcome);
  };
  for (const wave of oneWishAnInvoice([...first.values()])) {
    // Requisites that were locked in any order must be let go before all are locked by their ids.
    await attempt(wave, false);
    await attempt(
      wave.filter((wish) => !outcomes.has(wish)),
      true,
    );
  }
  return wishes.map((wish) => {
    const answered = first.get(wishKey(wish));
    return (answered && outcomes.get(answered)) ?? new Refusal("no_requisite");
  });
}

function wishKey({ shop, invoiceId, service, bank }: Wish): string {
  return `${shop.id} ${invoiceId} ${service} ${bank}`;
}

/** Wishes for one invoice are answered one after another, each knowing what the last one did. */
function oneWishAnInvoice(wishes: readonly Wish[]): Wish[][] {
  const waves: Wish[][] = [];
  const seen = new Map<string, number>();
  for (const wish of wishes) {
    const turn = seen.get(wish.invoiceId) ?? 0;
    seen.set(wish.invoiceId, turn + 1);
    waves[turn] ??= [];
    waves[turn].push(wish);
  }
  return waves;
}

/** The outcomes of those wishes that could be settled in this transaction. */
async function settle(
  tx: Tx,
  app: App,
  wishes: readonly Wish[],
  tariffs: ReadonlyMap<string, readonly ShopTariff[]>,
  thorough: boolean,
): Promise<Map<Wish, Outcome>> {
  const now = app.clock.now();
  const outcomes = new Map<Wish, Outcome>();
  const held = await heldInvoices(tx, wishes);
  const free = wishes.filter(({ invoiceId }) => !held.has(invoiceId));
  for (const wish of wishes) if (held.has(wish.invoiceId)) outcomes.set(wish, new Held());
  const keys = free.map(toInvoiceKey);
  const [locked, lives, issued] = await Promise.all([
    lockInvoices(tx, keys),
    lockLivePayments(tx, keys),
    countDetails(
      tx,
      keys.map(({ invoiceId }) => invoiceId),
    ),
  ]);
  const invoices = new Map(locked.map((invoice) => [invoice.id, invoice]));
  const live = new Map(lives.map((one) => [one.invoice_id, one]));

  const plans: Plan[] = [];
  for (const wish of free) {
    const { invoiceId, shop } = wish;
    const own = tariffs.get(shop.id) ?? [];
    const standing = {
      invoice: invoices.get(invoiceId),
      live: live.get(invoiceId),
      issued: issued.get(invoiceId) ?? 0,
    };
    const verdict = judgeWish(wish, standing, own, now);
    if (verdict.kind === "refused") outcomes.set(wish, verdict.refusal);
    else if (verdict.kind === "valid") outcomes.set(wish, repeated(app, verdict.payment));
    // What replaces live details needs certainty first: without new ones the old ones stay.
    else if (thorough || verdict.replaces === undefined) plans.push(verdict);
  }
  if (plans.length > 0) {
    for (const [wish, outcome] of await issue(tx, app, plans, thorough, now)) {
      outcomes.set(wish, outcome);
    }
  }
  return outcomes;
}

/** The invoices that are held, or one of whose payments is. */
async function heldInvoices(tx: Tx, wishes: readonly Wish[]): Promise<ReadonlySet<string>> {
  const ids = wishes.map(({ invoiceId }) => invoiceId);
  const [own, ofPayments] = await Promise.all([
    heldAmong(tx, "invoices", "id", ids),
    heldAmong(tx, "payments", "invoice_id", ids),
  ]);
  return own.union(ofPayments);
}

function toInvoiceKey({ invoiceId, shop }: Wish): { invoiceId: string; shopId: string } {
  return { invoiceId, shopId: shop.id };
}

function repeated(app: App, payment: LivePayment & { wallet: Plan["wallet"] }): Details {
  return {
    wallet: openWallet(app.secrets, payment.requisite_id, payment.wallet, payment),
    receiverName: payment.receiver_name,
    bank: payment.bank,
    amountMinor: payment.to_pay_minor,
    endsAt: payment.ends_at,
  };
}

async function issue(
  tx: Tx,
  app: App,
  plans: readonly Plan[],
  thorough: boolean,
  now: Date,
): Promise<Map<Wish, Outcome>> {
  const day = momentFormat(app.config.timeZone).day(now);
  if (!thorough) {
    const rows = await lockRested(tx, distinctNeeds(plans), day);
    const { issued } = await claimFor(tx, app, plans, rows, thorough, now);
    return write(tx, app, issued, now);
  }
  const replacedIds = plans.flatMap(({ replaces }) => replaces?.requisite_id ?? []);
  const suiting = await heldThatSuit(tx, distinctNeeds(plans), day);
  const held = (await heldAmong(tx, "requisites", "id", replacedIds)).union(
    new Set(suiting.map(({ id }) => id)),
  );
  const open = plans.filter(({ replaces }) => !replaces || !held.has(replaces.requisite_id));
  const rows = await lockAll(tx, distinctNeeds(plans), day, replacedIds, [...held]);
  // What a requisite that is held has free is not known: then no amount is raised, nobody refused.
  const exact = open.map((plan) =>
    mayBeHad(plan, suiting) ? { ...plan, nudgeMaxMinor: 0n } : plan,
  );
  const { issued, overShare } = await claimFor(tx, app, exact, rows, thorough, now);
  const outcomes = await write(tx, app, issued, now);
  for (const plan of plans) {
    const waits = !open.includes(plan) || mayBeHad(plan, suiting);
    if (waits && !outcomes.has(plan.wish)) outcomes.set(plan.wish, new Held());
  }
  for (const { wish } of overShare) {
    if (!outcomes.has(wish)) outcomes.set(wish, new Refusal("share_used_up"));
  }
  return outcomes;
}

function mayBeHad(plan: Plan, suiting: readonly HeldRequisite[]): boolean {
  return suiting.some(
    ({ bank, currency, wallet }) =>
      bank === plan.bank && currency === plan.currency && wallet === plan.wallet,
  );
}

async function write(
  tx: Tx,
  app: App,
  issued: readonly Issued[],
  now: Date,
): Promise<Map<Wish, Outcome>> {
  const outcomes = new Map<Wish, Outcome>();
  if (issued.length === 0) return outcomes;
  await endReplaced(
    tx,
    issued.flatMap(({ plan }) => plan.replaces ?? []),
    now,
  );
  const payments = issued.map(({ payment }) => payment);
  await Promise.all([
    addPayments(tx, payments),
    countUsage(
      tx,
      issued.map(({ slot }) => slot),
      now,
    ),
    markPending(
      tx,
      payments.map(({ invoiceId }) => invoiceId),
    ),
  ]);
  for (const { plan, payment, requisite } of issued) {
    outcomes.set(plan.wish, {
      wallet: openWallet(app.secrets, requisite.id, plan.wallet, requisite),
      receiverName: requisite.receiver_name,
      bank: requisite.bank,
      amountMinor: payment.toPayMinor,
      endsAt: payment.endsAt,
    });
  }
  return outcomes;
}

async function endReplaced(tx: Tx, replaced: readonly LivePayment[], now: Date): Promise<void> {
  if (replaced.length === 0) return;
  const ended = replaced.map((payment) => ({
    paymentId: payment.id,
    requisiteId: payment.requisite_id,
    amountMinor: payment.to_pay_minor,
    endsAt: payment.ends_at,
    heldUntil: endOfReplacedSlot(payment.created_at, now, payment.ends_at),
  }));
  const usages = await lapsePayments(tx, ended);
  await Promise.all([shortenSlots(tx, ended), giveBackUsage(tx, usages)]);
}
