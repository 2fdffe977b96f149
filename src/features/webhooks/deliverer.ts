// Attempts under way, of one process. Guards that a receiver that hangs delays nobody else: each has a
// few attempts under way at most, each shop a part of the whole, and nobody waits for one to end but
// the next event of the same receiver.

import type { App } from "../../platform/app.ts";
import { coalesce } from "../../platform/coalesce.ts";
import { OutgoingFailure } from "../../platform/outgoing.ts";
import { openWebhookKeys } from "../merchants/webhook-keys.ts";
import {
  type Claim,
  type ClaimedEvent,
  claimDueEvents,
  type Outcome,
  recordOutcomes,
} from "./queries.ts";
import { nextStep } from "./schedule.ts";
import { signatureHeaders } from "./signature.ts";

/** Longer than any attempt, so that a lease runs out only where a process has died. */
const LEASE_MS = 60_000;
const MAX_PER_RECEIVER = 8;
/** A shop with a thousand names that all hang must not take every place. */
const MAX_PER_SHOP = 512;
const MAX_UNDER_WAY = 2_048;
const MAX_CLAIM = 256;

interface Attempt {
  readonly receiver: string;
  readonly shopId: string;
}

export interface Deliverer {
  /** Claims what is due and starts its attempts; the answer is how many. It waits for none of them. */
  start(dueBy: Date): Promise<number>;
  /** How many attempts were ever started. */
  readonly started: number;
  /** Attempts that have not ended, by the id of their event. */
  readonly underWay: ReadonlyMap<string, Attempt>;
  /** Resolves when the next attempt ends, whichever it is. */
  nextEnd(): Promise<void>;
  /** When it resolves, nothing is started any more. */
  close(): Promise<void>;
  readonly closed: boolean;
  /** What is still under way is broken off and not written down: it will be sent again. */
  abandon(): void;
}

export function openDeliverer(app: App): Deliverer {
  const underWay = new Map<string, Attempt>();
  const perReceiver = new Map<string, number>();
  const perShop = new Map<string, number>();
  const abandoned = new AbortController();
  let started = 0;
  let closed = false;
  let claiming: Promise<unknown> = Promise.resolve();
  let refillIsQueued = false;
  /** Receivers that got all the attempts they may have: more of their events may be waiting. */
  const saturated = new Set<string>();
  let everythingIsFull = false;
  let end = Promise.withResolvers<void>();
  const record = coalesce<Outcome, boolean>({
    run: async (outcomes) => {
      const written = await recordOutcomes(app.db, outcomes);
      return outcomes.map(({ id }) => written.has(id));
    },
  });

  // One claim at a time: the next one has to know what this one has started.
  const start = (dueBy: Date): Promise<number> => {
    const claimed = claiming.then(() => claim(dueBy));
    claiming = claimed.catch(() => {});
    return claimed;
  };

  const claim = async (dueBy: Date): Promise<number> => {
    refillIsQueued = false;
    everythingIsFull = underWay.size >= MAX_UNDER_WAY;
    if (closed || everythingIsFull) return 0;
    const now = app.clock.now();
    const busy = [...perReceiver].map(([receiver, n]) => ({
      receiver,
      free: MAX_PER_RECEIVER - n,
    }));
    const fullShops = [...perShop].filter(([, n]) => n >= MAX_PER_SHOP).map(([shopId]) => shopId);
    everythingIsFull = fullShops.length > 0;
    const events = await claimDueEvents(app.db, {
      dueBy,
      startedAt: now,
      leaseEndsAt: new Date(now.getTime() + LEASE_MS),
      limit: Math.min(MAX_CLAIM, MAX_UNDER_WAY - underWay.size),
      limitPerReceiver: MAX_PER_RECEIVER,
      busy,
      fullShops,
      underWay: [...underWay.keys()],
    });
    noteSaturated(saturated, busy, events);
    started += events.length;
    for (const event of events) void begin(event);
    return events.length;
  };

  const begin = async (event: ClaimedEvent): Promise<void> => {
    const { id, receiver, shop_id: shopId } = event;
    underWay.set(id, { receiver, shopId });
    count(perReceiver, receiver, 1);
    count(perShop, shopId, 1);
    await attempt(event);
    underWay.delete(id);
    count(perReceiver, receiver, -1);
    count(perShop, shopId, -1);
    end.resolve();
    end = Promise.withResolvers();
    if (saturated.has(receiver) || everythingIsFull) refill();
  };

  /** A place became free for which an event may be waiting: it need not wait for the next run. */
  const refill = (): void => {
    if (refillIsQueued || closed || !app.clock.isRight()) return;
    refillIsQueued = true;
    start(app.clock.now()).then(
      (claimed) => claimed > 0 && refill(),
      (error: unknown) => app.log.error({ err: error }, "claiming events failed"),
    );
  };

  const attempt = async (event: ClaimedEvent): Promise<void> => {
    try {
      const answer = await send(app, event, abandoned.signal);
      if (abandoned.signal.aborted) return;
      const step = nextStep(answer.status, event.turn, app.clock.now());
      const kept = await record({ id: event.id, attempt: event.attempt, ...answer, ...step });
      if (!kept) app.log.warn({ event: event.id }, "an attempt ended after its lease");
    } catch (error) {
      // When the lease is over the event is sent again: at least once, never lost.
      app.log.error({ err: error, event: event.id }, "an attempt's outcome could not be written");
    }
  };

  return {
    start,
    get started() {
      return started;
    },
    underWay,
    nextEnd: () => end.promise,
    async close() {
      closed = true;
      await claiming;
    },
    get closed() {
      return closed;
    },
    abandon: () => abandoned.abort(),
  };
}

function noteSaturated(
  saturated: Set<string>,
  busy: Claim["busy"],
  events: readonly ClaimedEvent[],
): void {
  const got = new Map<string, number>();
  for (const { receiver } of events) count(got, receiver, 1);
  const free = new Map(busy.map((one) => [one.receiver, one.free]));
  for (const receiver of saturated) {
    if (free.get(receiver) !== 0) saturated.delete(receiver);
  }
  for (const [receiver, n] of got) {
    if (n === (free.get(receiver) ?? MAX_PER_RECEIVER)) saturated.add(receiver);
  }
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const sum = (counts.get(key) ?? 0) + change;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}

type Answer = Pick<Outcome, "status" | "error" | "durationMs">;

async function send(app: App, event: ClaimedEvent, signal: AbortSignal): Promise<Answer> {
  const { hook_url: url, body } = event;
  try {
    const { status, durationMs } = await app.http.post(url, {
      headers: headersOf(app, event),
      body,
      signal,
    });
    return { status, error: null, durationMs };
  } catch (error) {
    if (error instanceof OutgoingFailure) {
      return { status: null, error: error.message, durationMs: error.durationMs };
    }
    app.log.error({ err: error, event: event.id }, "an event could not be sent");
    return { status: null, error: "internal failure", durationMs: 0 };
  }
}

function headersOf({ secrets, clock }: App, event: ClaimedEvent): Record<string, string> {
  const { id, shop_id: shopId, body, key_sealed: key, secret_sealed: secret } = event;
  if (key === null || secret === null) throw new OutgoingFailure("no webhook keys", 0);
  const sealed = { shop_id: shopId, key_sealed: key, secret_sealed: secret };
  const keys = openWebhookKeys(secrets, sealed);
  return {
    "content-type": "application/json",
    "user-agent": "Kopeck",
    ...signatureHeaders(keys, { id, sentAt: clock.now(), body }),
  };
}
