// Who calls: what a request shows is proven, for many at once. Guards that guessing is slow, and that whoever has
// the right secret never notices that somebody guesses.

import type { FastifyRequest } from "fastify";
import { addressBlock } from "./address.ts";
import type { App } from "./app.ts";
import { coalesce } from "./coalesce.ts";
import type { Credentials, Gate } from "./endpoint.ts";
import { HttpFailure } from "./failure.ts";
import { tellSeldom } from "./log-seldom.ts";
import { openThrottle } from "./throttle.ts";

export type Authenticate = (credentials: Credentials, request: FastifyRequest) => Promise<unknown>;

/** Wrong secrets for one identifier: guessing is slow, and the right secret never notices. */
const WRONG_SECRETS = { burst: 1_000, perSecond: 20 };

export function authenticator(app: App, gate: Gate<unknown>): Authenticate {
  const throttle = openThrottle(app.clock, WRONG_SECRETS);
  const lookUp = coalesce<Credentials, { principal: unknown }>({
    run: async (presented) => {
      const principals = await gate.lookUp(app, presented);
      return principals.map((principal) => ({ principal }));
    },
    onSet: (size, seconds) => app.metrics.setRun(gate.name, size, seconds),
  });
  return async (credentials, request) => {
    const { principal } = await lookUp(credentials);
    if (principal instanceof Error) throw principal;
    if (principal !== undefined) return principal;
    const from = addressBlock(request.ip);
    const about = { gate: gate.name, from, id: credentials.id };
    tellSeldom(app)("info", `${gate.name} ${from}`, about, "a wrong key or token");
    if (throttle.allows(`${from} ${credentials.id}`)) {
      throw gate.refusal(credentials.secret === "" ? gate.header : undefined);
    }
    throw new HttpFailure("too_many_requests", 1);
  };
}
