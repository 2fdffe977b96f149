// GET /manage/health/minutes: what a minute had is the difference between two looks, and no more than 60 are kept.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { keepMinutesJob } from "./keep-minutes.job.ts";

const { gateway, own } = await openOneGateway();
const keep = () => keepMinutesJob.run(gateway.app);

interface Minute {
  readonly requests: number;
  readonly failed: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

it("200: requests, failures and percentiles of each minute, between two looks", async () => {
  await keep();
  const { metrics } = gateway.app;
  // Half of them took 1 to 2.5 ms, the others 50 to 100; who waits for news waits on purpose.
  for (let turn = 0; turn < 50; turn += 1) {
    metrics.requestDone("GET /quick", 200, 0.002);
    metrics.requestDone("GET /slow", turn === 0 ? 500 : 200, 0.07);
    metrics.requestDone("GET /shops/:shopId/events", 200, 9);
  }
  await keep();
  const last: Minute = (await own.get("health/minutes")).items.at(-1);
  assert.deepEqual([last.requests, last.failed, last.p50_ms], [100, 1, 2.5]);
  assert.ok(Number(last.p99_ms) > 50 && Number(last.p99_ms) <= 100, String(last.p99_ms));
});

it("200: a minute without requests has no percentiles, and 60 minutes are kept", async () => {
  await keep();
  await keep();
  const { items } = await own.get("health/minutes");
  const { requests, p50_ms, p99_ms } = items.at(-1);
  assert.deepEqual([requests, p50_ms, p99_ms], [0, null, null]);
  for (let turn = 0; turn < 70; turn += 1) await keep();
  assert.equal((await own.get("health/minutes")).items.length, 60);
});
