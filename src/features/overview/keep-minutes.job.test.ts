// The job of the minute says that nothing is left to do at once, so that it rests. What it keeps is tested beside
// read-minutes.endpoint.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { keepMinutesJob } from "./keep-minutes.job.ts";

const { gateway, own } = await openOneGateway();

it("keeps one minute a run", async () => {
  const count = async (): Promise<number> => (await own.get("health/minutes")).items.length;
  await keepMinutesJob.run(gateway.app);
  const before = await count();
  assert.equal(await keepMinutesJob.run(gateway.app), 0);
  assert.equal(await count(), before + 1);
});
