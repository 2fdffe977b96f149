// Zones that change: where the server has not heard of it, days are those of our own rules all the same, of figures, of
// releases and of reconciliation; and an hour that a day has twice makes nothing of money twice.

import assert from "node:assert/strict";
import { it } from "node:test";
import { momentFormat } from "../src/domain/moment.ts";
import { applyImports } from "./imports.ts";
import { owners } from "./members.ts";
import { openQuietGateway } from "./one-gateway.ts";
import { statement1c } from "./statement-file.ts";

/** No other test has this zone; the server knows it twelve hours behind. */
const ZONE = "Pacific/Galapagos";
const LIKE = "Asia/Omsk";

const { DateTimeFormat } = Intl;
Intl.DateTimeFormat = function ofChangedRules(locale: string, options: object) {
  return new DateTimeFormat(locale, { ...options, timeZone: LIKE });
} as unknown as typeof DateTimeFormat;
momentFormat(ZONE);
Intl.DateTimeFormat = DateTimeFormat;

const { gateway, own, trade } = await openQuietGateway({ timeZone: ZONE });
const { mine } = await owners(gateway);

it("200: a day is the same here and where the server has other rules of the zone", async () => {
  // 15:00 of the first of March, and half an hour after its end.
  await trade.pay(await trade.order());
  await trade.pass(9.5 * 3600);
  const second = await trade.order({ amount: 2000 });
  await trade.pay(second);
  await trade.pass(120);
  const days = await own.get("statistics?from=2026-03-01&to=2026-03-03");
  assert.deepEqual(
    days.items.map(({ key, paid }: { key: string; paid: number }) => [key, paid]),
    [
      ["2026-03-01", 1],
      ["2026-03-02", 1],
    ],
  );
  const { items } = await mine.get("releases");
  assert.deepEqual(
    items.map((one: { day: string }) => one.day),
    ["2026-03-02", "2026-03-03"],
  );
});

it("200: money of the hour that is there twice is money once, whoever tells of it", async () => {
  const berlin = await openQuietGateway({ timeZone: "Europe/Berlin" });
  const past = (Date.parse("2026-10-25T01:39:00Z") - berlin.gateway.clock.now().getTime()) / 1000;
  await berlin.trade.pass(past);
  const order = await berlin.trade.order();
  await berlin.trade.pay(order, { made_at: "2026-10-25T01:39:30Z" });
  const { items } = await berlin.own.get(`requisites?wallet=${order.wallet.slice(-4)}`);
  const { account } = await berlin.own.post(`requisites/${items[0].requisite_id}/reveal`);
  const line = { sum: order.amount, time: "02:39:31" };
  const text = statement1c([{ account, days: { "2026-10-25": [line] } }]);
  const content = Buffer.from(text).toString("base64");
  await berlin.trade.pass(3600);
  await berlin.own.post("imports", { filename: "kl_to_1c.txt", content });
  await applyImports(berlin.gateway);
  const told = await berlin.own.get(`transfers?amount=${order.amount}`);
  assert.deepEqual(
    told.items.map(({ state }: { state: string }) => state),
    ["matched"],
  );
  const [row] = (await berlin.own.get("lines")).items;
  assert.equal(row.made_at, "2026-10-25T00:39Z/2026-10-25T01:39Z");
});
