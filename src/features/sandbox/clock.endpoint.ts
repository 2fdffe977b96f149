// /sandbox/clock: what time it is, and moving it on: what falls due on the way has happened when the answer
// comes.

import type { Static } from "typebox";
import { momentFormat } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import { endpoint, hotEndpoint } from "../../platform/endpoint.ts";
import { integer } from "../../platform/field.ts";
import type { Job } from "../../platform/job.ts";
import { Type } from "../../platform/schema.ts";
import { operatorGate, viewerGate } from "../operators/operator.ts";
import { passTime } from "./time.ts";

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
