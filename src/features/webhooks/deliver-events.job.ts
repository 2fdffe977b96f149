// Events on their way to the shops and users: at least once, by a schedule (invariant 19). The job starts
// attempts and waits for none: a receiver that does not answer delays no other receiver.

import { setTimeout as sleep } from "node:timers/promises";
import { type App, perApp } from "../../platform/app.ts";
import { coalesce } from "../../platform/coalesce.ts";
import { mayPass } from "../../platform/db.ts";
import { clearFailures } from "../../platform/db-dues.ts";
import { job, noteFailure } from "../../platform/job.ts";
import { tellSeldom } from "../../platform/log.ts";
import { OutgoingFailure } from "../../platform/outgoing.ts";
import { keptBySeal } from "../../platform/remember.ts";
import { openPair } from "../merchants/keys.ts";
import {
  type AttemptOutcome,
  type ClaimedEvent,
  claimEvents,
  DELIVERIES,
  type EventClaim,
  findTurns,
  isAnythingDue,
  nextClaimAt,
  recordOutcomes,
  type Turn,
} from "./queries.ts";
import { type Signer, signed, signerOf } from "./signature.ts";

const MAX_UNDER_WAY = 2_048;
const MAX_PER_RECEIVER = 8;
/** What a shop may have though others of its user have taken everything. */
const LEAST_PER_OWNER = 4;

interface Occupant {
  readonly receiver: string;
  /** The shop, or the user. */
  readonly ownerId: string;
  readonly userId: string;
}

type Places = ReturnType<typeof openPlaces>;

