// Issuing transfer details for a set of wishes. Guards that one (requisite, amount) belongs to one
// payment at a time, that an invoice has one live payment, and that no requisite passes its limits.
//
// Locks are taken in one order: invoices by id, payments by id, requisites. A wish is first tried on
// the few requisites that have rested longest and that nobody else is choosing from: no waiting, so
// no deadlock. What finds no slot there is tried again with every suitable requisite locked by id.
// Only where no requisite has the amount free is it nudged, and only where all were looked at can the
// answer be that nothing is free. In a careful transaction nobody waits: a wish that needs what somebody
// holds is answered Held, and comes again.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { Held, heldAmong } from "../../platform/db-held.ts";
import { lockInvoices } from "../invoices/queries.ts";
import { poolOf } from "../requisites/pool.ts";
import { type ShopTariff, termsOf } from "../tariffs/queries.ts";
import { detailsOf, issueQuickly, issueThoroughly, type Outcome, type Scene } from "./issue.ts";
import { judgeWish, type Plan, type Wish } from "./judge.ts";
import { lockLivePayments } from "./queries.ts";

export async function issueDetails(app: App, wishes: readonly Wish[]): Promise<Outcome[]> {
  // Equal wishes share one outcome, so that one invoice asked for a hundred times is asked for once.
  const first = new Map(wishes.toReversed().map((wish) => [wishKey(wish), wish]));
  const outcomes = new Map<Wish, Outcome>();
  const shops = wishes.map(({ shop }) => shop);
  const [tariffs, pool] = await Promise.all([termsOf(app, shops), poolOf(app, shops)]);
  const attempt = async (open: readonly Wish[], thorough: boolean): Promise<void> => {
    if (open.length === 0) return;
    const settled = await app.db.transaction((tx) =>
      settle(tx, { app, pool, now: app.clock.now() }, open, tariffs, thorough),
    );
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

/**
 * The outcomes of those wishes that could be settled in this transaction; thoroughly, all requisites that
 * suit are looked at, however long others hold them.
 */
async function settle(
  tx: Tx,
  scene: Scene,
  wishes: readonly Wish[],
  tariffs: ReadonlyMap<string, readonly ShopTariff[]>,
  thorough: boolean,
): Promise<Map<Wish, Outcome>> {
  const { app, pool, now } = scene;
  const outcomes = new Map<Wish, Outcome>();
  const held = await heldInvoices(tx, wishes);
  const free = wishes.filter(({ invoiceId }) => !held.has(invoiceId));
  for (const wish of wishes) if (held.has(wish.invoiceId)) outcomes.set(wish, new Held());
  const keys = free.map(({ invoiceId, shop }) => ({ invoiceId, shopId: shop.id }));
  const [locked, lives] = await Promise.all([
    lockInvoices(tx, keys),
    lockLivePayments(
      tx,
      keys.map(({ invoiceId }) => invoiceId),
    ),
  ]);
  const invoices = new Map(locked.map((invoice) => [invoice.id, invoice]));
  const live = new Map(lives.map((one) => [one.invoice_id, one]));

  const plans: Plan[] = [];
  for (const wish of free) {
    const { invoiceId, shop } = wish;
    const invoice = invoices.get(invoiceId);
    const own = live.get(invoiceId);
    const requisite = own && pool.byId(own.requisite_id);
    const standing = {
      // Of another shop that asks in the same set it is nobody's here.
      invoice: invoice?.shop_id === shop.id ? invoice : undefined,
      live: own,
      // On the page a card that was switched off is not shown again; a shop's repetition is answered alike.
      bank: requisite?.enabled || wish.service === undefined ? requisite?.bank : undefined,
    };
    const verdict = judgeWish(wish, standing, tariffs.get(shop.id) ?? [], now);
    if (verdict.kind === "refused") outcomes.set(wish, verdict.refusal);
    else if (verdict.kind === "valid" && requisite !== undefined) {
      const { wallet, to_pay_minor: amountMinor, ends_at: endsAt } = verdict.payment;
      outcomes.set(wish, detailsOf(app, requisite, wallet, { amountMinor, endsAt }));
    }
    // What replaces live details needs certainty first: without new ones the old ones stay.
    else if (verdict.kind === "plan" && (thorough || verdict.replaces === undefined)) {
      plans.push(verdict);
    }
  }
  if (plans.length > 0) {
    const given = await (thorough ? issueThoroughly : issueQuickly)(tx, scene, plans);
    for (const [wish, outcome] of given) outcomes.set(wish, outcome);
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
