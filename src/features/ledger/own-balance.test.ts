// /cabinet/balance, /cabinet/entries, /cabinet/releases: three parts that add up to what the entries have moved, and
// days that add up to what is frozen.

import assert from "node:assert/strict";
import { it } from "node:test";
import { owners } from "../../../test/members.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";

const { gateway, trade } = await openQuietGateway();
const { mine, theirs } = await owners(gateway);

type Parts = { available: number; frozen: number; reserved: number };

it("200: available, frozen and reserved, and each posting that made them", async () => {
  await pauseRail(gateway);
  await trade.pay(await trade.order());
  await trade.pass(DAY);
  trade.tick();
  await payouts(gateway, trade).made({ amount: 100 });
  await trade.pay(await trade.order());
  const { items } = await mine.get("balance");
  assert.deepEqual(items, [{ currency: "RUB", available: 860, frozen: 960, reserved: 100 }]);
  const entries: { items: (Parts & { kind: string })[] } = await mine.get("entries?currency=RUB");
  assert.deepEqual(
    entries.items.map(({ kind }) => kind),
    ["transfer_matched", "payout_reserved", "freeze_over", "transfer_matched"],
  );
  const sum = (part: keyof Parts) => entries.items.reduce((all, one) => all + one[part], 0);
  assert.deepEqual([sum("available"), sum("frozen"), sum("reserved")], [860, 960, 100]);
});

it("200: of another merchant nothing, page by page", async () => {
  assert.deepEqual((await theirs.get("entries")).items, []);
  const first = await mine.get("entries?limit=3");
  const rest = await mine.get(`entries?limit=3&after=${first.next}`);
  assert.deepEqual([first.items.length, rest.items.length, rest.next], [3, 1, null]);
});

it("200: what is frozen by the day of its release; what nobody has proven has none; nothing is left out", async () => {
  await trade.pay(await trade.order({ include_service: ["p2p_sbp"] }));
  await trade.pass(DAY / 2);
  const unproven = await trade.order();
  await trade.pay(unproven);
  await gateway.app.db.query("update ledger_freezes set needs_proof = true where payment_id = $1", [
    unproven.paymentId,
  ]);
  await trade.pay(await trade.order({ amount: 3000 }));
  const frozen = async () => (await mine.get("balance")).items[0].frozen;
  const days = async () =>
    (await mine.get("releases")).items.map(
      (one: { day: string | null; credits: number; amount: number }) => [
        one.day,
        one.credits,
        one.amount,
      ],
    );
  const found = await days();
  const sum = (rows: [string, number, number][]) => rows.reduce((all, one) => all + one[2], 0);
  assert.equal(sum(found), await frozen());
  assert.deepEqual(
    found.map(([day]: [string]) => day),
    ["2026-03-03", "2026-03-04", null].slice(-found.length),
  );
  // Due, and not released yet: it is today's.
  gateway.clock.advance(3 * DAY);
  assert.equal(sum(await days()), await frozen());
  assert.deepEqual((await theirs.get("releases")).items, []);
});
