// GET /manage/details-tallies: every hour of the period is there, and a period has an end. What is counted is tested
// beside count-details.job.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { countDetailsJob } from "../payments/count-details.job.ts";
import { noteDetails } from "../payments/details-count.ts";

const { gateway, own } = await openOneGateway();

it("200: by hour and by day of the service's time zone", async () => {
  gateway.clock.advance(13 * 60 * 60);
  noteDetails(gateway.app, SHOP.id, "limits");
  await countDetailsJob.run(gateway.app);
  const period = "from=2026-03-01&to=2026-03-03";
  const hours = await own.get(`details-tallies?${period}`);
  assert.equal(hours.items.length, 48);
  const found = hours.items.filter(({ limits }: { limits: number }) => limits > 0);
  const now = gateway.app.clock.now().toISOString();
  assert.deepEqual(
    found.map(({ key }: { key: string }) => key),
    [`${now.slice(0, 13)}:00:00.000Z`],
  );
  const days = await own.get(`details-tallies?${period}&by=day`);
  assert.deepEqual(
    days.items.map(({ key, limits }: { key: string; limits: number }) => [key, limits]),
    [
      ["2026-03-01", 0],
      ["2026-03-02", 1],
    ],
  );
});

it("422: more than 92 days", async () => {
  assert.equal((await own.refused("details-tallies?from=2025-01-01"))[0], 422);
});
