// Waiting for what must come, however busy the machine is; but not for ever.

import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 120_000;

export async function eventually(
  what: string,
  reached: () => boolean | Promise<boolean>,
  withinMs = PATIENCE_MS,
  everyMs = 5,
): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await reached())) {
    if (performance.now() > endsAt) throw new Error(`never came: ${what}`);
    await sleep(everyMs);
  }
}
