// The one way in for payouts: whether each may be made, and its money set aside. A user's balances
// are locked first, so concurrent calls see one another.

import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import {
  type DayTotal,
  hasDestinationLimit,
  isLikelyRepeat,
  judgePayout,
  type PayoutTerms,
  partsOf,
  type Subtract,
} from "../../domain/payout.ts";
import { payoutPosting } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { post } from "../ledger/post.ts";
import { lockBalances } from "../ledger/queries.ts";
import { holdSecretKey } from "../operators/installation.ts";
import {
  addDestinations,
  type DayKey,
  type Destination,
  daysOf,
  destinationDigests,
  findDestinations,
  type KnownDestination,
  type NewDestination,
  sealDestination,
} from "./destination-queries.ts";
import {
  addPayouts,
  type Content,
  type FirstAnswer,
  type NewPayout,
  payoutsOfOrders,
} from "./queries.ts";
import { countPayouts } from "./settle.ts";

export interface PayoutWish {
  readonly userId: string;
  readonly orderId: string | null;
  readonly destination: Destination;
  /** Whether its bank is in the directory; one that has left it stays where it was asked for before. */
  readonly isBankKnown: boolean;
  readonly amountMinor: bigint;
  readonly subtract: Subtract;
  readonly comment: string | null;
  readonly hookUrl: string | null;
  /** The operator who asks in the user's name; null where the user's own program or people do. */
  readonly authorId: string | null;
  /** By a person, and whether somebody else has to look at it for that. */
  readonly byHand?: "look" | "no look";
  /** Undefined where the user has none for it. */
  readonly terms: PayoutTerms | undefined;
}

export type Reserved = Pick<FirstAnswer, "id" | "withdrawMinor" | "balanceAfterMinor">;

/**
 * Each with its payout, or the one that was asked for under its order id before. Whoever does nothing else
 * in the transaction has it written as what that closes with.
 */
export async function reservePayouts(
  tx: Tx,
  app: App,
  wishes: readonly PayoutWish[],
  end: Tx = tx,
): Promise<(Reserved | Refusal)[]> {
  const book = await openBook(tx, app, wishes);
  const outcomes = wishes.map((wish, place) => decide(app, book, wish, place));
  await write(tx, app, book, end);
  return outcomes;
}

/** A destination as it stands while a set is decided about. */
interface Target {
  readonly id: string;
  readonly isProven: boolean;
  /** Undefined where it is known already. */
  readonly fresh: NewDestination | undefined;
  day: DayTotal;
  isUsed: boolean;
  /** By the amount: the payouts that were asked for in this set. */
  readonly alike: Map<bigint, Date>;
}

interface Book {
  readonly now: Date;
  readonly today: string;
  readonly available: Map<string, bigint>;
  readonly frozen: ReadonlyMap<string, bigint>;
  readonly orders: Map<string, Omit<FirstAnswer, "userId" | "orderId">>;
  readonly days: Map<string, DayTotal>;
  readonly known: ReadonlyMap<number, KnownDestination>;
  readonly targets: Map<string, Target>;
  readonly digests: readonly (readonly string[])[];
  readonly payouts: NewPayout[];
}

async function openBook(tx: Tx, app: App, wishes: readonly PayoutWish[]): Promise<Book> {
  const now = app.clock.now();
  const today = momentFormat(app.config.timeZone).day(now);
  const userIds = wishes.map(({ userId }) => userId);
  const digests = wishes.map(({ destination }) => destinationDigests(app, destination));
  // They travel together, and each sees what was committed before it began: past the lock, which is the first.
  const [balances, orders, known, days] = await Promise.all([
    wishes.length === 0 ? [] : lockBalances(tx, userIds),
    payoutsOfOrders(
      tx,
      wishes.filter(({ orderId }) => orderId !== null),
    ),
    findDestinations(
      tx,
      wishes.map(({ userId, amountMinor, terms }, place) => ({
        userId,
        amountMinor,
        digests: digests[place] ?? [],
        isLimited: hasDestinationLimit(terms),
      })),
      { today, since: addSeconds(now, -LONGEST_DAY_SECONDS) },
    ),
    daysOf(tx, userIds, today),
  ]);
  // Those that are new are sealed, and not by a key that is being rotated away.
  if (known.length < wishes.length) await holdSecretKey(tx, app);
  return {
    now,
    today,
    digests,
    payouts: [],
    targets: new Map(),
    available: new Map(
      balances.map((row) => [accountOf(row.user_id, row.currency), row.available_minor]),
    ),
    frozen: new Map(
      balances.map((row) => [accountOf(row.user_id, row.currency), row.frozen_minor]),
    ),
    orders: new Map(orders.map((one) => [accountOf(one.userId, one.orderId ?? ""), one])),
    days: new Map(days.map((one) => [dayKey(one), one])),
    known: new Map(known.map((one) => [one.place, one])),
  };
}

/** Days of a time zone may have 25 hours; a likely repeat is younger. */
const LONGEST_DAY_SECONDS = 25 * 60 * 60;

function accountOf(userId: string, rest: string): string {
  return `${userId} ${rest}`;
}

function dayKey({ userId, service, currency }: DayKey): string {
  return `${userId} ${service} ${currency}`;
}

const NOTHING: DayTotal = { sumMinor: 0n, payouts: 0 };

