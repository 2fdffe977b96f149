// Asking rails that are programs. Guards that whatever goes wrong on the way is no answer, and that nobody is
// waited for without end.

import { attemptKey, type Finding } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import { whyUnanswered } from "../../platform/outgoing.ts";
import { openDestination } from "./destination.ts";
import { sealedDestinations } from "./destination-queries.ts";
import { httpRail } from "./http-rail.ts";
import type { Payout } from "./queries.ts";
import type { RailOrder, RailProgram } from "./rail.ts";
import type { RailKind, RailRow } from "./rail-queries.ts";
import { sandboxRail } from "./sandbox-rail.ts";

export const ANSWER_WITHIN_SECONDS = 30;
const LOOK_WITHIN_SECONDS = 5;

/** The sandbox's plays with no real money. */
function programsOf({ config }: App): Partial<Record<RailKind, RailProgram>> {
  return config.mode === "sandbox" ? { http: httpRail, sandbox: sandboxRail } : { http: httpRail };
}

export function programKinds(app: App): RailKind[] {
  return Object.keys(programsOf(app)) as RailKind[];
}

export async function askRail(
  app: App,
  what: keyof RailProgram,
  rail: RailRow,
  order: RailOrder,
  stop: AbortSignal,
): Promise<Finding> {
  // A rail that hangs when it is asked must not hold up asking the others.
  const seconds = what === "look" ? LOOK_WITHIN_SECONDS : ANSWER_WITHIN_SECONDS;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(seconds * 1000)]);
  const found = await programsOf(app)
    [rail.kind]?.[what](app, rail, order, signal)
    .catch((error: unknown): Finding => {
      const { key: attempt } = order;
      app.log.warn({ err: error, attempt, rail: rail.code }, `a rail did not answer to ${what}`);
      return { kind: "unknown", detail: `The rail gave ${whyUnanswered(error, signal)}.` };
    });
  const answer = found ?? { kind: "unknown", detail: "Nobody can be asked." };
  const labels = { rail: rail.code, asked: what, answer: answer.kind };
  app.metrics.count("kopeck_rail_answers_total", "What rails have said of payouts.", 1, labels);
  return answer;
}

interface Sending {
  readonly payout: Payout;
  readonly number: number;
  readonly dispatchedAt: Date;
}

/** What rails are told of these; one whose number does not open is left out, and told of. */
export async function ordersOf(app: App, sendings: readonly Sending[]): Promise<RailOrder[]> {
  if (sendings.length === 0) return [];
  const ids = sendings.map(({ payout }) => payout.destinationId);
  const sealed = new Map((await sealedDestinations(app.db, ids)).map((one) => [one.id, one]));
  return sendings.flatMap(({ payout, number, dispatchedAt }) => {
    const { id: payoutId, service, bankId, currency, comment } = payout;
    try {
      const destination = sealed.get(payout.destinationId);
      if (destination === undefined) throw new Error("A payout goes nowhere.");
      const wallet = openDestination(app.secrets, destination);
      const key = attemptKey({ payoutId, number });
      const amountMinor = payout.receiveMinor;
      return [
        {
          payoutId,
          number,
          key,
          service,
          wallet,
          bankId,
          amountMinor,
          currency,
          comment,
          dispatchedAt,
        },
      ];
    } catch (error) {
      app.log.error({ err: error, payout: payoutId }, "a payout cannot be sent");
      return [];
    }
  });
}
