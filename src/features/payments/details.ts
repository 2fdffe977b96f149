// Issuing transfer details for a set of wishes: whether each invoice may have some now, and in which order
// it is tried to give them. Guards that one (requisite, amount) belongs to one
// payment at a time, that an invoice has one live payment, and that no requisite passes its limits.
//
// Locks are taken in one order: invoices by id, payments by id, requisites. A wish is first tried on
// the few requisites that have rested longest and that nobody else is choosing from: no waiting, so
// no deadlock. What finds no slot there looks at every suitable requisite without a lock, and then locks
// what looked free, by id. Only where no requisite has the amount free is it nudged, and only where all
// were looked at can the answer be that nothing is free.

import { isOver, whyNotOpen } from "../../domain/invoice.ts";
import { Refusal } from "../../domain/refusal.ts";
import {
  ANY_BANK,
  type BankCode,
  isTransferService,
  isWantedBank,
  WALLET_OF_SERVICE,
} from "../../domain/requisite.ts";
import { feeOf, leavesCredit, type Tariff } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { type LockedInvoice, lockInvoices } from "../invoices/queries.ts";
import { poolOf } from "../requisites/pool.ts";
import { type ShopTariff, termsOf } from "../tariffs/queries.ts";
import {
  type DetailsOutcome,
  type DetailsWish,
  detailsOf,
  issueQuickly,
  issueThoroughly,
  type Plan,
  type Scene,
} from "./issue.ts";
import { type LivePayment, lockLivePayments } from "./queries.ts";

/** Each takes a slot through its quarantine: one invoice must not use an amount up for all others. */
const MAX_DETAILS = 20;
/** On the page anybody may ask, not only a shop with its key. */
export const MAX_DETAILS_ON_PAGE = 6;

/** How often a plan that another transaction has overtaken is tried again; then the answer is 503. */
const LOOKS = 20;

export async function issueDetails(
  app: App,
  wishes: readonly DetailsWish[],
): Promise<DetailsOutcome[]> {
  // Equal wishes share one outcome, so that one invoice asked for a hundred times is asked for once.
  const first = new Map(wishes.toReversed().map((wish) => [wishKey(wish), wish]));
  const outcomes = new Map<DetailsWish, DetailsOutcome>();
  const shops = wishes.map(({ shop }) => shop);
  const [tariffs, pool] = await Promise.all([termsOf(app, shops), poolOf(app, shops)]);
  const attempt = async (wave: readonly DetailsWish[], thorough: boolean): Promise<void> => {
    const open = wave.filter((wish) => !outcomes.has(wish));
    if (open.length === 0) return;
    const settled = await app.db.transaction(
      (tx) => settle(tx, { app, pool, now: app.clock.now() }, open, tariffs, thorough),
      thorough ? undefined : "one plan",
    );
    for (const [wish, outcome] of settled) outcomes.set(wish, outcome);
  };
  for (const wave of inWaves([...first.values()])) {
    // Requisites that were locked in any order must be let go before others are locked by their ids.
    await attempt(wave, false);
    for (let look = 0; look < LOOKS; look += 1) await attempt(wave, true);
  }
  const answers = wishes.map((wish) => {
    const answered = first.get(wishKey(wish));
    return (answered && outcomes.get(answered)) ?? new HttpFailure("unavailable");
  });
  countOutcomes(app, answers);
  return answers;
}