function decide(app: App, book: Book, wish: PayoutWish, place: number): Reserved | Refusal {
  const { userId, orderId, destination, amountMinor, subtract, terms } = wish;
  const target = targetOf(app, book, wish, place);
  const orderKey = orderId === null ? undefined : accountOf(userId, orderId);
  const first = orderKey === undefined ? undefined : book.orders.get(orderKey);
  if (first !== undefined) {
    return isSame(first, wish, target) ? first : new Refusal("payout_order_taken");
  }
  if (!wish.isBankKnown) return new Refusal("payout_bank_required");
  const { service, currency } = destination;
  if (terms === undefined || !terms.enabled) {
    // Whoever names no currency asks for roubles.
    const field = currency === "RUB" ? "service" : "currency";
    return new Refusal("payout_unavailable", { service, currency }, field);
  }
  const refusal = refuseAmount(amountMinor, service, terms);
  if (refusal !== undefined) return refusal;
  const parts = partsOf(amountMinor, subtract, terms);
  if (parts === undefined) return new Refusal("payout_fee_reaches_amount");
  const account = accountOf(userId, currency);
  const availableMinor = book.available.get(account) ?? 0n;
  const key = { userId, service, currency };
  const day = book.days.get(dayKey(key)) ?? NOTHING;
  const verdict = judgePayout({
    terms,
    parts,
    amountMinor,
    availableMinor,
    day,
    isByHand: wish.byHand === "look",
    destination: {
      day: target.day,
      isProven: target.isProven,
      mayBeRepeat: isLikelyRepeat(
        alikeOf(book, target, amountMinor, place),
        orderId !== null,
        book.now,
      ),
    },
  });
  if ("refused" in verdict) return new Refusal(verdict.refused);

  const left = availableMinor - parts.withdrawMinor;
  const isHeld = verdict.held !== undefined;
  const payout: NewPayout = {
    id: app.newId(),
    userId,
    orderId,
    service,
    currency,
    destinationId: target.id,
    amountMinor,
    ...parts,
    subtract,
    refundsFee: terms.refundsFee,
    balanceAfterMinor: left + (book.frozen.get(account) ?? 0n),
    comment: wish.comment,
    hookUrl: wish.hookUrl,
    authorId: wish.authorId,
    origin: wish.byHand === undefined ? "api" : "payoff",
    heldReason: verdict.held ?? null,
    approvals: isHeld ? verdict.approvals : 0,
    heldUntil: isHeld ? addSeconds(book.now, terms.holdSeconds) : null,
  };
  book.payouts.push(payout);
  book.available.set(account, left);
  book.days.set(dayKey(key), plus(day, amountMinor));
  target.day = plus(target.day, amountMinor);
  target.isUsed = true;
  target.alike.set(amountMinor, book.now);
  if (orderKey !== undefined) book.orders.set(orderKey, payout);
  return payout;
}

function plus({ sumMinor, payouts }: DayTotal, amountMinor: bigint): DayTotal {
  return { sumMinor: sumMinor + amountMinor, payouts: payouts + 1 };
}

function refuseAmount(
  amountMinor: bigint,
  service: string,
  { minMinor, maxMinor }: PayoutTerms,
): Refusal | undefined {
  if (amountMinor < minMinor) {
    return new Refusal("amount_too_small", { service, limit: toDecimalText(minMinor) });
  }
  if (amountMinor > maxMinor) {
    return new Refusal("amount_too_large", { service, limit: toDecimalText(maxMinor) });
  }
  return undefined;
}

function targetOf(app: App, book: Book, wish: PayoutWish, place: number): Target {
  const { userId, destination } = wish;
  const key = accountOf(userId, book.digests[place]?.[0] ?? "");
  const earlier = book.targets.get(key);
  if (earlier !== undefined) return earlier;
  const known = book.known.get(place);
  const id = known?.id ?? app.newId();
  const target: Target = {
    id,
    isProven: known?.isProven ?? false,
    fresh: known === undefined ? sealDestination(app, id, userId, destination) : undefined,
    day: known ?? NOTHING,
    isUsed: false,
    alike: new Map(),
  };
  book.targets.set(key, target);
  return target;
}

function alikeOf({ known }: Book, { alike }: Target, amountMinor: bigint, place: number) {
  const stored = known.get(place);
  const here = alike.get(amountMinor);
  return [
    ...(stored?.lastAt ? [{ createdAt: stored.lastAt, isUnknown: false }] : []),
    ...(stored?.hasUnknown ? [{ createdAt: new Date(0), isUnknown: true }] : []),
    ...(here === undefined ? [] : [{ createdAt: here, isUnknown: false }]),
  ];
}

/** Compared with what is there: a digest of it would tell a card's number to whoever tries them all. */
function isSame(first: Content, wish: PayoutWish, { id }: Target): boolean {
  const { service, currency } = wish.destination;
  return (
    first.destinationId === id &&
    first.service === service &&
    first.currency === currency &&
    first.amountMinor === wish.amountMinor &&
    first.subtract === wish.subtract &&
    first.comment === wish.comment &&
    first.hookUrl === wish.hookUrl
  );
}

async function write(tx: Tx, app: App, book: Book, end: Tx): Promise<void> {
  const { payouts, targets, now, today } = book;
  if (payouts.length === 0) return;
  const fresh = [...targets.values()].filter(({ isUsed }) => isUsed).map((one) => one.fresh);
  await Promise.all([
    addDestinations(
      end,
      fresh.filter((one) => one !== undefined),
      now,
    ),
    addPayouts(end, payouts, now, today),
    post(
      end,
      app,
      payouts.map((one) => payoutPosting("payout_reserved", { ...one, sourceId: one.id })),
      "locked",
    ),
  ]);
  tx.onCommit(() => {
    const held = payouts.filter(({ heldReason }) => heldReason !== null).length;
    countPayouts(app, "queued", payouts.length - held);
    countPayouts(app, "held", held);
  });
}
