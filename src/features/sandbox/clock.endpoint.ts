// /sandbox/clock: tells the time and moves it on. What falls due happens at its own moment.

import type { Static } from "typebox";
import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { nextTryAt } from "../../platform/db-dues.ts";
import { LockTimeout } from "../../platform/db-failure.ts";
import { endpoint, hotEndpoint } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { integer, Type } from "../../platform/field.ts";
import type { Job } from "../../platform/job.ts";
import { operatorGate, viewerGate } from "../operators/operator.ts";
import { moveClock } from "../operators/queries.ts";

const TEN_YEARS_SECONDS = 10 * 366 * 24 * 60 * 60;

const Data = Type.Object({
  now: Type.String({
    description: "The sandbox's time, YYYY-MM-DD HH:MM:SS.",
    examples: ["2026-03-01 12:00:00"],
  }),
});

function shown({ clock, config }: App): Static<typeof Data> {
  return { now: momentFormat(config.timeZone).text(clock.now()) };
}

export const getSandboxClock = endpoint({
  method: "GET",
  path: "/sandbox/clock",
  summary: "The time (sandbox only)",
  description: "The sandbox's own time, which can be moved.",
  gate: viewerGate,
  input: Type.Object({}),
  data: Data,
  problems: "first",
  handle: async (app) => shown(app),
});

export const moveSandboxClock = (jobs: readonly Job[]) =>
  hotEndpoint({
    method: "POST",
    path: "/sandbox/clock",
    summary: "Move time on (sandbox only)",
    description: "What falls due on the way happens at its own moment, before the answer comes.",
    gate: operatorGate,
    input: Type.Object({
      advance_seconds: integer(
        { min: 0, max: TEN_YEARS_SECONDS },
        { description: "How far; what falls due meanwhile happens.", examples: [86400] },
      ),
    }),
    data: Data,
    problems: "first",
    /** One set after another: time passes for one move at a time, and moves that meet are one. */
    async handleSet(app, calls) {
      const seconds = calls.reduce((sum, { input }) => sum + input.advance_seconds, 0);
      await passTime(app, jobs, seconds);
      return calls.map(() => shown(app));
    },
  });

/** A moment with five digits of a year is no longer the text that the database reads. */
const FURTHEST = new Date("9000-01-01T00:00:00Z");

/** Time never goes back, also where several move it on. */
export async function passTime(app: App, jobs: readonly Job[], seconds: number): Promise<void> {
  const until = addSeconds(app.clock.now(), seconds);
  if (until > FURTHEST) throw new Refusal("clock_too_far");
  await moveClock(app.db, seconds);
  await runDue(app, jobs);
  for (let last = 0; ; ) {
    const nextMs = await nextDueMs(app, jobs);
    // What is due and still there after its run is in somebody else's hands.
    if (nextMs > until.getTime() || nextMs === last) break;
    app.clock.moveTo(new Date(nextMs));
    await runDue(app, jobs);
    last = nextMs;
  }
  app.clock.moveTo(until);
  await runDue(app, jobs);
}

const LOCK_TRIES = 4;

/** A lock is waited for here, again and again: the call cannot be repeated, because time would pass twice. */
async function runDue(app: App, jobs: readonly Job[]): Promise<void> {
  for (const { due } of jobs) {
    for (let tries = 1; ; tries += 1) {
      try {
        await due?.settle(app);
        break;
      } catch (error) {
        if (!(error instanceof LockTimeout)) throw error;
        if (tries === LOCK_TRIES) throw new HttpFailure("unavailable");
      }
    }
  }
}

async function nextDueMs(app: App, jobs: readonly Job[]): Promise<number> {
  const moments = [...jobs.map(({ due }) => due?.nextAt(app)), nextTryAt(app.db)];
  const known = (await Promise.all(moments)).flatMap((moment) => moment?.getTime() ?? []);
  return Math.min(...known);
}
