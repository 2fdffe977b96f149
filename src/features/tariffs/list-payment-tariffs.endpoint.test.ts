// GET /shops/{shopId}/payment-tariffs: what a shop reads of its tariffs. Secrets and identifiers are
// asked of every endpoint alike by test/contract.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { EMPTY_SHOP, LINK_SHOP, OTHER_SHOP, SHOP, URLS_SHOP } from "../../../test/cast.ts";
import { failureOf } from "../../../test/contract-doors.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

interface Tariff {
  readonly service: string;
  readonly service_label: string;
  readonly currency: string;
  readonly status: string;
}

const { gateway } = await openOneGateway();

const list = ({ id, key }: typeof SHOP, query = "") =>
  gateway.call(`/shops/${id}/payment-tariffs${query}`, { headers: { "x-api-key": key } });

const tariffsOf = async (shop: typeof SHOP): Promise<Tariff[]> => {
  const answer = await list(shop);
  assert.equal(answer.status, 200, answer.text);
  const { tariffs } = answer.body.data;
  return tariffs.toSorted((one: Tariff, other: Tariff) => one.service.localeCompare(other.service));
};

it("200: all fields of a tariff in the order of the specification, fees split, disabled ones too", async () => {
  const limits = { min_sum: 100, max_sum: 100000, currency: "RUB" };
  const sbp = { percent: 4, fix: 10, shop_percent: 4, user_percent: 0 };
  for (const shop of [SHOP, LINK_SHOP, OTHER_SHOP, URLS_SHOP]) {
    // One of them bears the whole fee itself.
    const parts = shop === URLS_SHOP ? [6, 0] : [4, 2];
    const card = { percent: 6, fix: 0, shop_percent: parts[0], user_percent: parts[1] };
    const tariffs = await tariffsOf(shop);
    assert.deepEqual(
      tariffs.map(({ service_label: _, ...numbers }) => numbers),
      [
        { ...card, ...limits, service: "card", status: "disabled" },
        { ...card, ...limits, service: "p2p_card", status: "enabled" },
        { ...sbp, ...limits, service: "p2p_sbp", status: "enabled" },
      ],
    );
    for (const tariff of tariffs) {
      assert.deepEqual(Object.keys(tariff), [
        "percent",
        "fix",
        "min_sum",
        "max_sum",
        "shop_percent",
        "user_percent",
        "service",
        "service_label",
        "currency",
        "status",
      ]);
      assert.match(tariff.service_label, /\p{Letter}/u);
      assert.notEqual(tariff.service_label, tariff.service);
    }
  }
});

it("200: shows fractions exactly and without noise", async () => {
  await gateway.app.db.query(
    `update tariffs set percent_ppm = 65050, shop_percent_ppm = 45040, user_percent_ppm = 20010,
       fix_minor = 1007, min_minor = 1099, max_minor = 9999999999999
     where shop_id = $1 and service = 'p2p_sbp'`,
    [OTHER_SHOP.id],
  );
  const { text } = await list(OTHER_SHOP);
  const numbers =
    '"percent":6.505,"fix":10.07,"min_sum":10.99,"max_sum":99999999999.99,"shop_percent":4.504,"user_percent":2.001';
  assert.ok(text.includes(numbers), text);
});

it("200: lists each currency of a method, and a method that was switched off at once", async () => {
  const { db } = gateway.app;
  await db.query(
    `insert into tariffs (shop_id, service, currency, percent_ppm, shop_percent_ppm,
       user_percent_ppm, fix_minor, min_minor, max_minor, enabled)
     values ($1, 'p2p_card', 'USD', 10000, 10000, 0, 0, 2, 100, true)`,
    [OTHER_SHOP.id],
  );
  const off = "update tariffs set enabled = false where shop_id = $1 and currency = 'RUB'";
  await db.query(off, [OTHER_SHOP.id]);
  const states = (await tariffsOf(OTHER_SHOP)).map(
    ({ service, currency, status }) => `${service} ${currency} ${status}`,
  );
  assert.deepEqual(states.toSorted(), [
    "card RUB disabled",
    "p2p_card RUB disabled",
    "p2p_card USD enabled",
    "p2p_sbp RUB disabled",
  ]);
});

it("404 for a shop without tariffs, also once its last one is gone", async () => {
  assert.match(failureOf(await list(EMPTY_SHOP), 404), /tariff/i);
  await gateway.app.db.query("delete from tariffs where shop_id = $1", [LINK_SHOP.id]);
  failureOf(await list(LINK_SHOP), 404);
});
