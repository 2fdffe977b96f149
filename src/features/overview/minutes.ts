// The last hour of this one process, minute by minute: the difference between how its counters stood at the end of a
// minute and of the one before. It is kept in memory, and begins anew with the process.

import { type App, perApp } from "../../platform/app.ts";
import { REQUEST_SECONDS, type Standing } from "../../platform/metrics.ts";

const MINUTES = 60;
/** Who waits there for news waits on purpose. */
const WAITING = /\/changes$|^GET \/(?:shops|account\/users)\/:\w+\/events$/;

export interface Minute {
  readonly ended_at: string;
  readonly requests: number;
  readonly per_second: number;
  readonly failed: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  readonly loop_lag_ms: number;
}

const keptBy = perApp((): { last?: Standing; readonly minutes: Minute[] } => ({ minutes: [] }));

export function minutesOf(app: App): readonly Minute[] {
  return keptBy(app).minutes;
}

/** What has happened since this was last called; the first call is where the first minute begins. */
export async function keepMinute(app: App): Promise<void> {
  const kept = keptBy(app);
  const now = await app.metrics.standing((endpoint) => !WAITING.test(endpoint));
  if (kept.last !== undefined) kept.minutes.push(between(kept.last, now, app.clock.now()));
  if (kept.minutes.length > MINUTES) kept.minutes.shift();
  kept.last = now;
}

function between(before: Standing, now: Standing, at: Date): Minute {
  const requests = now.all - before.all;
  const within = now.within.map((count, place) => count - (before.within[place] ?? 0));
  return {
    ...{ ended_at: at.toISOString(), requests, failed: now.failed - before.failed },
    per_second: rounded(requests / Math.max(now.upSeconds - before.upSeconds, 0.001)),
    p50_ms: millisecondsWithin(0.5, requests, within),
    p99_ms: millisecondsWithin(0.99, requests, within),
    loop_lag_ms: rounded(now.lagSeconds * 1000),
  };
}

/** As if requests lay evenly in the span that it falls into, as Prometheus says it; no more than the last one's end. */
function millisecondsWithin(share: number, all: number, within: readonly number[]): number | null {
  if (all === 0) return null;
  const wanted = share * all;
  const place = within.findIndex((count) => count >= wanted);
  if (place === -1) return (REQUEST_SECONDS.at(-1) ?? 0) * 1000;
  const [below, count] = [within[place - 1] ?? 0, within[place] ?? 0];
  const [from, to] = [REQUEST_SECONDS[place - 1] ?? 0, REQUEST_SECONDS[place] ?? 0];
  return rounded((from + ((to - from) * (wanted - below)) / (count - below)) * 1000);
}

/** To hundredths: nobody reads more. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
