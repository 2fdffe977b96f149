// POST /sandbox/clock: time moves on, and everything that falls due has happened when the answer comes.

import Type from "typebox";
import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { integer } from "../../platform/field.ts";
import { moveClock } from "../merchants/installation-queries.ts";
import { operatorGate } from "../operators/operator.ts";
import { passTime } from "./due.ts";

const TEN_YEARS_SECONDS = 10 * 366 * 24 * 60 * 60;

/** A moment with five digits of a year is no longer the text that the database reads. */
const FURTHEST = new Date("9000-01-01T00:00:00Z");

export const moveSandboxClock = hotEndpoint({
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
  data: Type.Object({
    now: Type.String({ description: "The sandbox's time, YYYY-MM-DD HH:MM:SS." }),
  }),
  problems: "first",
  /** One set after another: time passes for one move at a time, and moves that meet are one. */
  async handleSet(app, calls) {
    const seconds = calls.reduce((sum, { input }) => sum + input.advance_seconds, 0);
    const until = addSeconds(app.clock.now(), seconds);
    if (until > FURTHEST) return calls.map(() => new Refusal("clock_too_far"));
    await moveClock(app.db, seconds);
    await passTime(app, until);
    const now = momentFormat(app.config.timeZone).text(app.clock.now());
    return calls.map(() => ({ now }));
  },
});
