// Sends queued payouts through programs: claimed, marked, sent, answered. Nothing is sent before
// the marker is written, and a rail that hangs delays no other.

import { setTimeout as sleep } from "node:timers/promises";
import { addSeconds } from "../../domain/moment.ts";
import type { RailAnswer } from "../../domain/payout.ts";
import { type App, perApp } from "../../platform/app.ts";
import { coalesce } from "../../platform/coalesce.ts";
import { job } from "../../platform/job.ts";
import { markAttempts } from "./attempt-queries.ts";
import { claimPayouts, type Heard, recordAnswers, type Told } from "./attempts.ts";
import { ANSWER_WITHIN_SECONDS, askRail, ordersOf, programKinds, type RailOrder } from "./rail.ts";
import { holdOpenRail, nextInLineAt, type RailRow, railsWithWork } from "./rail-queries.ts";

/** Of one rail, so many at once. */
const MAX_UNDER_WAY = 16;
/** Longer than any answer is waited for. */
const LEASE_SECONDS = 60;

function openSender(app: App) {
  const underWay = new Set<Promise<void>>();
  /** By the rail's code, how many of them are its own; and rails for which more stands in line. */
  const busy = new Map<string, number>();
  const crowded = new Set<string>();
  const stopping = new AbortController();
  let closed = false;
  let claiming: Promise<unknown> = Promise.resolve();

  const record = coalesce<Told, Heard>({
    run: (told) => app.db.transaction((tx) => recordAnswers(tx, app, told)),
  });

  /** Claims what stands in line and begins to send it; the answer is how many. One claim at a time. */
  const start = (): Promise<number> => {
    const claimed = claiming.then(claim);
    claiming = claimed.catch(() => {});
    return claimed;
  };

  const claim = async (): Promise<number> => {
    let count = 0;
    if (closed) return count;
    for (const code of await railsWithWork(app.db, programKinds(app), app.clock.now())) {
      const room = MAX_UNDER_WAY - (busy.get(code) ?? 0);
      const claimed = room > 0 ? await claimFor(code, room) : 0;
      if (claimed === room) crowded.add(code);
      count += claimed;
    }
    return count;
  };

  const claimFor = async (code: string, limit: number): Promise<number> => {
    const { rail, claims } = await app.db.transaction(async (tx) => {
      // What is claimed keeps the address as it is here, until it has ended.
      const open = await holdOpenRail(tx, code);
      if (open === undefined) return { claims: [] };
      const { services } = open;
      const how = { leaseSeconds: LEASE_SECONDS, isDispatched: false };
      const taken = await claimPayouts(tx, app, { rail: code, services, limit, ...how });
      return { rail: open, claims: taken };
    });
    if (rail === undefined) return 0;
    const dispatchedAt = app.clock.now();
    const orders = await ordersOf(
      app,
      claims.map((one) => ({ ...one, dispatchedAt })),
    );
    const marked = await markAttempts(app.db, orders, dispatchedAt);
    // A process that stood still until then is taken for dead: people may have said that nothing has left.
    if (app.clock.now() >= addSeconds(dispatchedAt, LEASE_SECONDS - ANSWER_WITHIN_SECONDS)) {
      app.log.error({ rail: code }, "stood still after marking payouts, and sends none of them");
      return claims.length;
    }
    for (const order of orders) if (marked.has(order.payoutId)) begin(rail, order);
    return claims.length;
  };

  const begin = (rail: RailRow, order: RailOrder): void => {
    const { code } = rail;
    busy.set(code, (busy.get(code) ?? 0) + 1);
    const sending = send(rail, order).finally(() => {
      underWay.delete(sending);
      busy.set(code, (busy.get(code) ?? 1) - 1);
      // A place became free for which somebody waits: it need not wait for the next run.
      if (crowded.delete(code) && app.clock.isRight()) start().catch(tell);
    });
    underWay.add(sending);
  };

  const send = async (rail: RailRow, order: RailOrder): Promise<void> => {
    const { payoutId, number, key } = order;
    const answer = answered(await askRail(app, "send", rail, order, stopping.signal));
    // Where it cannot be written down, the end of the lease makes it unknown, and somebody looks.
    await record({ payoutId, number, answer }).catch((error: unknown) =>
      app.log.error({ err: error, attempt: key }, "a rail's answer could not be written"),
    );
  };

  const tell = (error: unknown): void =>
    app.log.error({ err: error }, "claiming payouts failed; the next run claims them");

  return {
    start,
    underWay: underWay as ReadonlySet<Promise<void>>,
    /** When it resolves, nothing is begun any more. */
    async close(): Promise<void> {
      closed = true;
      await claiming;
    },
    /** What is still under way is broken off: nobody knows what comes of it. */
    abandon: (): void => stopping.abort(),
  };
}

/** Whoever was told to send has something to say. */
function answered(found: Awaited<ReturnType<typeof askRail>>): RailAnswer {
  return found.kind === "not_found" ? { kind: "unknown", detail: "The rail has lost it." } : found;
}

const FINISH_WITHIN_MS = 5_000;

const LOOKS_AGAIN = 100;
const LOOK_AGAIN_MS = 20;

const senderOf = perApp(openSender);

export const sendPayoutsJob = job({
  name: "send-payouts",
  everyMs: 250,
  run: (app) => senderOf(app).start(),
  due: {
    nextAt: (app) => nextInLineAt(app.db, programKinds(app), app.clock.now()),
    settle: sendDue,
  },
  async finish(app) {
    const sender = senderOf(app);
    await sender.close();
    const ends = Promise.all(sender.underWay);
    await Promise.race([ends, sleep(FINISH_WITHIN_MS, undefined, { ref: false })]);
    sender.abandon();
    await ends;
  },
});

/** Everything that stands in line was sent and answered when this ends. */
async function sendDue(app: App): Promise<void> {
  const { start, underWay } = senderOf(app);
  for (let patience = LOOKS_AGAIN; patience > 0; patience -= 1) {
    while ((await start()) > 0 || underWay.size > 0) await Promise.all(underWay);
    if ((await railsWithWork(app.db, programKinds(app), app.clock.now())).length === 0) return;
    // Somebody holds what stands in line: looking again is all that helps.
    await sleep(LOOK_AGAIN_MS);
  }
}
