// Limits: a token bucket for each key, work at once, and large answers that stay unread.

import type { FastifyReply, onSendHookHandler } from "fastify";
import { perApp } from "./app.ts";
import type { Clock } from "./clock.ts";
import { HttpFailure } from "./failure.ts";

export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/** Past this the oldest are forgotten: memory is bounded whatever comes in. */
const MAX_KEYS = 10_000;

export function openThrottle(clock: Clock, { burst, perSecond }: Allowance) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    allows(key: string): boolean {
      const now = clock.now().getTime();
      const last = buckets.get(key) ?? { tokens: burst, at: now };
      const refilled = last.tokens + (Math.max(0, now - last.at) / 1000) * perSecond;
      const tokens = Math.min(burst, refilled);
      const isAllowed = tokens >= 1;
      buckets.delete(key);
      // A part of a token is kept: else who asks faster than they come would never get a whole one.
      buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
      if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value ?? "");
      return isAllowed;
    },
  };
}

/**
 * Runs work at once while less than that is under way; past it so much more waits for its turn, in the order
 * it came (nothing, unless that is said), and past that the answer is 503.
 */
export function atMost(
  limit: number,
  mayWait = 0,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let underWay = 0;
  const line: (() => void)[] = [];
  return async (work) => {
    if (underWay < limit) underWay += 1;
    else if (line.length >= mayWait) throw new HttpFailure("overloaded");
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      // Whoever is next takes the place over, so that nobody who comes just now gets in between.
      const next = line.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}

/** The same for each key, with 429 past it; work without a key runs at once. */
function atMostEach(limit: number, mayWait: number) {
  const lines = new Map<string, { readonly take: ReturnType<typeof atMost>; calls: number }>();
  return async <Result>(key: string | undefined, work: () => Promise<Result>): Promise<Result> => {
    if (key === undefined) return work();
    const line = lines.get(key) ?? { take: atMost(limit, mayWait), calls: 0 };
    if (line.calls >= limit + mayWait) throw new HttpFailure("too_many_reads", 1);
    lines.set(key, line);
    line.calls += 1;
    try {
      return await line.take(work);
    } finally {
      line.calls -= 1;
      if (line.calls === 0) lines.delete(key);
    }
  };
}

/** Calls of plain doors that may be under way at once, of all of them together. */
const MAX_ALONE = 1_000;
/** Fewer than merchants have connections: one account's reads leave some to all others. */
const READS_OF_ONE = 4;
const READS_IN_LINE = 60;

export function plainCalls() {
  const alone = atMost(MAX_ALONE);
  const inTurn = atMostEach(READS_OF_ONE, READS_IN_LINE);
  return <Result>(account: string | undefined, work: () => Promise<Result>): Promise<Result> =>
    inTurn(account, () => alone(work));
}

/** A smaller one fits into what the kernel keeps of a connection. */
const LARGE = 64 * 1024;
/** Of all connections together; the largest answers have a few of these. */
const MOST = 64 * 1024 * 1024;

function watchUnread(): onSendHookHandler {
  const unread = new Map<FastifyReply["raw"], number>();
  let sum = 0;
  return ({ raw: { socket } }, { raw }, payload, done) => {
    done(null, payload);
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    const length = isWhole ? payload.length : 0;
    if (length < LARGE || socket.destroyed) return;
    unread.set(raw, length);
    sum += length;
    raw.once("close", () => {
      unread.delete(raw);
      sum -= length;
    });
    let excess = sum - MOST;
    for (const [oldest, held] of unread) {
      if (excess <= 0 || oldest === raw) return;
      excess -= held;
      oldest.destroy();
    }
  };
}

export const unreadAnswers = perApp(watchUnread);
