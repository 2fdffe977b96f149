// Set-up is computed from what is there: what was undone is open again.

import assert from "node:assert/strict";
import { it } from "node:test";
import { USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, invite, joinByPassword, visitor, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);
const done = async (): Promise<number> =>
  Number(/(\d+) of \d+ done/.exec(wordsIn(await visit.open("/desk/setup")))?.[1]);

it("suggests a first payment that the newest shop's own terms and the requisites take", async () => {
  const rates = { shop_percent: 3, user_percent: 1, min_sum: 7, max_sum: 50_000 };
  const suggested = async () =>
    /"shop_id":"([^"]+)".*"amount":([\d.]+),"type":"link",.*(p2p_\w+)/
      .exec(wordsIn(await visit.open("/desk/setup")))
      ?.slice(1);
  const { items } = await own.get("requisites?enabled=true");
  const setSmallest = async (min_sum: number) => {
    for (const { requisite_id: id } of items) await own.post(`requisites/${id}`, { min_sum });
  };
  const newest = (await own.post("shops", { user_id: USER.id, name: "Kiosk" })).shop.shop_id;
  await setSmallest(1);
  await own.post("tariffs", { service: "p2p_card", ...rates });
  await own.post("tariffs", { service: "p2p_sbp", ...rates, min_sum: 90 });
  await own.post("tariffs", { service: "p2p_card", currency: "USD", ...rates, min_sum: 1 });
  assert.deepEqual(await suggested(), [newest, "7", "p2p_card"]);
  await setSmallest(25);
  assert.deepEqual(await suggested(), [newest, "25", "p2p_card"], "no requisite takes less");
  const of = { shop_id: newest, service: "p2p_card" };
  await own.post("tariffs", { ...of, ...rates, min_sum: 500 });
  assert.deepEqual(await suggested(), [newest, "90", "p2p_sbp"], "its own minimum");
  await own.post("tariffs", { ...of, ...rates, min_sum: 8, enabled: false });
  assert.deepEqual(await suggested(), [newest, "90", "p2p_sbp"], "nor what it has not");
  for (const gone of [of, { service: "p2p_sbp" }, { service: "p2p_card", currency: "USD" }])
    await own.post("tariffs/remove", gone);
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

it("an operator who was invited is a second one once they have come", async () => {
  const second = async () =>
    /A second operator (\S+ ?\S*) Large.*again\.( Invited.*?: \d)?/
      .exec(wordsIn(await visit.open("/desk/setup")))
      ?.slice(1);
  const { link } = await invite(own, "boris@example.com");
  assert.deepEqual(await second(), ["To do", " Invited, and not here yet: 1"]);
  await joinByPassword(visitor(gateway), gateway, link);
  assert.deepEqual(await second(), ["Done", undefined]);
});
