// The balances of a requisite, as its messages tell them. Money whose balance does not follow
// credits nobody by itself; changing them needs the lock of the requisite's tellings.

import { chainAfter, chainOf, extendChain, type Link } from "../../domain/balance-chain.ts";
import { addSeconds, later } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { lockTelling } from "../transfers/queries.ts";
import { healFollowing } from "../transfers/telling.ts";
import {
  type BrokenMessage,
  believedSince,
  brokenMessages,
  provenBalance,
  readChain,
  settleMessages,
  type ToldChain,
  toldOfNothing,
  writeChain,
} from "./source-queries.ts";

type ToldLink = Link & { readonly toldAt: Date };

/** Clocks of phones and banks, and how long a message takes. */
const TOLERANCE_SECONDS = 10 * 60;

/**
 * What has waited follows from nothing that came after it: else whoever makes up many balances has one that some true
 * message leads to, in time.
 */
function inTheirOrder(since: Date | undefined, fresh?: ToldLink) {
  return (one: ToldLink, last: ToldLink | undefined): boolean => {
    const before = last?.toldAt ?? since;
    if (one === fresh || before === undefined) return true;
    return one.toldAt >= addSeconds(before, -TOLERANCE_SECONDS);
  };
}

/** The first lock of a transaction, also where lines are posted: how many equal ones are booked stands still. */
export function holdRequisites(tx: Tx, requisiteIds: readonly string[]): Promise<void> {
  return lockTelling(tx, requisiteIds, true);
}

/** Whether the new one fits; those that waited for it are matched now, in whatever order they came. */
export async function followBalance(
  tx: Tx,
  app: App,
  requisiteId: string,
  fresh: ToldLink,
): Promise<boolean> {
  const known = await readChain(tx, requisiteId);
  const waiting = await stillBroken(tx, requisiteId);
  const start = known && (await movedOn(tx, requisiteId, known));
  const { chain, fitting } = extendChain<ToldLink>(
    start,
    [fresh, ...waiting],
    inTheirOrder(start?.toldAt, fresh),
  );
  if (chain === null || fitting.length === 0) return false;
  const toldAt = [start?.toldAt ?? fresh.toldAt, ...fitting.map((one) => one.toldAt)].reduce(later);
  await writeChain(tx, requisiteId, { ...chain, toldAt });
  await heal(
    tx,
    app,
    waiting.filter((one) => fitting.includes(one)),
  );
  return fitting.includes(fresh);
}

/** Money that was told without a balance: the next one may hold it. */
export async function floatMoney(tx: Tx, requisiteId: string, amountMinor: bigint): Promise<void> {
  const chain = await readChain(tx, requisiteId);
  if (chain === null) return;
  await writeChain(tx, requisiteId, {
    ...chain,
    floatingMinor: chain.floatingMinor + amountMinor,
  });
}

export interface BankBalance {
  readonly requisiteId: string;
  /** What the statement began with. */
  readonly openingMinor: bigint | null;
  readonly balanceMinor: bigint;
  /** Whether there was nothing in between, as far as the order of its lines says. */
  readonly wasEmpty: boolean;
  readonly from: Date;
  readonly at: Date;
}

/**
 * What the bank itself says the balance is at that moment, as a statement's closing balance. Where messages have gone
 * on since, it only says from what. In a transaction that books money, too, after that.
 */
export async function noteBankBalance(
  tx: Tx,
  app: App,
  { requisiteId, from, at, ...closing }: BankBalance,
): Promise<void> {
  await holdRequisites(tx, [requisiteId]);
  const known = await readChain(tx, requisiteId);
  // Not every bank lists a day in its order.
  const wasEmpty = closing.wasEmpty || (await toldOfNothing(tx, requisiteId, { from, to: at }));
  const start = chainAfter(known, { ...closing, wasEmpty });
  if (known !== null && at < known.toldAt) {
    await beginAnew(tx, requisiteId, known, { ...start, toldAt: at });
    return;
  }
  const waiting = await stillBroken(tx, requisiteId);
  const { chain, fitting } = extendChain(start, waiting, inTheirOrder(at));
  const toldAt = [at, ...fitting.map((one) => one.toldAt)].reduce(later);
  await writeChain(tx, requisiteId, { ...(chain ?? start), toldAt });
  await heal(tx, app, fitting);
}

/**
 * What could be guessed so far begins anew with the bank's own balance, where messages lead from there to what is known
 * and through nothing: on a card in use the next ones come before any statement is brought.
 */
async function beginAnew(
  tx: Tx,
  requisiteId: string,
  known: ToldChain,
  start: ToldChain,
): Promise<void> {
  if (!known.isGuessable || start.isGuessable) return;
  const since = await believedSince(tx, requisiteId, addSeconds(start.toldAt, -TOLERANCE_SECONDS));
  const { chain } = extendChain(start, since);
  if (chain?.balanceMinor !== known.balanceMinor || chain.isGuessable) return;
  const { balanceMinor: openingMinor, isGuessable } = start;
  await writeChain(tx, requisiteId, { ...known, openingMinor, isGuessable });
}

/** A later balance that somebody else has shown to be true: messages between may have been lost. */
async function movedOn(tx: Tx, requisiteId: string, known: ToldChain): Promise<ToldChain> {
  const proven = await provenBalance(tx, requisiteId, known.toldAt);
  if (proven === undefined || proven.toldAt.getTime() === known.toldAt.getTime()) return known;
  return { ...chainOf(proven), toldAt: proven.toldAt };
}

/** Those whose money waits; what was settled meanwhile is no longer broken. */
async function stillBroken(tx: Tx, requisiteId: string): Promise<BrokenMessage[]> {
  const broken = await brokenMessages(tx, requisiteId);
  const settled = broken.filter(({ isSettled }) => isSettled);
  await settleMessages(
    tx,
    settled.map(({ id }) => ({ id, fate: "accepted" })),
  );
  return broken.filter(({ isSettled }) => !isSettled).toReversed();
}

async function heal(tx: Tx, app: App, fitting: readonly BrokenMessage[]): Promise<void> {
  if (fitting.length === 0) return;
  await settleMessages(
    tx,
    fitting.map(({ id, kind }) => ({ id, fate: kind === "income" ? "accepted" : "noted" })),
  );
  await healFollowing(
    tx,
    app,
    fitting.flatMap(({ transferId }) => transferId ?? []),
  );
}
