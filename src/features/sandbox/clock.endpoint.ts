// /sandbox/clock: what time it is, and moving it on, moment by moment: what falls due on the way happens at
// its own moment, as if the time had really passed, and has happened when the answer comes.

import Type from "typebox";
import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { nextTryAt } from "../../platform/db-failing-rows.ts";
import { endpoint, hotEndpoint } from "../../platform/endpoint.ts";
import { integer } from "../../platform/field.ts";
import type { Job } from "../../platform/job.ts";
import { moveClock } from "../merchants/installation-queries.ts";
import { operatorGate, viewerGate } from "../operators/operator.ts";

const TEN_YEARS_SECONDS = 10 * 366 * 24 * 60 * 60;

/** A moment with five digits of a year is no longer the text that the database reads. */
const FURTHEST = new Date("9000-01-01T00:00:00Z");

const Data = Type.Object({
  now: Type.String({ description: "The sandbox's time, YYYY-MM-DD HH:MM:SS." }),
});

function shown({ clock, config }: App): Type.Static<typeof Data> {
  return { now: momentFormat(config.timeZone).text(clock.now()) };
}

export const getSandboxClock = endpoint({
  method: "GET",
  path: "/sandbox/clock",
  summary: "The time (sandbox only)",
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
      const until = addSeconds(app.clock.now(), seconds);
      if (until > FURTHEST) return calls.map(() => new Refusal("clock_too_far"));
      await moveClock(app.db, seconds);
      await passTime(app, jobs, until);
      return calls.map(() => shown(app));
    },
  });

async function passTime(app: App, jobs: readonly Job[], until: Date): Promise<void> {
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

async function runDue(app: App, jobs: readonly Job[]): Promise<void> {
  for (const { due } of jobs) await due?.settle(app);
}

async function nextDueMs(app: App, jobs: readonly Job[]): Promise<number> {
  const moments = [...jobs.map(({ due }) => due?.nextAt(app)), nextTryAt(app.db)];
  const known = (await Promise.all(moments)).flatMap((moment) => moment?.getTime() ?? []);
  return Math.min(...known);
}
