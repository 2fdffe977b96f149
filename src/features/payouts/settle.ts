// The one place where the state of a payout changes: edge, ledger, limits, destination and event.
// Money is given back only where it has not left, and booked as left once.

import { toldText } from "../../domain/dialect.ts";
import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import { EVENT_CODES, PAYOUT_EDGES, type PayoutState, wireState } from "../../domain/payout.ts";
import { type PayoutPosting, payoutPosting } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { post } from "../ledger/post.ts";
import { lockBalances } from "../ledger/queries.ts";
import { type EventFact, recordEvents } from "../webhooks/events.ts";
import {
  addToDays,
  proveDestinations,
  takeFromDays,
  unproveDestinations,
} from "./destination-queries.ts";
import { type Payout, setPayoutStates } from "./queries.ts";

export interface Move {
  /** Locked by the caller. */
  readonly payout: Payout;
  readonly to: PayoutState;
  /** Why it ends without having arrived. */
  readonly error?: string;
  /** What the bank calls the money that left. */
  readonly reference?: string | undefined;
  /** Of one that is back in line: not before this moment. */
  readonly notBefore?: Date;
}

/** What an edge does to the ledger; the others move no money. */
const POSTINGS: Readonly<Record<string, PayoutPosting>> = {
  "held canceled": "payout_released",
  "queued canceled": "payout_released",
  "sending failed": "payout_released",
  "unknown failed": "payout_released",
  "sending done": "payout_done",
  "unknown done": "payout_done",
  "done returned": "payout_returned",
  "failed done": "payout_recovered",
  "canceled done": "payout_recovered",
};

/** Over without having arrived: each says why. */
const UNSENT: ReadonlySet<PayoutState> = new Set(["failed", "canceled", "returned"]);

export async function movePayouts(tx: Tx, app: App, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  const now = app.clock.now();
  for (const { payout, to } of moves) {
    if (!PAYOUT_EDGES[payout.state].includes(to))
      throw new Refusal("payout_cannot_move", { state: payout.state });
  }
  const postings = moves.flatMap(({ payout, to }) => {
    const kind = POSTINGS[`${payout.state} ${to}`];
    return kind === undefined ? [] : [payoutPosting(kind, { ...payout, sourceId: payout.id })];
  });
  const recovered = moves.filter(({ payout, to }) => UNSENT.has(payout.state) && to === "done");
  await refuseUncovered(tx, recovered);
  const told = moves.map((move) => {
    const { payout, to } = move;
    const error = UNSENT.has(to) ? (move.error ?? to) : null;
    const sequence = payout.sequence + 1;
    return {
      move,
      sequence,
      event: payoutEvent(app, payout, to, { at: doneAt(move, now), error, sequence }),
    };
  });
  await Promise.all([
    setPayoutStates(
      tx,
      told.map(({ move, sequence, event }) => ({
        id: move.payout.id,
        from: move.payout.state,
        to: move.to,
        sequence: event === undefined ? move.payout.sequence : sequence,
        queuedAt: move.to === "queued" ? (move.notBefore ?? now) : null,
        doneAt: doneAt(move, now),
        settledAt: UNSENT.has(move.to) || move.to === "done" ? now : null,
        error: UNSENT.has(move.to) ? (move.error ?? move.to) : null,
        bankReference: move.reference ?? move.payout.bankReference,
      })),
    ),
    post(tx, app, postings),
    takeFromDays(tx, moves.filter(({ to }) => to === "failed" || to === "canceled").map(ofDay)),
    addToDays(tx, recovered.map(ofDay)),
    proveDestinations(
      tx,
      moves.filter(({ to }) => to === "done").map(({ payout }) => payout.destinationId),
      now,
    ),
  ]);
  const returned = moves.filter(({ to }) => to === "returned");
  await unproveDestinations(
    tx,
    returned.map(({ payout }) => payout.destinationId),
  );
  await recordEvents(
    tx,
    app,
    told.flatMap(({ event }) => (event === undefined ? [] : [event])),
  );
  tx.onCommit(() => {
    for (const { to } of moves) countPayouts(app, to);
  });
}

/** What had left after all is taken from what is there now: a person sees to it that it is enough. */
async function refuseUncovered(tx: Tx, recovered: readonly Move[]): Promise<void> {
  if (recovered.length === 0) return;
  const rows = await lockBalances(
    tx,
    recovered.map(({ payout }) => payout.userId),
  );
  for (const { payout } of recovered) {
    const row = rows.find(
      (one) => one.user_id === payout.userId && one.currency === payout.currency,
    );
    if ((row?.available_minor ?? 0n) < payout.withdrawMinor) throw new Refusal("balance_too_small");
  }
}

/** When it left; what is back in line or given back has not. */
function doneAt({ payout, to }: Move, now: Date): Date | null {
  if (to === "done") return now;
  return to === "returned" ? payout.doneAt : null;
}

function ofDay({ payout }: Move) {
  const {
    userId,
    service,
    currency,
    destinationId,
    createdOn: day,
    amountMinor: sumMinor,
  } = payout;
  return { userId, service, currency, destinationId, day, sumMinor, payouts: 1 };
}

/** Beside payments (1) and refunds (2). */
const TYPE = 3;

/** Undefined where nobody is told of that state. */
function payoutEvent(
  { config }: Pick<App, "config">,
  payout: Payout,
  to: PayoutState,
  { at, error, sequence }: { at: Date | null; error: string | null; sequence: number },
): EventFact | undefined {
  const code = EVENT_CODES[to];
  if (code === undefined) return undefined;
  return {
    payoutId: payout.id,
    userId: payout.userId,
    sequence,
    hookUrl: payout.hookUrl,
    fields: {
      payoff_id: payout.id,
      status: wireState(to),
      amount: toDecimalText(payout.amountMinor),
      amount_receive: toDecimalText(payout.receiveMinor),
      commission: toDecimalText(payout.feeMinor),
      wallet: payout.masked,
      service: payout.service,
      order_id: payout.orderId ?? "",
      type: TYPE,
      code,
      paid_at: at === null ? null : momentFormat(config.timeZone).text(at),
      // Clients check a signature by writing the body again; what is not ASCII they would write otherwise.
      error_message: error === null ? null : toldText("family", error),
    },
  };
}

export function countConflicts({ metrics }: App, rail: string, count = 1): void {
  const help = "Answers about payouts that contradict what is known.";
  metrics.count("kopeck_payout_conflicts_total", help, count, { rail });
}

export function countUnexplained({ metrics }: App, count = 1): void {
  const help = "Lines that show a payout to have left which by the books has not.";
  metrics.count("kopeck_lines_unexplained_total", help, count);
}

export function countPayouts({ metrics }: App, state: PayoutState, count = 1): void {
  if (count === 0) return;
  metrics.count("kopeck_payouts_total", "Payouts that came to a state.", count, { state });
}
