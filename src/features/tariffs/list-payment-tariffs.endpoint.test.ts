// GET /shops/{shopId}/payment-tariffs over HTTP, by status.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EMPTY_SHOP, LINK_SHOP, OTHER_SHOP, SHOP, URLS_SHOP, USER } from "../../../test/cast.ts";
import { failureOf } from "../../../test/contract-doors.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { keyDigest } from "../merchants/principal.ts";

interface Tariff {
  readonly service: string;
  readonly service_label: string;
  readonly currency: string;
  readonly status: string;
}

const KEYS = [
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
];

onEachEngine("GET /shops/{shopId}/payment-tariffs", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const list = (shopId: string, key?: string) =>
    gateway.call(`/shops/${shopId}/payment-tariffs`, { headers: { "x-api-key": key } });

  const tariffsOf = async (shop: { id: string; key: string }) => {
    const answer = await list(shop.id, shop.key);
    assert.equal(answer.status, 200, answer.text);
    const tariffs: Tariff[] = answer.body.data.tariffs;
    return tariffs;
  };

  /** Without the names, which are the operator's words, in the order of the codes. */
  const numbersOf = async (shop: { id: string; key: string }) =>
    (await tariffsOf(shop))
      .map(({ service_label: _, ...rest }) => rest)
      .toSorted((left, right) => left.service.localeCompare(right.service));

  const limits = { min_sum: 100, max_sum: 100000, currency: "RUB" };

  describe("200", () => {
    it("carries the envelope and all fields of a tariff, in the order of the specification", async () => {
      const answer = await list(SHOP.id, SHOP.key);
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(answer.body), ["data", "status", "status_check"]);
      assert.equal(answer.body.status, 200);
      assert.equal(answer.body.status_check, true);
      assert.deepEqual(Object.keys(answer.body.data), ["tariffs"]);
      assert.equal(answer.body.data.tariffs.length, 3);
      for (const tariff of answer.body.data.tariffs) {
        assert.deepEqual(Object.keys(tariff), KEYS);
        assert.equal(typeof tariff.service_label, "string");
        assert.notEqual(tariff.service_label, "");
        assert.notEqual(tariff.service_label, tariff.service);
      }
    });

    for (const shop of [SHOP, LINK_SHOP, OTHER_SHOP]) {
      it(`splits the commission of shop …${shop.id.slice(-4)} and shows the disabled card`, async () => {
        const card = { percent: 6, fix: 0, shop_percent: 4, user_percent: 2 };
        const sbp = { percent: 4, fix: 10, shop_percent: 4, user_percent: 0 };
        assert.deepEqual(await numbersOf(shop), [
          { ...card, ...limits, service: "card", status: "disabled" },
          { ...card, ...limits, service: "p2p_card", status: "enabled" },
          { ...sbp, ...limits, service: "p2p_sbp", status: "enabled" },
        ]);
      });
    }

    it("charges everything to the shop that has it so", async () => {
      const card = { percent: 6, fix: 0, shop_percent: 6, user_percent: 0 };
      const sbp = { percent: 4, fix: 10, shop_percent: 4, user_percent: 0 };
      assert.deepEqual(await numbersOf(URLS_SHOP), [
        { ...card, ...limits, service: "card", status: "disabled" },
        { ...card, ...limits, service: "p2p_card", status: "enabled" },
        { ...sbp, ...limits, service: "p2p_sbp", status: "enabled" },
      ]);
    });

    it("takes the identifier in capital letters too", async () => {
      const { db, secrets, clock } = gateway.app;
      const id = "abcdefab-cdef-4000-8def-abcdefabcdef";
      await db.query(
        `insert into shops (id, user_id, name, h2h_enabled, created_at)
         values ($1, $2, 'letters', true, $3)`,
        [id, USER.id, clock.now()],
      );
      await db.query(
        "insert into api_keys (id, shop_id, digest, created_at) values ($1, $1, $2, $3)",
        [id, keyDigest(secrets, id, "letters"), clock.now()],
      );
      await db.query(
        `insert into tariffs select $1, service, currency, percent_ppm, shop_percent_ppm,
           user_percent_ppm, fix_minor, min_minor, max_minor, enabled
         from tariffs where shop_id = $2`,
        [id, SHOP.id],
      );
      const answer = await list(id.toUpperCase(), "letters");
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, (await list(id, "letters")).text);
    });

    it("ignores query parameters that it does not know", async () => {
      const path = `/shops/${SHOP.id}/payment-tariffs?shopId=${OTHER_SHOP.id}&x=1&x=2`;
      const answer = await gateway.call(path, { headers: { "x-api-key": SHOP.key } });
      assert.equal(answer.status, 200);
    });

    it("shows fractions exactly and without noise", async () => {
      await gateway.app.db.query(
        `update tariffs set percent_ppm = 65050, shop_percent_ppm = 45040, user_percent_ppm = 20010,
           fix_minor = 1007, min_minor = 1099, max_minor = 9999999999999
         where shop_id = $1 and service = 'p2p_sbp'`,
        [OTHER_SHOP.id],
      );
      const answer = await list(OTHER_SHOP.id, OTHER_SHOP.key);
      assert.ok(
        answer.text.includes(
          '"percent":6.505,"fix":10.07,"min_sum":10.99,"max_sum":99999999999.99,"shop_percent":4.504,"user_percent":2.001',
        ),
        answer.text,
      );
    });

    it("lists each currency of a method, and a method that was switched off at once", async () => {
      await gateway.app.db.query(
        `insert into tariffs (shop_id, service, currency, percent_ppm, shop_percent_ppm,
           user_percent_ppm, fix_minor, min_minor, max_minor, enabled)
         values ($1, 'p2p_card', 'USD', 10000, 10000, 0, 0, 2, 100, true)`,
        [OTHER_SHOP.id],
      );
      await gateway.app.db.query(
        "update tariffs set enabled = false where shop_id = $1 and currency = 'RUB'",
        [OTHER_SHOP.id],
      );
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
  });

  describe("401", () => {
    for (const [name, id, key] of [
      ["a wrong key", SHOP.id, "sandbox_shop_kez"],
      ["a key in other letters", SHOP.id, SHOP.key.toUpperCase()],
      ["a key with something after it", SHOP.id, `${SHOP.key}x`],
      ["an empty key", SHOP.id, ""],
      ["no key", SHOP.id, undefined],
      ["a key of another shop of the same user", SHOP.id, URLS_SHOP.key],
      ["a key of another user's shop", SHOP.id, OTHER_SHOP.key],
      ["another shop's identifier", OTHER_SHOP.id, SHOP.key],
      ["the secret of the shop's user", SHOP.id, USER.secret],
      ["an unknown shop", "00000000-0000-4000-8000-0000000000ff", SHOP.key],
      ["a user's identifier", USER.id, SHOP.key],
      ["a shop without tariffs and a wrong key", EMPTY_SHOP.id, SHOP.key],
    ] as const) {
      it(name, async () => {
        failureOf(await list(id, key), 401);
      });
    }

    it("the key in the users' header", async () => {
      const headers = { "x-api-signature-sha256": SHOP.key };
      failureOf(await gateway.call(`/shops/${SHOP.id}/payment-tariffs`, { headers }), 401);
    });
  });

  describe("404", () => {
    it("the shop has no tariffs", async () => {
      const message = failureOf(await list(EMPTY_SHOP.id, EMPTY_SHOP.key), 404);
      assert.match(message, /tariff/i);
    });

    it("the shop's last tariff is gone", async () => {
      await gateway.app.db.query("delete from tariffs where shop_id = $1", [LINK_SHOP.id]);
      failureOf(await list(LINK_SHOP.id, LINK_SHOP.key), 404);
    });
  });

  describe("422", () => {
    for (const [name, id] of [
      ["no UUID", "42"],
      ["a UUID without hyphens", SHOP.id.replaceAll("-", "")],
      ["a UUID that lacks a character", SHOP.id.slice(0, -1)],
      ["a UUID with one too many", `${SHOP.id}0`],
      ["a UUID with a letter past f", `${SHOP.id.slice(0, -1)}g`],
      ["a UUID in braces", `%7B${SHOP.id}%7D`],
      ["a UUID as a URN", `urn:uuid:${SHOP.id}`],
      ["a UUID and a line end", `${SHOP.id}%0A`],
      ["a UUID and a NUL", `${SHOP.id}%00`],
      ["SQL", "'%20or%20true%20--"],
    ] as const) {
      it(name, async () => {
        for (const key of [SHOP.key, undefined]) {
          const message = failureOf(await list(id, key), 422);
          assert.equal(message, "The shop id field must be a UUID.");
        }
      });
    }
  });
});
