// Set-up is computed from what is there: what was undone is open again.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);
const done = async (): Promise<number> =>
  Number(/(\d+) of \d+ done/.exec(wordsIn(await visit.open("/desk/setup")))?.[1]);

it("suggests a first payment that the tariffs take", async () => {
  const rates = { shop_percent: 3, user_percent: 1, min_sum: 7, max_sum: 50_000 };
  await own.post("tariffs", { service: "p2p_card", ...rates });
  assert.match(wordsIn(await visit.open("/desk/setup")), /"amount":7,"type":"link",.*p2p_card/);
});

it("counts what is done, and takes it back", async () => {
  const before = await done();
  await trade.pay(await trade.order());
  const rates = { shop_percent: 3, user_percent: 1, min_sum: 10, max_sum: 50_000 };
  for (const service of ["p2p_card", "p2p_sbp"]) await own.post("tariffs", { service, ...rates });
  const after = await done();
  assert.ok(after >= before + 2, `${before} ${after}`);
  await own.post("tariffs/remove", { service: "p2p_sbp" });
  assert.equal(await done(), after - 1);
});
