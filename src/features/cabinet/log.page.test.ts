// /my/log: what was changed, by whom.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { OWNER_TOKEN } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway } = await openOneGateway();

it("200: who, what, and what it is now; as a file, too", async () => {
  const cabinet = manage(gateway, OWNER_TOKEN, "cabinet");
  await cabinet.post(`shops/${SHOP.id}`, { title: "<b>Tea</b>" });
  const owner = await anna(gateway);
  const text = await owner.open("/my/log");
  assert.match(wordsIn(text), /Anna Shop changed Title <b>Tea<\/b>/);
  assert.ok(!text.includes("<b>Tea"));
  assert.match(await owner.open("/my/log.csv"), /shop\.update/);
});
