// What holds on every endpoint: the envelope on success and on failure, the order of checks, the two
// shapes of `error`, and a 401 that tells nobody why.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import {
  createH2h,
  createInvoice,
  EMPTY_SHOP,
  invoiceBody,
  LINK_SHOP,
  OTHER_SHOP,
  SHOP,
  URLS_SHOP,
  USER,
} from "./cast.ts";
import { assertSuccess, DOORS, failureOf, knock } from "./contract-doors.ts";
import { type Answer, onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { untilFree } from "./patience.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-0000000000ff";

onEachEngine("every endpoint", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  describe("wraps a success in the envelope", () => {
    for (const door of DOORS) {
      it(door.name, async () => {
        const answer = await knock(gateway, door);
        assertSuccess(answer);
        assert.ok(answer.text.startsWith('{"data":{'));
        assert.ok(answer.text.endsWith(',"status":200,"status_check":true}'));
      });
    }

    it("and h2h gives all fields of the instruction in their order", async () => {
      const { id } = (await createInvoice(gateway)).body.data;
      const answer = await createH2h(gateway, id);
      assertSuccess(answer);
      assert.deepEqual(Object.keys(answer.body.data), [
        "step_two_type",
        "wallet",
        "receiver_name",
        "bank",
        "amount",
        "time_end",
        "url",
        "type",
        "is_redirect",
        "fingerprint",
        "is_need_get_info",
      ]);
    });
  });

  describe("checks in one order:", () => {
    for (const door of DOORS) {
      it(`${door.name}: an identifier that is no UUID is 422, whatever the secret`, async () => {
        const shape = door.name.endsWith("h2h") ? "array" : "string";
        const wrong = [
          "42",
          "a".repeat(500),
          "a".repeat(10_000),
          "' or true --",
          `urn:uuid:${door.id}`,
          door.id.replaceAll("-", ""),
          door.id.slice(0, -1),
          `${door.id}0`,
          `{${door.id}}`,
          `${door.id.slice(0, -1)}g`,
          `${door.id}\n`,
        ];
        for (const [index, wrongId] of wrong.entries()) {
          const id = door.body === undefined ? encodeURIComponent(wrongId) : wrongId;
          for (const secret of index === 0
            ? [undefined, "", "wrong", door.secret]
            : [door.secret]) {
            const message = failureOf(await knock(gateway, door, { id, secret }), 422, shape);
            assert.equal(message, `The ${door.field} field must be a UUID.`);
          }
        }
      });
    }

    it("an identifier may be in capital letters", async () => {
      const own = manage(gateway);
      const { user, secret } = await own.post("users", { name: "Letters" });
      const shopWish = { user_id: user.user_id, name: "Letters", h2h_enabled: true };
      const { shop, api_key } = await own.post("shops", shopWish);
      const rates = { shop_percent: 1, user_percent: 1, min_sum: 1, max_sum: 9999 };
      await own.post("tariffs", { shop_id: shop.shop_id, service: "p2p_card", ...rates });
      for (const door of DOORS) {
        const [id, key] =
          door.field === "user id" ? [user.user_id, secret] : [shop.shop_id, api_key];
        const invoice = await createInvoice(gateway, {}, { id: shop.shop_id, key: api_key });
        const body = door.body?.(id.toUpperCase(), invoice.body.data.id.toUpperCase());
        const options = {
          headers: { [door.header]: key },
          ...(body === undefined ? {} : { body }),
        };
        assertSuccess(await gateway.call(door.path(id.toUpperCase()), options));
      }
    });

    for (const door of DOORS.filter(({ body }) => body !== undefined)) {
      const shape = door.name.endsWith("h2h") ? "array" : "string";
      const send = (body: unknown, secret?: string) =>
        gateway.call(door.path(""), { body, headers: { [door.header]: secret } });

      it(`${door.name}: an identifier that is missing is 422, and nothing else is said`, async () => {
        for (const body of [{}, { shop_id: null }, { shop_id: "" }, { amount: "x", ip: 1 }]) {
          const message = failureOf(await send(body), 422, shape);
          assert.equal(message, "The shop id field is required.");
        }
      });

      it(`${door.name}: a wrong secret is 401, whatever else is wrong in the body`, async () => {
        const wrongs = [
          {},
          { amount: "x", type: 1, include_service: [], invoice_id: 7, payment_data: "x" },
          { order_id: "\0", invoice_id: "no uuid", ip: "999.1.1.1" },
        ];
        for (const wrong of wrongs) {
          failureOf(await send({ shop_id: SHOP.id, ...wrong }, "wrong"), 401);
          failureOf(await send({ shop_id: SHOP.id, ...wrong }), 401);
          failureOf(await send({ shop_id: UNKNOWN_ID, ...wrong }, SHOP.key), 401);
        }
      });
    }

    it("input before state: a shop without tariffs still hears of the malformed field", async () => {
      const answer = await createInvoice(gateway, { comment: 1 }, EMPTY_SHOP);
      assert.match(failureOf(answer, 422), /\bcomment\b/);
      const h2h = await createH2h(gateway, UNKNOWN_ID, { payment_data: { bank: "no" } });
      assert.match(failureOf(h2h, 422, "array"), /\bbank\b/);
      const headers = { "x-api-signature-sha256": USER.secret };
      const path = `/account/users/${USER.id}/balance?currency=x`;
      assert.match(failureOf(await gateway.call(path, { headers }), 422), /\bcurrency\b/);
    });

    it("state last: 404 only with the right secret", async () => {
      const path = `/shops/${EMPTY_SHOP.id}/payment-tariffs`;
      const ask = (key: string) => gateway.call(path, { headers: { "x-api-key": key } });
      failureOf(await ask(EMPTY_SHOP.key), 404);
      failureOf(await ask(SHOP.key), 401);
    });
  });

  describe("says 401 in the same bytes and headers, whatever is wrong:", () => {
    for (const door of DOORS) {
      it(door.name, async () => {
        const answers = [
          await knock(gateway, door, { secret: "wrong" }),
          await knock(gateway, door, { secret: undefined }),
          await knock(gateway, door, { secret: "" }),
          await knock(gateway, door, { secret: `${door.secret} x` }),
          await knock(gateway, door, { secret: `${door.secret}, ${door.secret}` }),
          await knock(gateway, door, { secret: door.secret.replace(/.$/, "z") }),
          await knock(gateway, door, { secret: flipped(door.secret) }),
          await knock(gateway, door, { secret: door.id === SHOP.id ? URLS_SHOP.key : SHOP.key }),
          await knock(gateway, door, { secret: door.id === SHOP.id ? USER.secret : SHOP.key }),
          await knock(gateway, door, { secret: "x".repeat(4_000) }),
          await knock(gateway, door, { secret: door.other.secret }),
          await knock(gateway, door, { id: door.other.id }),
          await knock(gateway, door, { id: UNKNOWN_ID }),
          await knock(gateway, door, { id: UNKNOWN_ID, secret: undefined }),
          await knock(gateway, door, { id: UNKNOWN_ID, secret: "wrong" }),
          await knock(gateway, door, { id: door.id === SHOP.id ? USER.id : SHOP.id }),
        ];
        for (const answer of answers) {
          failureOf(answer, 401);
          // The only difference: a secret that was not sent is named by its header.
          const missing = answer.headers.get("x-kopeck-field");
          assert.ok(missing === null || missing === door.header, missing ?? "");
          assert.deepEqual(seen(answer), seen(answers[0]));
        }
        const named = await knock(gateway, door, { secret: undefined });
        assert.equal(named.headers.get("x-kopeck-field"), door.header);
      });
    }

    it("and the same on all of them, in Russian too", async () => {
      const texts = new Set<string>();
      const headers = { "accept-language": "ru" };
      for (const door of DOORS) {
        texts.add((await knock(gateway, door, { secret: "no" })).text);
        for (const id of [door.id, door.other.id, UNKNOWN_ID]) {
          texts.add((await knock(gateway, door, { id, secret: "no", headers })).text);
        }
      }
      assert.equal(texts.size, 2);
    });
  });

  describe("has one shape of error, but h2h has two:", () => {
    it("a list with every problem for a 422 of h2h, in the order of the fields", async () => {
      const body = {
        payment_data: {},
        user_agent: 5,
        ip: "::1",
        shop_id: SHOP.id,
        invoice_id: "42",
      };
      const answer = await gateway.call("/invoice/h2h", {
        body,
        headers: { "x-api-key": SHOP.key },
      });
      failureOf(answer, 422, "array");
      const [invoice, ip, agent, bank, ...more] = answer.body.error;
      assert.equal(invoice, "The invoice id field must be a UUID.");
      assert.match(ip, /\bip\b/);
      assert.match(agent, /user agent/);
      assert.equal(bank, "The bank field is required.");
      assert.deepEqual(more, []);
    });

    it("a list of one when the bank is missing, also with its parent, null or empty", async () => {
      const { id } = (await createInvoice(gateway)).body.data;
      const wrong = [{}, undefined, { bank: null }, { bank: "" }];
      for (const payment_data of wrong) {
        const answer = await createH2h(gateway, id, { payment_data });
        failureOf(answer, 422, "array");
        assert.deepEqual(answer.body.error, ["The bank field is required."]);
      }
    });

    it("a list also for what the state refuses with 422", async () => {
      const { id } = (await createInvoice(gateway, { type: "link" })).body.data;
      failureOf(await createH2h(gateway, id), 422, "array");
    });

    it("a string for h2h's 401 and 404", async () => {
      failureOf(await createH2h(gateway, randomUUID(), {}, { ...SHOP, key: "wrong" }), 401);
      failureOf(await createH2h(gateway, randomUUID()), 404);
      const { id } = (await createInvoice(gateway)).body.data;
      for (const shop of [OTHER_SHOP, URLS_SHOP]) {
        failureOf(await createH2h(gateway, id, {}, shop), 404);
      }
    });

    it("a string for every 422 elsewhere, however many problems there are", async () => {
      const changes = { amount: "x", order_id: 1, type: "x", comment: 1 };
      assert.match(failureOf(await createInvoice(gateway, changes), 422), /\bamount\b/);
      failureOf(await createInvoice(gateway, {}, LINK_SHOP), 422);
      const path = "/payoff/get-sbp-bank-list";
      assert.equal(failureOf(await gateway.call(path), 422), "The user id field is required.");
    });
  });

  describe("says 500 without a word about the inside", () => {
    const broken = async (table: string, ask: () => Promise<Answer>) => {
      // Who is told of changes does not look before that.
      const rename = (from: string, to: string) =>
        untilFree(() =>
          gateway.app.db.query(`alter table ${from} rename to ${to}; notify settings_changed`),
        );
      await rename(table, "hidden_away");
      try {
        return await ask();
      } finally {
        await rename("hidden_away", table);
      }
    };

    for (const [index, table] of [
      "invoices",
      "payments",
      // What is kept while the settings stand still is answered without its own table.
      "settings_version",
      "settings_version",
      "ledger_balances",
    ].entries()) {
      const door = DOORS[index];
      if (door === undefined) throw new Error("A table for each door.");
      it(door.name, async () => {
        const { id } = (await createInvoice(gateway)).body.data;
        const body = door.body?.(door.id, id);
        const headers = { [door.header]: door.secret };
        const answer = await broken(table, () =>
          gateway.call(door.path(door.id), body === undefined ? { headers } : { body, headers }),
        );
        const message = failureOf(answer, 500);
        assert.equal(message.includes(table), false);
        assert.doesNotMatch(answer.text, /relation|select|insert|column|\bat\b.*:\d+/);
        assertSuccess(await knock(gateway, door));
      });
    }
  });

  it("forbids caches to keep what it says", async () => {
    for (const door of DOORS) {
      for (const secret of [door.secret, "wrong"]) {
        const answer = await knock(gateway, door, { secret });
        assert.equal(answer.headers.get("cache-control"), "no-store");
      }
    }
  });

  it("takes no secret from the query or the body", async () => {
    const body = invoiceBody({ "x-api-key": SHOP.key, x_api_key: SHOP.key });
    failureOf(await gateway.call(`/invoice/create?x-api-key=${SHOP.key}`, { body }), 401);
    const path = `/account/users/${USER.id}/balance?x-api-signature-sha256=${USER.secret}`;
    failureOf(await gateway.call(path), 401);
  });
});

/** In capital letters where they were small, and the other way round. */
function flipped(secret: string): string {
  return secret === secret.toUpperCase() ? secret.toLowerCase() : secret.toUpperCase();
}

/** Everything that a caller can see of an answer, but the time. */
function seen(answer: Answer | undefined): unknown {
  const headers = [...(answer?.headers ?? [])].filter(
    ([name]) => !["date", "x-request-id", "x-kopeck-field"].includes(name),
  );
  return { status: answer?.status, text: answer?.text, headers };
}
