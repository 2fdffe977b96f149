// Phones that fall silent, by the clock: one warning, a figure, and requisites that rest until they are heard.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { openPhone } from "../../../test/phone.ts";
import { watchSourcesJob } from "./watch-sources.job.ts";

const SOURCE = "00000000-0000-4000-8000-000000000301";
const { gateway, own, trade } = await openOneGateway();
// Of the sandbox's own phone silence says nothing: it has never sent a heartbeat.
await own.post(`sources/${SOURCE}`, { requisite_ids: [] });

const look = () => watchSourcesJob.run(gateway.app);
const warnings = () =>
  gateway.log.filter((line) => line.includes("a phone is silent while payments are under way"));
const resting = async (): Promise<number> =>
  (await own.get("requisites?limit=200")).items.filter(
    (one: { resting_since: string | null }) => one.resting_since !== null,
  ).length;
const isGiven = async (): Promise<boolean> => {
  trade.tick();
  const { body } = await createInvoice(gateway);
  return (await createH2h(gateway, body.data.id)).status === 200;
};
const figure = async (): Promise<string | undefined> =>
  /kopeck_sources_silent (\d+)/.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1];

it("a phone that has never sent a heartbeat is not watched", async () => {
  const quiet = await openPhone(gateway);
  await quiet.hears("Хорошего дня!");
  assert.equal(await isGiven(), true);
  gateway.clock.advance(11 * MINUTE);
  await look();
  assert.deepEqual([warnings().length, await resting(), await figure()], [0, 0, "0"]);
  await own.post(`sources/${quiet.id}/revoke`);
});

it("silence of all phones of a requisite: one warning, and it rests until one of them is heard", async () => {
  const one = await openPhone(gateway);
  const two = await openPhone(gateway);
  for (const phone of [one, two]) await phone.report({ messages: [] });
  assert.equal(await isGiven(), true);
  gateway.clock.advance(9 * MINUTE);
  await two.hears([]);
  gateway.clock.advance(2 * MINUTE);
  await look();
  await look();
  // One of the two is silent: it is told of once, and the other one still tells of the money.
  assert.deepEqual([warnings().length, await resting(), await figure()], [1, 0, "1"]);
  assert.equal(await isGiven(), true);
  const silent = (await own.get("sources")).items.filter(
    (each: { silent_since: string | null }) => each.silent_since,
  );
  assert.deepEqual(
    silent.map((each: { source_id: string }) => each.source_id),
    [one.id],
  );

  gateway.clock.advance(9 * MINUTE);
  await look();
  assert.deepEqual([warnings().length, await resting(), await figure()], [2, 6, "2"]);
  // A phone of theirs that was revoked is nobody who would be heard: they go on resting.
  await look();
  assert.deepEqual([warnings().length, await resting()], [2, 6]);
  assert.equal(await isGiven(), false);
  const limited = { requisite_ids: ["00000000-0000-4000-8000-000000000101"] };
  await own.post(`sources/${one.id}`, limited);
  await one.hears([]);
  assert.equal(await resting(), 5);
  assert.equal(await isGiven(), true);
  await two.hears("Хорошего дня!");
  await look();
  assert.deepEqual([warnings().length, await resting(), await figure()], [2, 0, "0"]);
});

it("a requisite whose silent phones are revoked does not rest for ever", async () => {
  gateway.clock.advance(11 * MINUTE);
  await look();
  assert.equal(await resting(), 6);
  const { items } = await own.get("sources");
  for (const { source_id, revoked_at } of items) {
    if (revoked_at === null) await own.post(`sources/${source_id}/revoke`);
  }
  await look();
  assert.equal(await resting(), 0);
});
