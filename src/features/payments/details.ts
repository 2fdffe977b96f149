// Issuing transfer details for a set of wishes. Guards that one (requisite, amount) belongs to one
// payment at a time, that an invoice has one live payment, and that no requisite passes its limits.
//
// Locks are taken in one order: invoices by id, payments by id, requisites. A wish is first tried on
// the few requisites that have rested longest and that nobody else is choosing from: no waiting, so
// no deadlock. What finds no slot there is tried again with every suitable requisite locked by id.
// Only then is an amount nudged, and only then can the answer be that nothing is free.

import { momentFormat } from "../../domain/moment.ts";
import { endOfDetails, endOfSlot } from "../../domain/payment.ts";
import { Refusal } from "../../domain/refusal.ts";
import {
  type BankCode,
  type Candidate,
  chooseSlots,
  type Slot,
  slotKey,
} from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { lockInvoices, markPending } from "../invoices/queries.ts";
import {
  claimSlots,
  countUsage,
  giveBackUsage,
  heldSlots,
  lockAll,
  lockRested,
  type Need,
  type RequisiteRow,
} from "../requisites/queries.ts";
import { openWallet } from "../requisites/wallet.ts";
import { tariffsOfShops } from "../tariffs/queries.ts";
import { judgeWish, type Plan, type Wish } from "./judge.ts";
import {
  addPayments,
  type LivePayment,
  lapsePayments,
  lockLivePayments,
  type NewPayment,
} from "./queries.ts";

interface Details {
  readonly wallet: string;
  readonly receiverName: string;
  readonly bank: BankCode;
  readonly amountMinor: bigint;
  readonly endsAt: Date;
}

type Outcome = Details | Refusal;

