// What phones report, as figures that can be watched. Those that did not happen are counted, too: the first one is a
// step from 0, which an alert sees.

import type { App } from "../../platform/app.ts";
import { FATES } from "./source-nouns.ts";

/**
 * What became of a message, or that nothing did: no template reads it, its sender is none of the source's, or it
 * is none of our business.
 */
export const UNTAKEN = ["unread", "stranger", "ignored"] as const;
const OUTCOMES = [...FATES, ...UNTAKEN] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function countMessages({ metrics }: App, outcomes: readonly Outcome[]): void {
  for (const outcome of OUTCOMES) {
    const times = outcomes.filter((one) => one === outcome).length;
    const help = "Messages that phones have reported, by what became of them.";
    metrics.count("kopeck_messages_total", help, times, { outcome });
  }
}

export function countBlocked({ metrics }: App, by: number): void {
  metrics.count("kopeck_requisites_blocked_total", "Requisites that a bank blocked.", by);
}
