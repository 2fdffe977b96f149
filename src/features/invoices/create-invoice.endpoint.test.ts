// POST /invoice/create over HTTP, by status. What each field may hold is in
// test/contract-invoice-fields.test.ts, and retries in test/contract-invoice-retries.test.ts.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import {
  type CastShop,
  createInvoice,
  EMPTY_SHOP,
  invoiceBody,
  LINK_SHOP,
  OTHER_SHOP,
  SHOP,
  URLS_SHOP,
  USER,
} from "../../../test/cast.ts";
import { failureOf } from "../../../test/contract-doors.ts";
import { ENGINES, onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface StoredUrls {
  readonly success_url: string;
  readonly fail_url: string | null;
  readonly hook_url: string | null;
}

onEachEngine("POST /invoice/create", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const create = (changes: Record<string, unknown> = {}, shop?: CastShop) =>
    createInvoice(gateway, changes, shop);

  const created = async (changes: Record<string, unknown> = {}, shop?: CastShop) => {
    const answer = await create(changes, shop);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };

  const countInvoices = async () => {
    const rows = await gateway.app.db.query<{ count: number }>(
      "select count(*)::int as count from invoices",
      [],
    );
    return rows[0]?.count;
  };

  const storedUrls = async (id: string) => {
    const [row] = await gateway.app.db.query<StoredUrls>(
      "select success_url, fail_url, hook_url from invoices where id = $1",
      [id],
    );
    return row;
  };

  /** A body whose amount is written exactly so. */
  const withAmountText = (text: string) =>
    gateway.call("/invoice/create", {
      body: JSON.stringify(invoiceBody({ amount: "@" })).replace('"@"', text),
      headers: { "x-api-key": SHOP.key },
    });

  describe("200", () => {
    it("answers a direct invoice with exactly the specified fields", async () => {
      const answer = await create();
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
      const { id } = answer.body.data;
      assert.match(id, UUID);
      assert.equal(
        answer.text,
        `{"data":{"id":"${id}","amount":"1000.00","currency":"RUB","url":null,"expired":"2026-03-01 17:00:00"},"status":200,"status_check":true}`,
      );
    });

    it("answers a link invoice with the address of its payment page", async () => {
      for (const shop of [SHOP, LINK_SHOP]) {
        const data = await created({ type: "link" }, shop);
        assert.equal(data.url, `http://kopeck.test/pay/${data.id}`);
      }
    });

    it("takes every field at once", async () => {
      const data = await created({
        amount: 1500.5,
        email: "payer@example.com",
        custom_fields: '{"cart":[1,2],"имя":"Анна"}',
        comment: "Заказ «7» ✔",
        fail_url: "https://shop.example/fail?a=1#b",
        success_url: "http://shop.example:8080/ok",
        hook_url: "https://shop.example/hook",
        expire: 60,
        include_service: ["p2p_sbp"],
        currency: "RUB",
      });
      assert.equal(data.amount, "1500.50");
      assert.equal(data.expired, "2026-03-01 13:00:00");
    });

    for (const [sent, amount] of [
      ["100", "100.00"],
      ["100.01", "100.01"],
      ["100.1", "100.10"],
      ["100.10", "100.10"],
      ["1000.0", "1000.00"],
      ["1e3", "1000.00"],
      ["1.5E+2", "150.00"],
      ["1000.000000000000000000000", "1000.00"],
      ["4194.3", "4194.30"],
      ["8191.99", "8191.99"],
      ["99999.99", "99999.99"],
      ["100000", "100000.00"],
      ["100000.00", "100000.00"],
    ] as const) {
      it(`the amount ${sent} is ${amount}`, async () => {
        const answer = await withAmountText(sent);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body.data.amount, amount);
      });
    }

    for (const [expire, expired] of [
      [1, "2026-03-01 12:01:00"],
      [719, "2026-03-01 23:59:00"],
      [720, "2026-03-02 00:00:00"],
      [7200, "2026-03-06 12:00:00"],
      [null, "2026-03-01 17:00:00"],
      [undefined, "2026-03-01 17:00:00"],
    ] as const) {
      it(`lives ${expire ?? `300 (for ${expire})`} minutes, shown in Moscow's time`, async () => {
        assert.equal((await created({ expire })).expired, expired);
      });
    }

    it("links to any of several methods", async () => {
      const data = await created({ type: "link", include_service: ["p2p_sbp", "p2p_card"] });
      const [row] = await gateway.app.db.query<{ services: string[] }>(
        "select services from invoices where id = $1",
        [data.id],
      );
      assert.deepEqual(row?.services, ["p2p_sbp", "p2p_card"]);
    });

    it("takes the shop's identifier with its key only, whatever order the fields come in", async () => {
      const body = Object.fromEntries(Object.entries(invoiceBody()).toReversed());
      const answer = await gateway.call("/invoice/create", {
        body,
        headers: { "x-api-key": SHOP.key },
      });
      assert.equal(answer.status, 200, answer.text);
    });

    it("ignores fields that it does not know", async () => {
      await created({
        unknown: "x",
        id: randomUUID(),
        state: "paid",
        expired: "2020-01-01 00:00:00",
        constructor: { prototype: { amount: 1 } },
        nul: "\0",
        half: "\ud800",
        nested: { deep: [{ er: null }] },
      });
    });

    it("gives different orders different invoices, also at once and across shops", async () => {
      const orderId = `order-${randomUUID()}`;
      const answers = await Promise.all([
        created({ order_id: orderId }),
        created({ order_id: orderId }, URLS_SHOP),
        created({ order_id: orderId }, OTHER_SHOP),
        created({ order_id: orderId.toUpperCase() }),
        created({ order_id: `${orderId} ` }),
      ]);
      assert.equal(new Set(answers.map(({ id }) => id)).size, 5);
    });
  });

  describe("200, with the shop's own settings", () => {
    it("needs no success url where the shop has one", async () => {
      const link = await created({ type: "link", success_url: undefined }, LINK_SHOP);
      assert.deepEqual(await storedUrls(link.id), {
        success_url: "https://shop.example/success",
        fail_url: null,
        hook_url: null,
      });
    });

    for (const left of [undefined, null, ""]) {
      it(`falls back to the shop's URLs for ${JSON.stringify(left)}`, async () => {
        const urls = { success_url: left, fail_url: left, hook_url: left };
        assert.deepEqual(await storedUrls((await created(urls, URLS_SHOP)).id), {
          success_url: "https://shop.example/success",
          fail_url: "https://shop.example/fail",
          // What the shop has at the moment of an event holds, so it is not written down.
          hook_url: null,
        });
      });
    }

    it("prefers the URLs of the request, in their normal form", async () => {
      const data = await created(
        {
          success_url: "HTTPS://Other.Example/a b",
          fail_url: "ht\ttps://other.example/fail",
          hook_url: "https://xn--e1afmkfd.example/",
        },
        URLS_SHOP,
      );
      assert.deepEqual(await storedUrls(data.id), {
        success_url: "https://other.example/a%20b",
        fail_url: "https://other.example/fail",
        hook_url: "https://xn--e1afmkfd.example/",
      });
    });

    it("takes the currency of the tariff, and another where the shop has one in it", async () => {
      const { db } = gateway.app;
      await db.query("delete from tariffs where shop_id = $1 and service = 'p2p_sbp'", [
        OTHER_SHOP.id,
      ]);
      for (const service of ["p2p_sbp", "p2p_card"]) {
        await db.query(
          `insert into tariffs (shop_id, service, currency, percent_ppm, shop_percent_ppm,
             user_percent_ppm, fix_minor, min_minor, max_minor, enabled)
           values ($1, $2, 'USD', 0, 0, 0, 0, 1, 500, true)`,
          [OTHER_SHOP.id, service],
        );
      }
      const currencyOf = async (changes: Record<string, unknown>) =>
        (await created(changes, OTHER_SHOP)).currency;
      assert.equal(await currencyOf({}), "RUB");
      assert.equal(await currencyOf({ currency: "RUB" }), "RUB");
      assert.equal(await currencyOf({ currency: "USD", amount: 5 }), "USD");
      assert.equal(await currencyOf({ include_service: ["p2p_sbp"], amount: 5 }), "USD");
      assert.equal((await create({ currency: "USD", amount: 5.01 }, OTHER_SHOP)).status, 422);
    });

    it("takes twenty methods where the shop has them", async () => {
      const { db } = gateway.app;
      const services = Array.from({ length: 20 }, (_, index) => `method_${index}`);
      for (const service of services) {
        await db.query("insert into services (code, label, freeze_seconds) values ($1, $1, 0)", [
          service,
        ]);
        await db.query(
          `insert into tariffs (shop_id, service, currency, percent_ppm, shop_percent_ppm,
             user_percent_ppm, fix_minor, min_minor, max_minor, enabled)
           values ($1, $2, 'RUB', 0, 0, 0, 0, 1, 1000000, true)`,
          [OTHER_SHOP.id, service],
        );
      }
      await created({ type: "link", include_service: services }, OTHER_SHOP);
    });
  });

  describe("refusals store nothing:", () => {
    let stored: number | undefined;
    beforeEach(async () => {
      stored = await countInvoices();
    });
    afterEach(async () => assert.equal(await countInvoices(), stored));

    describe("401", () => {
      for (const [name, id, key] of [
        ["a wrong key", SHOP.id, "wrong"],
        ["no key", SHOP.id, undefined],
        ["an empty key", SHOP.id, ""],
        ["the key twice", SHOP.id, `${SHOP.key}, ${SHOP.key}`],
        ["a key of another shop of the same user", SHOP.id, URLS_SHOP.key],
        ["a key of another user's shop", SHOP.id, OTHER_SHOP.key],
        ["another shop's identifier", OTHER_SHOP.id, SHOP.key],
        ["the secret of the shop's user", SHOP.id, USER.secret],
        ["an unknown shop", "00000000-0000-4000-8000-0000000000ff", SHOP.key],
      ] as const) {
        it(name, async () => {
          const body = invoiceBody({ shop_id: id });
          const headers = { "x-api-key": key };
          failureOf(await gateway.call("/invoice/create", { body, headers }), 401);
        });
      }

      it("a wrong key, whatever else is wrong in the body", async () => {
        const body = { shop_id: SHOP.id, amount: "x", type: 7 };
        const headers = { "x-api-key": "wrong" };
        failureOf(await gateway.call("/invoice/create", { body, headers }), 401);
      });
    });

    describe("422", () => {
      const refused = async (changes: Record<string, unknown>, shop?: CastShop) =>
        failureOf(await create(changes, shop), 422);

      it("direct on a shop without h2h", async () => {
        assert.match(await refused({ type: "direct" }, LINK_SHOP), /h2h/i);
      });

      for (const left of [undefined, null, ""]) {
        it(`the success url is ${JSON.stringify(left)} on a shop without one`, async () => {
          for (const type of ["direct", "link"]) {
            const message = await refused({ type, success_url: left });
            assert.equal(message, "The success url field is required.");
          }
        });
      }

      for (const services of [
        ["p2p_card", "p2p_sbp"],
        ["p2p_sbp", "p2p_card"],
      ]) {
        it(`two methods for direct: ${services}`, async () => {
          assert.match(await refused({ include_service: services }), /include service/);
        });
      }

      for (const [name, changes, shop] of [
        ["an unknown method", { include_service: ["paypal"] }, SHOP],
        ["a method in other letters", { include_service: ["P2P_CARD"] }, SHOP],
        ["a disabled method", { include_service: ["card"] }, SHOP],
        ["a disabled method for link", { type: "link", include_service: ["card"] }, LINK_SHOP],
        [
          "a disabled method beside a good one",
          { type: "link", include_service: ["p2p_card", "card"] },
          LINK_SHOP,
        ],
        ["any method on a shop without tariffs", {}, EMPTY_SHOP],
        ["a name of every object", { include_service: ["constructor"] }, SHOP],
        ["a name of every object, unsafe", { include_service: ["toString"] }, SHOP],
      ] as const) {
        it(name, async () => assert.match(await refused(changes, shop), /include service/));
      }

      for (const service of ["p2p_card", "p2p_sbp"]) {
        for (const [amount, limit] of [
          [99.99, /100/],
          [0.01, /100/],
          [100_000.01, /100000/],
          [9_007_199_254_740_991, /100000/],
        ] as const) {
          it(`${amount} is out of the bounds of ${service}`, async () => {
            const message = await refused({ amount, include_service: [service] });
            assert.match(message, /\bamount\b/);
            assert.match(message, limit);
          });
        }
      }

      it("a currency that the shop has no tariff in", async () => {
        const message = await refused({ currency: "USD" });
        assert.match(message, /\bcurrency\b/);
      });

      it("names the first problem in the order of the fields, not of the request", async () => {
        const shop_id = SHOP.id;
        const headers = { "x-api-key": SHOP.key };
        const first = async (body: Record<string, unknown>) =>
          failureOf(await gateway.call("/invoice/create", { body, headers }), 422);
        assert.equal(await first({ shop_id }), "The amount field is required.");
        assert.equal(
          await first({ type: "x", shop_id, amount: 1 }),
          "The order id field is required.",
        );
        assert.equal(
          await first({ type: "x", comment: 1, shop_id, order_id: "1", amount: 1 }),
          "The include service field is required.",
        );
        assert.equal(
          await first({ expire: 0, shop_id, order_id: "1", amount: 1, include_service: ["x"] }),
          "The type field is required.",
        );
        assert.match(await first(invoiceBody({ email: 1, expire: 0, fail_url: 2 })), /fail url/);
        assert.match(await first(invoiceBody({ comment: 1, email: 1, expire: 0 })), /expire/);
      });
    });
  });
});

describe("POST /invoice/create, configured otherwise", () => {
  it("shows the service's own time zone and address", async () => {
    const [engine = "embedded"] = ENGINES.toReversed();
    const baseUrl = "https://pay.example/gate";
    const gateway = await openTestGateway(engine, { timeZone: "Asia/Kathmandu", baseUrl });
    try {
      const { data } = (await createInvoice(gateway, { type: "link", expire: 1 })).body;
      assert.equal(data.expired, "2026-03-01 14:46:00");
      assert.equal(data.url, `https://pay.example/gate/pay/${data.id}`);
    } finally {
      await gateway.stop();
    }
  });
});