/** A call that is answered 503 comes again, and is counted then. */
function countOutcomes({ metrics }: App, answers: readonly DetailsOutcome[]): void {
  const counts = new Map<string, number>();
  for (const answer of answers) {
    if (answer instanceof HttpFailure) continue;
    const outcome = answer instanceof Refusal ? answer.code : "given";
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  for (const [outcome, count] of counts) {
    const help = "Answers to who asked for transfer details: given, or why not.";
    metrics.count("kopeck_details_total", help, count, { outcome });
  }
}

function wishKey({ shop, invoiceId, service, bank }: DetailsWish): string {
  return `${shop.id} ${invoiceId} ${service} ${bank}`;
}

/**
 * Wishes for one invoice are answered one after another, each knowing what the last one did. Those for any
 * bank never share a transaction with those for one: on a requisite that suits both, neither would count
 * what the other has just been given.
 */
function inWaves(wishes: readonly DetailsWish[]): DetailsWish[][] {
  const { any = [], one = [] } = Object.groupBy(wishes, ({ bank }) =>
    bank === ANY_BANK ? "any" : "one",
  );
  return [...oneWishAnInvoice(one), ...oneWishAnInvoice(any)];
}

function oneWishAnInvoice(wishes: readonly DetailsWish[]): DetailsWish[][] {
  const waves: DetailsWish[][] = [];
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
  wishes: readonly DetailsWish[],
  tariffs: ReadonlyMap<string, readonly ShopTariff[]>,
  thorough: boolean,
): Promise<Map<DetailsWish, DetailsOutcome>> {
  const { app, pool, now } = scene;
  const outcomes = new Map<DetailsWish, DetailsOutcome>();
  const keys = wishes.map(({ invoiceId, shop }) => ({ invoiceId, shopId: shop.id }));
  const locked = await lockInvoices(tx, keys);
  // Most invoices are asked about for the first time, and have no payment to look for.
  const given = locked.filter(({ details }) => details > 0);
  const lives = await lockLivePayments(
    tx,
    given.map(({ id }) => id),
  );
  const invoices = new Map(locked.map((invoice) => [invoice.id, invoice]));
  const live = new Map(lives.map((one) => [one.invoiceId, one]));

  const plans: Plan[] = [];
  for (const wish of wishes) {
    const { invoiceId, shop } = wish;
    const invoice = invoices.get(invoiceId);
    const own = live.get(invoiceId);
    const requisite = own && pool.byId(own.requisiteId);
    const facts = {
      // Of another shop that asks in the same set it is nobody's here.
      invoice: invoice?.shop_id === shop.id ? invoice : undefined,
      live: own,
      // On the page a card that was switched off is not shown again; a shop's repetition is answered alike.
      bank: requisite?.enabled || wish.service === undefined ? requisite?.bank : undefined,
    };
    const verdict = judgeWish(wish, facts, tariffs.get(shop.id) ?? [], now);
    if (verdict instanceof Refusal) outcomes.set(wish, verdict);
    else if (verdict === "valid") {
      if (own && requisite) outcomes.set(wish, detailsOf(app, requisite, own));
    }
    // What replaces live details needs certainty first: without new ones the old ones stay.
    else if (thorough || verdict.replaces === undefined) plans.push(verdict);
  }
  if (plans.length > 0) {
    const given = await (thorough ? issueThoroughly : issueQuickly)(tx, scene, plans);
    for (const [wish, outcome] of given) outcomes.set(wish, outcome);
  }
  return outcomes;
}

/** How the invoice stands, as of its lock. */
interface InvoiceFacts {
  readonly invoice: LockedInvoice | undefined;
  readonly live: LivePayment | undefined;
  /** Where the live details are. */
  readonly bank: BankCode | undefined;
}

/**
 * Whether an invoice may be given details now, by how it stands as of its lock: why not, that the live ones
 * are valid still, or a plan for new ones.
 */
function judgeWish(
  wish: DetailsWish,
  { invoice, live, bank }: InvoiceFacts,
  tariffs: readonly Tariff[],
  now: Date,
): Refusal | "valid" | Plan {
  if (invoice === undefined) return new Refusal("invoice_not_found");
  const refusal = refuseType(invoice, wish) ?? refuseState(invoice, now);
  if (refusal !== undefined) return refusal;
  const { service = invoice.services[0] ?? "" } = wish;
  if (!isTransferService(service) || !invoice.services.includes(service)) {
    return new Refusal("method_unavailable", { service });
  }
  const isSame = bank && isWantedBank(bank, wish.bank) && live?.service === service;
  if (live !== undefined && isSame && !isOver(live.endsAt, now)) return "valid";
  // The switch may have been turned after the order was made; details that were issued stay valid.
  if (wish.service === undefined && !wish.shop.h2hEnabled) return new Refusal("h2h_unavailable");
  const most = wish.service === undefined ? MAX_DETAILS : MAX_DETAILS_ON_PAGE;
  if (invoice.details >= most) return new Refusal("too_many_details");
  const { currency } = invoice;
  const tariff = tariffs.find((one) => one.service === service && one.currency === currency);
  if (!tariff?.enabled) return new Refusal("method_unavailable", { service });
  const fee = feeOf(invoice.amount_minor, tariff);
  // The tariff may have changed since the order was made.
  if (!leavesCredit(invoice.amount_minor, fee)) {
    return new Refusal("fee_reaches_amount", { service });
  }
  return {
    wish,
    invoice,
    service,
    bank: wish.bank,
    currency,
    wallet: WALLET_OF_SERVICE[service],
    rates: tariff,
    fee,
    toPayMinor: invoice.amount_minor + fee.payerMinor,
    nudgeMaxMinor: wish.shop.nudgeMaxMinor,
    holder: { shopId: wish.shop.id, userId: wish.shop.userId, payer: wish.payer ?? null },
    replaces: live,
  };
}

/** An invoice is paid host-to-host or on the payment page, as its shop said. */
function refuseType({ type }: LockedInvoice, { service }: DetailsWish): Refusal | undefined {
  const wanted = service === undefined ? "direct" : "link";
  return type === wanted ? undefined : new Refusal("invoice_not_direct");
}

function refuseState(invoice: LockedInvoice, now: Date): Refusal | undefined {
  const why = whyNotOpen({ state: invoice.state, expiresAt: invoice.expires_at }, now);
  return why === undefined ? undefined : new Refusal(why);
}