function openPlaces() {
  const receivers = new Map<string, number>();
  const owners = new Map<string, { userId: string; held: number }>();
  const users = new Map<string, number>();
  let free = MAX_UNDER_WAY;

  // Alone a user comes to half of all places; n users who want everything come to one part each of
  // n + 1, and one part is still free. The same holds among the shops of a user.
  const roomOfOwner = (ownerId: string, userId: string): number => {
    const held = owners.get(ownerId)?.held ?? 0;
    const share = free - (users.get(userId) ?? 0) - held;
    return Math.min(free, Math.max(share, LEAST_PER_OWNER - held));
  };
  const change = ({ receiver, ownerId, userId }: Occupant, by: number): void => {
    free -= by;
    count(receivers, receiver, by);
    count(users, userId, by);
    const held = (owners.get(ownerId)?.held ?? 0) + by;
    if (held === 0) owners.delete(ownerId);
    else owners.set(ownerId, { userId, held });
  };

  return {
    get free(): number {
      return free;
    },
    /** How many more attempts may be begun for this receiver. */
    room: ({ receiver, ownerId, userId }: Occupant): number =>
      Math.min(MAX_PER_RECEIVER - (receivers.get(receiver) ?? 0), roomOfOwner(ownerId, userId)),
    take: (holder: Occupant): void => change(holder, 1),
    giveBack: (holder: Occupant): void => change(holder, -1),
    /** Those that may have nothing more at the moment. */
    full: () => ({
      receivers: [...receivers].filter(([, held]) => held >= MAX_PER_RECEIVER).map(([id]) => id),
      owners: [...owners]
        .filter(([id, { userId }]) => roomOfOwner(id, userId) <= 0)
        .map(([id]) => id),
    }),
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long to wait after the first failure, the second, … */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

const GONE = 410;

/** A status of null is an attempt without an answer; the failures count this one. */
function nextStep(
  { status, error }: Pick<AttemptOutcome, "status" | "error">,
  failures: number,
  endedAt: Date,
): Pick<AttemptOutcome, "state" | "nextAttemptAt"> {
  if (status !== null && status >= 200 && status < 300) {
    return { state: "delivered", nextAttemptAt: null };
  }
  if (error === "no address") return { state: "no_address", nextAttemptAt: null };
  const delayMs = RETRY_DELAYS_MS[failures - 1];
  // A receiver that says it is gone wants to hear no more.
  if (status === GONE || delayMs === undefined) return { state: "exhausted", nextAttemptAt: null };
  return { state: "waiting", nextAttemptAt: new Date(endedAt.getTime() + delayMs) };
}

/** Longer than any attempt, so that a lease runs out only where a process has died. */
const LEASE_MS = 60_000;
const MAX_CLAIM = 256;
/** Receivers for which nothing is due any more are cleared away so many times in a row. */
const MAX_ROUNDS = 100;

type Deliverer = ReturnType<typeof openDeliverer>;

function openDeliverer(app: App) {
  /** Attempts that have not ended, by the id of their event. */
  const underWay = new Map<string, Occupant>();
  const places = openPlaces();
  const abandoned = new AbortController();
  let started = 0;
  let closed = false;
  let claiming: Promise<unknown> = Promise.resolve();
  let refillIsQueued = false;
  /** Receivers of which more was due than they got. */
  const eager = new Set<string>();
  /** Whether somebody waits for a place that anybody may give back. */
  let isCrowded = false;
  let end = Promise.withResolvers<void>();
  const record = coalesce<AttemptOutcome, boolean>({
    run: async (outcomes) => {
      const written = await recordOutcomes(app.db, outcomes);
      return outcomes.map(({ id }) => written.has(id));
    },
  });

  /**
   * Claims what is due and starts its attempts; the answer is how many. It waits for none of them. One claim
   * at a time: the next one has to know what this one has started.
   */
  const start = (dueBy: Date): Promise<number> => {
    const claimed = claiming.then(() => claim(dueBy));
    claiming = claimed.catch(() => {});
    return claimed;
  };

  const claim = async (dueBy: Date): Promise<number> => {
    refillIsQueued = false;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const full = places.full();
      isCrowded = places.free === 0 || full.owners.length > 0;
      if (closed || places.free === 0) return 0;
      const wish = { dueBy, limit: MAX_CLAIM, limitPerReceiver: MAX_PER_RECEIVER, full };
      const turns = await findTurns(app.db, { ...wish, underWay: [...underWay.keys()] });
      const count = await claimTurns(dueBy, turns);
      if (count > 0 || turns.length < MAX_CLAIM) return count;
    }
    return 0;
  };

  const claimTurns = async (dueBy: Date, turns: readonly Turn[]): Promise<number> => {
    if (turns.length === 0) return 0;
    // Asked for before a place is taken: a clock that is wrong says so by throwing.
    const now = app.clock.now();
    const leaseEndsAt = new Date(now.getTime() + LEASE_MS);
    const taken = takePlaces(places, turns);
    noteEager(turns, taken);
    const eventIds = [...taken.keys()];
    let count = 0;
    try {
      const idle = turns.filter((turn) => turn.event_ids.length === 0);
      const whole = { dueBy, startedAt: now, leaseEndsAt, eventIds, idle };
      for await (const event of claimApart(app, whole)) {
        const holder = taken.get(event.id);
        if (holder === undefined) continue;
        taken.delete(event.id);
        count += 1;
        started += 1;
        void begin(event, holder);
      }
      return count;
    } finally {
      for (const holder of taken.values()) places.giveBack(holder);
    }
  };

  const noteEager = (turns: readonly Turn[], taken: ReadonlyMap<string, Occupant>): void => {
    for (const { receiver, event_ids: ids } of turns) {
      const got = ids.filter((id) => taken.has(id)).length;
      if (got < ids.length || got === MAX_PER_RECEIVER) eager.add(receiver);
      else eager.delete(receiver);
      // It may have more, but its owner or the owner's user may not.
      if (got < ids.length) isCrowded = true;
    }
  };

  const begin = async (event: ClaimedEvent, holder: Occupant): Promise<void> => {
    underWay.set(event.id, holder);
    await attempt(event);
    underWay.delete(event.id);
    places.giveBack(holder);
    end.resolve();
    end = Promise.withResolvers();
    if (eager.has(holder.receiver) || isCrowded) refill();
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
      const step = nextStep(answer, event.turn, app.clock.now());
      const { id, attempt: number, corrected_url: correctedUrl } = event;
      const kept = await record({ id, attempt: number, correctedUrl, ...answer, ...step });
      if (!kept) app.log.warn({ event: id }, "an attempt ended after its lease");
      else {
        tellOutcome(app, event, { ...answer, ...step });
        if (event.was_failing) await clearFailures(app.db, DELIVERIES, [id]);
      }
    } catch (error) {
      // When the lease is over the event is sent again: at least once, never lost.
      app.log.error({ err: error, event: event.id }, "an attempt's outcome could not be written");
      if (!mayPass(error)) await noteFailure(app, DELIVERIES, event.id, error).catch(() => {});
    }
  };

  return {
    start,
    /** How many attempts were ever started. */
    get started(): number {
      return started;
    },
    underWay: underWay as ReadonlyMap<string, Occupant>,
    /** Resolves when the next attempt ends, whichever it is. */
    nextEnd: (): Promise<void> => end.promise,
    /** When it resolves, nothing is started any more. */
    async close(): Promise<void> {
      closed = true;
      await claiming;
    },
    get closed(): boolean {
      return closed;
    },
    /** What is still under way is broken off and not written down: it will be sent again. */
    abandon: (): void => abandoned.abort(),
  };
}

/** One after another in the order of their turns, each as much as there is room for. */
function takePlaces(places: Places, turns: readonly Turn[]): Map<string, Occupant> {
  const taken = new Map<string, Occupant>();
  for (const { receiver, owner_id: ownerId, user_id: userId, event_ids: ids } of turns) {
    const holder = { receiver, ownerId, userId };
    for (const id of ids) {
      if (taken.size === MAX_CLAIM || places.room(holder) <= 0) break;
      places.take(holder);
      taken.set(id, holder);
    }
  }
  return taken;
}

/**
 * All of them together; where that fails, each alone, and the one at fault is left out for a while. What
 * is claimed is handed on at once: a failure further on keeps it from nobody.
 */
