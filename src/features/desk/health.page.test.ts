// Health at the desk: what it is set to, and no secret.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";
import { keepMinutesJob } from "../overview/keep-minutes.job.ts";

const { gateway } = await openOneGateway();

it("draws the last hour of this process, and says that it is of this one", async () => {
  const visit = await anna(gateway);
  for (let turn = 0; turn < 2; turn += 1) await keepMinutesJob.run(gateway.app);
  await visit.open("/desk/health");
  await keepMinutesJob.run(gateway.app);
  const words = wordsIn(await visit.open("/desk/health"));
  assert.match(words, /Of the one process that made this page/);
  assert.match(words, /Requests a second All Failed.*How long they took.*\d.ms/);
});

it("shows version, database and settings", async () => {
  const words = wordsIn(await (await anna(gateway)).open("/desk/health"));
  assert.match(words, /Version \d.*Database.*KOPECK_TIME_ZONE/);
  assert.doesNotMatch(words, /SECRET/);
});
