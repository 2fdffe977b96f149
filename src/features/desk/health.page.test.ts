// Health at the desk: what it is set to, and no secret.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway } = await openOneGateway();

it("shows version, database and settings", async () => {
  const words = wordsIn(await (await anna(gateway)).open("/desk/health"));
  assert.match(words, /Version \d.*Database.*KOPECK_TIME_ZONE/);
  assert.doesNotMatch(words, /SECRET/);
});