export async function issueDetails(app: App, wishes: readonly Wish[]): Promise<Outcome[]> {
  // Equal wishes share one outcome, so that one invoice asked for a hundred times is asked for once.
  const first = new Map(wishes.toReversed().map((wish) => [wishKey(wish), wish]));
  const outcomes = new Map<Wish, Outcome>();
  const attempt = async (open: readonly Wish[], thorough: boolean): Promise<void> => {
    if (open.length === 0) return;
    const settled = await app.db.transaction((tx) => settle(tx, app, open, thorough));
    for (const [wish, outcome] of settled) outcomes.set(wish, outcome);
  };
  for (const wave of oneWishAnInvoice([...first.values()])) {
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
  thorough: boolean,
): Promise<Map<Wish, Outcome>> {
  const now = app.clock.now();
  const invoices = new Map(
    (await lockInvoices(tx, wishes.map(toInvoiceKey))).map((invoice) => [invoice.id, invoice]),
  );
  const live = new Map(
    (await lockLivePayments(tx, [...invoices.keys()])).map((one) => [one.invoice_id, one]),
  );
  const tariffs = await tariffsOfShops(
    tx,
    wishes.map(({ shop }) => shop.id),
  );

  const outcomes = new Map<Wish, Outcome>();
  const plans: Plan[] = [];
  for (const wish of wishes) {
    const { invoiceId, shop } = wish;
    const own = tariffs.get(shop.id) ?? [];
    const verdict = judgeWish(wish, invoices.get(invoiceId), live.get(invoiceId), own, now);
    if (verdict.kind === "refused") outcomes.set(wish, verdict.refusal);
    else if (verdict.kind === "valid") outcomes.set(wish, repeated(app, verdict.payment));
    // What replaces live details needs certainty first: without new ones the old ones stay.
    else if (thorough || verdict.replaces === undefined) plans.push(verdict);
  }
  if (plans.length > 0) {
    for (const [wish, details] of await issue(tx, app, plans, thorough, now)) {
      outcomes.set(wish, details);
    }
  }
  return outcomes;
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
): Promise<Map<Wish, Details>> {
  const day = momentFormat(app.config.timeZone).day(now);
  const replaced = plans.flatMap(({ replaces }) => replaces ?? []);
  const rows = thorough
    ? await lockAll(
        tx,
        distinctNeeds(plans),
        day,
        replaced.map((payment) => payment.requisite_id),
      )
    : await lockRested(tx, distinctNeeds(plans), day, 2 * plans.length + 16);
  const enabled = rows.filter((row) => row.enabled);
  const slots = await pickSlots(tx, enabled, plans, thorough, now);

  const requisites = new Map(rows.map((row) => [row.id, row]));
  const picked = plans.flatMap((plan, index) => {
    const slot = slots[index];
    const requisite = slot && requisites.get(slot.requisiteId);
    return requisite
      ? [{ plan, requisite, payment: toPayment(app, plan, slot, now, requisite.day) }]
      : [];
  });
  if (picked.length === 0) return new Map();

  const claims = picked.map(({ payment }) => ({
    requisiteId: payment.requisiteId,
    amountMinor: payment.toPayMinor,
    paymentId: payment.id,
    heldUntil: endOfSlot(payment.endsAt),
    day: payment.createdOn,
  }));
  const claimed = await claimSlots(tx, claims, now);
  const issued = picked.filter(({ payment }) => claimed.has(payment.id));
  if (issued.length === 0) return new Map();

  await endReplaced(
    tx,
    issued.flatMap(({ plan }) => plan.replaces ?? []),
  );
  await addPayments(
    tx,
    issued.map(({ payment }) => payment),
  );
  const usages = claims.filter(({ paymentId }) => claimed.has(paymentId));
  await countUsage(tx, usages, now);
  await markPending(
    tx,
    issued.map(({ payment }) => payment.invoiceId),
  );
  return new Map(
    issued.map(({ plan, payment, requisite }) => [
      plan.wish,
      {
        wallet: openWallet(app.secrets, requisite.id, plan.wallet, requisite),
        receiverName: requisite.receiver_name,
        bank: requisite.bank,
        amountMinor: payment.toPayMinor,
        endsAt: payment.endsAt,
      },
    ]),
  );
}

async function endReplaced(tx: Tx, replaced: readonly LivePayment[]): Promise<void> {
  if (replaced.length === 0) return;
  const usages = await lapsePayments(
    tx,
    replaced.map(({ id }) => id),
  );
  await giveBackUsage(tx, usages);
}

/** In the quick attempt the claim itself finds out whether a slot is free. */
async function pickSlots(
  tx: Tx,
  rows: readonly RequisiteRow[],
  plans: readonly Plan[],
  thorough: boolean,
  now: Date,
): Promise<(Slot | undefined)[]> {
  const candidates = rows.map(toCandidate);
  if (!thorough) {
    const exact = plans.map((plan) => ({ ...plan, nudgeMaxMinor: 0n }));
    return chooseSlots(candidates, () => false, exact);
  }
  const ranges = plans.map(({ toPayMinor, nudgeMaxMinor }) => ({
    fromMinor: toPayMinor,
    toMinor: toPayMinor + nudgeMaxMinor,
  }));
  const ids = rows.map(({ id }) => id);
  const held = new Set((await heldSlots(tx, ids, ranges, now)).map(slotKey));
  return chooseSlots(candidates, (slot) => held.has(slotKey(slot)), plans);
}

function distinctNeeds(plans: readonly Plan[]): Need[] {
  const needs = new Map(
    plans.map(({ bank, currency, wallet }) => [
      `${bank} ${currency} ${wallet}`,
      { bank, currency, wallet },
    ]),
  );
  return [...needs.values()];
}

function toCandidate(row: RequisiteRow): Candidate {
  const wallets: Candidate["wallets"][number][] = [];
  if (row.card_sealed !== null) wallets.push("card");
  if (row.phone_sealed !== null) wallets.push("phone");
  return {
    id: row.id,
    bank: row.bank,
    currency: row.currency,
    wallets,
    lastUsedAt: row.last_used_at,
    minMinor: row.min_minor,
    maxMinor: row.max_minor,
    livePaymentsLeft: row.live_payments_left,
    dayPaymentsLeft: row.day_payments_left,
    daySumLeftMinor: row.day_sum_left_minor,
  };
}

function toPayment(app: App, plan: Plan, slot: Slot, now: Date, day: string): NewPayment {
  const { wish, invoice, fee } = plan;
  return {
    id: app.newId(),
    invoiceId: invoice.id,
    shopId: wish.shop.id,
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
    endsAt: endOfDetails(now, invoice.expires_at),
  };
}
