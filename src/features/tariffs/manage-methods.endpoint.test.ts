// Payment methods through /manage: a new freeze holds for the money that comes after it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();

it("200: a new freeze holds for new money, not for what is frozen already", async () => {
  await trade.pay(await trade.order());
  const path = "services/p2p_card";
  const { answer, logged } = await trade.audited(() => own.post(path, { freeze_seconds: HOUR }));
  const before = { service: "p2p_card", label: "Перевод на карту", freeze_seconds: DAY };
  assert.deepEqual(answer, { ...before, freeze_seconds: HOUR });
  assert.deepEqual(logged, ["service.update", "p2p_card", before, answer]);
  // Details that were issued before count by when their money comes.
  await trade.pay(await trade.order());
  assert.deepEqual(await trade.balance(), [192_000, 0, 192_000]);
  await trade.pass(HOUR - 1);
  assert.deepEqual(await trade.balance(), [192_000, 0, 192_000]);
  await trade.pass(1);
  assert.deepEqual(await trade.balance(), [192_000, 96_000, 96_000]);
  await trade.pass(DAY);
  assert.deepEqual(await trade.balance(), [192_000, 192_000, 0]);
  await assertBooksAreRight(gateway);
});

it("200: no freeze at all: the money is free with the next run of the jobs", async () => {
  await own.post("services/p2p_card", { freeze_seconds: 0 });
  const [, available = 0] = await trade.balance();
  await trade.pay(await trade.order());
  await trade.pass(0);
  assert.equal((await trade.balance())[1], available + 96_000);
  await assertBooksAreRight(gateway);
});

it("200: a new name is what shops see; what is left out stays", async () => {
  const before = (await own.get("services")).items[2];
  assert.deepEqual(await own.post("services/p2p_sbp"), before);
  await own.post("services/p2p_sbp", { label: "СБП" });
  const tariffs = await gateway.call(`/shops/${SHOP.id}/payment-tariffs`, {
    headers: { "x-api-key": SHOP.key },
  });
  assert.equal(tariffs.status, 200, tariffs.text);
  assert.match(tariffs.text, /"service_label":"СБП"/);
  assert.equal((await own.get("services")).items[2].freeze_seconds, HOUR);
});

it("404 for a method that does not exist, without a trace", async () => {
  await trade.refusedWithoutTrace(404, [
    ["services/P2P_CARD", { freeze_seconds: 1 }],
    ["services/cash", {}],
    ["services/%25", { label: "x" }],
  ]);
});

it("422 for a freeze or a name that cannot be, without a trace", async () => {
  const wrong = [-1, 1.5, "60", 366 * DAY + 1, 1e21, true, {}].map((freeze_seconds) => ({
    freeze_seconds,
  }));
  await trade.refusedWithoutTrace(422, [
    ...wrong.map((body) => ["services/p2p_card", body] as const),
    ["services/p2p_card", { label: "a\0b" }],
    ["services/p2p_card", { label: "x".repeat(101) }],
    ["services/%00", { label: "x" }],
    ["services/p2p_card", []],
  ]);
});
