// GET /sandbox/clock: what time it is in the sandbox.

import Type from "typebox";
import { momentFormat } from "../../domain/moment.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { viewerGate } from "../operators/operator.ts";

export const getSandboxClock = endpoint({
  method: "GET",
  path: "/sandbox/clock",
  summary: "The time (sandbox only)",
  gate: viewerGate,
  input: Type.Object({}),
  data: Type.Object({
    now: Type.String({ description: "The sandbox's time, YYYY-MM-DD HH:MM:SS." }),
  }),
  problems: "first",
  async handle({ clock, config }) {
    return { now: momentFormat(config.timeZone).text(clock.now()) };
  },
});
