// Why details were refused, and how often an amount was raised: counted in memory, so that no answer waits for it,
// until the job of count-details.job.ts writes it down. Guards that memory is bounded, whoever asks how often.

import { Refusal, type RefusalCode } from "../../domain/refusal.ts";
import type { WhyNone } from "../../domain/requisite.ts";
import { type App, perApp } from "../../platform/app.ts";

export type DetailsTally = WhyNone | "share" | "invoice" | "raised";

export interface DetailsCount {
  readonly hour: string;
  readonly shopId: string;
  readonly outcome: DetailsTally;
  times: number;
}

const HOUR_MS = 60 * 60 * 1000;
/** Of shops, hours and outcomes; beyond it nothing new is counted until it was written down. */
const MOST = 20_000;

const countsOf = perApp(() => new Map<string, DetailsCount>());

export function noteDetails(app: App, shopId: string, outcome: DetailsTally): void {
  const hour = new Date(Math.floor(app.clock.now().getTime() / HOUR_MS) * HOUR_MS).toISOString();
  add(app, { hour, shopId, outcome, times: 1 });
}

function add(app: App, count: DetailsCount): void {
  const counts = countsOf(app);
  const key = `${count.shopId} ${count.outcome} ${count.hour}`;
  const known = counts.get(key);
  if (known !== undefined) known.times += count.times;
  else if (counts.size < MOST) counts.set(key, { ...count });
}

/** Whatever else is refused, it is for how the invoice stands. */
const KINDS: Partial<Record<RefusalCode, DetailsTally>> = {
  share_used_up: "share",
  method_unavailable: "off",
  h2h_unavailable: "off",
  fee_reaches_amount: "off",
};

export function noteAnswer(app: App, shopId: string, answer: unknown): void {
  // Who asks for what is not theirs, or nobody's, says nothing about requisites.
  if (!(answer instanceof Refusal) || answer.code === "invoice_not_found") return;
  const why = answer.params["why"] as WhyNone | undefined;
  noteDetails(app, shopId, why ?? KINDS[answer.code] ?? "invoice");
}

/** All that was counted since this was last called, handed on; what could not be written down comes back. */
export async function handOn(
  app: App,
  write: (counts: readonly DetailsCount[]) => Promise<void>,
): Promise<void> {
  const taken = [...countsOf(app).values()];
  if (taken.length === 0) return;
  countsOf(app).clear();
  try {
    await write(taken);
  } catch (error) {
    for (const count of taken) add(app, count);
    throw error;
  }
}