async function* claimApart(app: App, claim: EventClaim): AsyncGenerator<ClaimedEvent> {
  try {
    yield* await claimEvents(app.db, claim);
  } catch (failure) {
    if (mayPass(failure) || claim.eventIds.length === 0) throw failure;
    for (const id of claim.eventIds) {
      try {
        yield* await claimEvents(app.db, { ...claim, eventIds: [id], idle: [] });
      } catch (error) {
        if (mayPass(error)) throw error;
        await noteFailure(app, DELIVERIES, id, error);
      }
    }
  }
}

type Told = Pick<AttemptOutcome, "status" | "error" | "state">;

function tellOutcome(app: App, event: ClaimedEvent, told: Told): void {
  const { id, owner_id: owner, attempt } = event;
  const { status, error, state } = told;
  const outcome = state === "delivered" ? state : status === null ? "unanswered" : "refused";
  const help = "Attempts to deliver a webhook, by what came of them.";
  app.metrics.count("kopeck_deliveries_total", help, 1, { outcome });
  if (state === "delivered") return;
  const whose = event.is_of_shop ? { shop: owner } : { user: owner };
  const about = { event: id, ...whose, attempt, reason: status ?? error };
  const isLast = state === "exhausted";
  const message = isLast ? "a webhook was given up" : "a webhook was not taken";
  tellSeldom(app)(isLast ? "warn" : "info", owner, about, message);
}

type Answer = Pick<AttemptOutcome, "status" | "error" | "durationMs">;

async function send(app: App, event: ClaimedEvent, signal: AbortSignal): Promise<Answer> {
  const { body } = event;
  try {
    if (event.url === null) throw new OutgoingFailure("no address", 0);
    const { status, durationMs } = await app.http.post(event.url, {
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

/** Opening an owner's keys takes longer than all else that a delivery takes here. */
const signers = keptBySeal<Signer>();

/** What is signed, and with what; where there are no keys it cannot be sent. */
type Signed = Pick<ClaimedEvent, "id" | "owner_id" | "body" | "turn" | "old_until"> &
  Pick<ClaimedEvent, "key_sealed" | "secret_sealed" | "old_key_sealed" | "old_secret_sealed">;

export function headersOf(app: App, event: Signed): Record<string, string> {
  const { id, owner_id: ownerId, body, turn, old_until: oldUntil } = event;
  const sentAt = app.clock.now();
  const signer = (key: Buffer | null, secret: Buffer | null): Signer | undefined =>
    key && secret
      ? signers(app, ownerId, [key, secret], () =>
          signerOf(openPair(app.secrets, ownerId, key, secret)),
        )
      : undefined;
  const fresh = signer(event.key_sealed, event.secret_sealed);
  if (fresh === undefined) throw new OutgoingFailure("no webhook keys", 0);
  const isOver = oldUntil === null || oldUntil <= sentAt;
  const old = isOver ? undefined : signer(event.old_key_sealed, event.old_secret_sealed);
  return {
    "content-type": "application/json",
    "user-agent": "Kopeck",
    ...signed({ id, sentAt, body }, { fresh, old }, turn),
  };
}

const FINISH_WITHIN_MS = 3_000;
/** Another process may hold the lock of what is due: looking again is all that helps. */
const LOOK_AGAIN_MS = 100;

const delivererOf = perApp(openDeliverer);

export const deliverEventsJob = job({
  name: DELIVERIES,
  everyMs: 250,
  run: (app) => delivererOf(app).start(app.clock.now()),
  due: { nextAt: nextDeliveryAt, settle: deliverDue },
  async finish(app) {
    const deliverer = delivererOf(app);
    await deliverer.close();
    await Promise.race([idle(deliverer), sleep(FINISH_WITHIN_MS, undefined, { ref: false })]);
    deliverer.abandon();
    await idle(deliverer);
  },
});

/**
 * Delivers everything that is due now, whoever has started it, and resolves when all those attempts
 * have ended; the answer is how many were started meanwhile. What falls due later is left to the job.
 */
export async function deliverDue(app: App): Promise<number> {
  const deliverer = delivererOf(app);
  const dueBy = app.clock.now();
  const startedBefore = deliverer.started;
  while (!deliverer.closed) {
    const end = deliverer.nextEnd();
    if ((await deliverer.start(dueBy)) > 0) continue;
    if (!(await isAnythingDue(app.db, dueBy, [...deliverer.underWay.keys()]))) break;
    await Promise.race([end, sleep(LOOK_AGAIN_MS)]);
  }
  const awaited = new Set(deliverer.underWay.keys());
  while (awaited.values().some((id) => deliverer.underWay.has(id))) await deliverer.nextEnd();
  return deliverer.started - startedBefore;
}

/** When something next falls due, so that a clock that is moved can stop there. */
export function nextDeliveryAt(app: App): Promise<Date | undefined> {
  return nextClaimAt(app.db, [...delivererOf(app).underWay.keys()]);
}

async function idle({ underWay, nextEnd }: Deliverer): Promise<void> {
  while (underWay.size > 0) await nextEnd();
}
