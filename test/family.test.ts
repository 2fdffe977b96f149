// The dialect `family`: what clients send that exist already for this family of API, as they send it, and
// what they expect back. The same requests of a strict shop are refused as ever.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, describe, it } from "node:test";
import { EMPTY_SHOP, FAMILY_SHOP, LINK_SHOP, SHOP } from "./cast.ts";
import type { Answer } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";
import { openReceiver } from "./receiver.ts";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

type Shop = typeof FAMILY_SHOP;
let orders = 0;

/** The body is written as the client's own JSON: its numbers must not go through ours. */
function send(fields: string, shop: Shop = FAMILY_SHOP, path = "/invoice/create"): Promise<Answer> {
  orders += 1;
  const order = fields.includes('"order_id"') ? "" : `"order_id":"order-${orders}",`;
  const body = `{${order}"shop_id":"${shop.id}",${fields}}`;
  return gateway.call(path, { body, headers: { "x-api-key": shop.key } });
}
async function taken(fields: string, path?: string) {
  const answer = await send(fields, FAMILY_SHOP, path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}
const viewed = async (id: string) => (await own.get(`invoices/${id}`)).invoice;
const ask = (path: string, shop: Shop = FAMILY_SHOP) =>
  gateway.call(path, { headers: { "x-api-key": shop.key } });

const EVERY = ["p2p_card", "p2p_sbp"];

describe("orders of existing clients", () => {
  const URLS =
    '"success_url":"https://s.example/ok","fail_url":"https://s.example/no","hook_url":"https://s.example/hook"';
  /** Who sends it, what, and what is stored of it. */
  const SENT: [who: string, fields: string, stored?: object, path?: string][] = [
    ["PHP, an SDK", '"amount":100.5,"currency":"RUB"', { amount: 100.5 }],
    [
      "PHP, a cabinet",
      `"amount":150,"email":"a@b.example","comment":"\\u041e\\u043f\\u043b\\u0430\\u0442\\u0430",${URLS},"custom_fields":{"user_id":7},"expire":300`,
    ],
    [
      "PHP, a game server",
      '"amount":190,"currency":"RUB","custom_fields":{"command":"give %user% 1","server":"1"}',
    ],
    ["PHP, no custom fields", '"amount":190,"custom_fields":[]'],
    [
      "WooCommerce",
      '"amount":"150.00","currency":"RUB","include_service":["card","sbp"]',
      { amount: 150 },
      "/invoice/create/",
    ],
    [
      "PrestaShop",
      '"amount":"1234.5","expire":"300","custom_fields":"{\\"cart\\":12}"',
      { amount: 1234.5 },
    ],
    ["DLE", '"amount":"200","order_id":1763000000,"expire":"60"', { order_id: "1763000000" }],
    [
      "a bot with a long id",
      '"amount":200,"order_id":900719925474099301',
      { order_id: "900719925474099301" },
    ],
    [
      "Laravel",
      '"amount":"149.90","exclude_service":["card"],"custom_fields":null,"email":""',
      { services: ["p2p_sbp"] },
    ],
    ["Azuriom", '"amount":300,"currency":"RUB","comment":"x","fail_url":"","hook_url":null'],
    ["PHP, seventeen digits", '"amount":149.99000000000001', { amount: 149.99 }],
    [
      "TypeScript, arithmetic",
      '"amount":149.99999999999997,"custom_fields":"{\\"system\\":\\"a\\"}"',
      { amount: 150 },
    ],
    [
      "a shop with a code twice",
      '"amount":500,"include_service":["sbp","sbp","p2p_sbp"],"exclude_service":["card","card"]',
      { services: ["p2p_sbp"] },
    ],
    ["TypeScript, a filter", '"amount":500,"include_service":["sbp"]', { services: ["p2p_sbp"] }],
    ["Go", '"amount":100,"include_service":[],"hook_url":"https://s.example/hook"'],
    [
      "Go, a bot",
      '"amount":250.01,"currency":"RUB","expire":15,"include_service":["p2p_card"]',
      { services: ["p2p_card"] },
    ],
    ["Java", '"amount":777.0,"custom_fields":"{}"', { amount: 777 }, "//invoice/create"],
    ["Java, with a filter", '"amount":100,"include_service":["qiwi"]'],
    [
      "C#",
      '"amount":"999","include_service":["card","mir_card","apple_pay","google_pay","p2p_card"]',
      { services: ["p2p_card"] },
    ],
    ["C#, everything excluded", '"amount":999,"exclude_service":["card","sbp"]'],
    [
      "Python, a bot",
      '"amount":199.0,"currency":"RUB","custom_fields":{"guild_member_id":1170000000000000001}',
    ],
    [
      "Python, a filter without sense",
      '"amount":199,"include_service":["sbp"],"exclude_service":["sbp"]',
      { services: ["p2p_card"] },
    ],
    [
      "a host-to-host client",
      '"amount":300,"type":"direct","include_service":["p2p_card"],"success_url":"https://s.example/ok"',
      { type: "direct", services: ["p2p_card"] },
    ],
  ];
  for (const [who, fields, stored = {}, path] of SENT) {
    it(who, async () => {
      const data = await taken(fields, path);
      const invoice = await viewed(data.id);
      const expected = { type: "link", services: EVERY, ...stored };
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(invoice[name as keyof typeof invoice], value, name);
      }
      const page = invoice.type === "link" ? `${gateway.app.config.baseUrl}/pay/${data.id}` : null;
      assert.equal(data.url, page);
    });
  }

  it("of a strict shop are refused as ever", async () => {
    const refused = SENT.filter(([, fields]) => !fields.includes('"direct"'));
    for (const [who, fields, , path] of refused) {
      const answer = await send(fields, LINK_SHOP, path);
      assert.equal(answer.status, 422, who);
      assert.match(answer.body.error, /^The (?:amount|order id|include service|type) field /, who);
    }
    // What strict does not know it ignores, whatever it is.
    const odd = `"amount":100,"type":"link","include_service":["p2p_card"],"exclude_service":5`;
    assert.equal((await send(odd, LINK_SHOP)).status, 200);
  });

  it("family methods fixed roubles before they were named: 150 USD became 150 RUB", async () => {
    const tariff = { service: "card", shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 1e5 };
    const place = { shop_id: FAMILY_SHOP.id, currency: "USD" };
    await own.post("tariffs", { ...tariff, ...place });
    try {
      const currency = async (fields: string) => (await taken(fields)).currency;
      assert.equal(await currency('"amount":150,"include_service":["card"]'), "USD");
      assert.equal(await currency('"amount":150,"include_service":["card","sbp"]'), "RUB");
      assert.equal(await currency('"amount":150'), "RUB");
      assert.equal(
        await currency('"amount":150,"currency":"USD","include_service":["sbp"]'),
        "USD",
      );
      // What the shop has itself stands for nothing else.
      const { id } = await taken('"amount":150,"exclude_service":["card"]');
      assert.deepEqual((await viewed(id)).services, EVERY);
    } finally {
      await own.post("tariffs", { ...tariff, ...place, enabled: false });
    }
  });

  it("are taken once: a retry in another spelling gets the first answer, other content does not", async () => {
    const first = await taken('"amount":"150.00","order_id":4711,"expire":"300"');
    const again = await taken(
      '"amount":149.99999999999997,"order_id":"4711","expire":300,"type":"link"',
    );
    assert.deepEqual(again, first);
    for (const other of [
      '"amount":151',
      '"amount":150',
      '"amount":150,"expire":300,"exclude_service":["sbp"]',
    ]) {
      const answer = await send(`"order_id":4711,${other}`);
      assert.equal(answer.headers.get("x-kopeck-error"), "order_taken", other);
    }
  });

  it("get the first answer again, also after the shop's methods have changed", async () => {
    const { user_id } = await own.get(`shops/${FAMILY_SHOP.id}`);
    const made = await own.post("shops", { user_id, name: "Changing", dialect: "family" });
    const shop = { id: made.shop.shop_id, key: made.api_key };
    const tariff = {
      shop_id: shop.id,
      currency: "RUB",
      shop_percent: 1,
      user_percent: 0,
      fix: 0,
      min_sum: 1,
      max_sum: 1_000,
    };
    await own.post("tariffs", { ...tariff, service: "p2p_card" });
    const first = await send('"amount":100,"order_id":"a"', shop);
    assert.equal(first.status, 200, first.text);
    await own.post("tariffs", { ...tariff, service: "p2p_sbp", min_sum: 500 });
    assert.deepEqual((await send('"amount":100,"order_id":"a"', shop)).body, first.body);
    // Of several, the methods stay that take the amount.
    const services = async (amount: number) =>
      (await viewed((await send(`"amount":${amount}`, shop)).body.data.id)).services;
    assert.deepEqual(await services(100), ["p2p_card"]);
    assert.deepEqual(await services(500), EVERY);
  });

  it("that no rule explains are refused in the words of strict, in Russian", async () => {
    const WRONG: [fields: string, en: RegExp, ru: RegExp][] = [
      [
        '"amount":"150,00"',
        /^The amount field must be a number/,
        /^Поле amount должно быть числом/,
      ],
      ['"amount":"1e3"', /amount field must be a number/, /amount/],
      ['"amount":150.001', /amount field must have at most two decimals/, /amount/],
      ['"amount":" 150"', /amount field must be a number/, /amount/],
      ['"amount":-5', /amount field must be greater than 0/, /amount/],
      ['"amount":5', /amount field must be at least 100.00 for/, /не меньше 100.00/],
      ['"amount":100,"currency":"USD"', /currency field holds USD/, /USD/],
      ['"amount":100,"order_id":1.5', /order id field must be a string/, /order id/],
      ['"amount":100,"order_id":true', /order id field must be a string/, /order id/],
      ['"amount":100,"expire":"soon"', /expire field must be an integer/, /expire/],
      [
        '"amount":100,"include_service":"card"',
        /include service field must be an array/,
        /include service/,
      ],
      [
        '"amount":100,"exclude_service":5',
        /exclude service field must be an array/,
        /exclude service/,
      ],
      [
        '"amount":100,"custom_fields":[1]',
        /custom fields field must be a JSON object/,
        /custom fields/,
      ],
      [
        '"amount":100,"order_id":12.00000000000000001',
        /order id field must be a string/,
        /order id/,
      ],
      [
        '"amount":100,"custom_fields":{"a":100.00000000000000001}',
        /custom fields field must hold no number with more digits/,
        /custom fields/,
      ],
      [
        '"amount":100,"custom_fields":{"a":100.00000000000000001}',
        /custom fields field must hold no number with more digits/,
        /custom fields/,
      ],
      [
        '"amount":100,"custom_fields":{"a":0.12345678901234567890123}',
        /custom fields field must hold no number with more digits/,
        /custom fields/,
      ],
      ['"amount":100,"type":"x"', /type field must be one of/, /type/],
      ['"amount":100,"type":"x","include_service":[]', /type field must be one of/, /type/],
      [
        '"amount":100,"type":"direct","include_service":["p2p_card","p2p_card"],"success_url":"https://s.example/"',
        /include service field must not hold an item twice/,
        /include service/,
      ],
      ['"amount":100,"type":"direct"', /include service field is required/, /обязательно/],
      [
        '"amount":100,"type":"direct","include_service":["p2p_card"]',
        /success url field is required/,
        /success url/,
      ],
      [
        '"amount":100,"type":"other","include_service":["p2p_card"]',
        /type field must be one of/,
        /type/,
      ],
    ];
    for (const [fields, en, ru] of WRONG) {
      const answer = await send(fields);
      assert.equal(answer.status, 422, fields);
      assert.match(answer.body.error, ru);
      assert.match(answer.body.error, /[а-я]/, "in Russian");
      const body = `{"order_id":"o","shop_id":"${FAMILY_SHOP.id}",${fields}}`;
      const headers = { "x-api-key": FAMILY_SHOP.key, "accept-language": "en-US,en;q=0.9" };
      assert.match((await gateway.call("/invoice/create", { body, headers })).body.error, en);
    }
    const lacking = await gateway.call("/invoice/create", {
      body: { shop_id: EMPTY_SHOP.id, amount: 100, order_id: "o" },
      headers: { "x-api-key": EMPTY_SHOP.key },
    });
    assert.match(lacking.body.error, /^The include service field is required/);
  });
});

describe("what they get back", () => {
  it("custom fields with integers to the digit, as texts; all else as it came", async () => {
    const given =
      '{"steam":76561198012345678,"even":76561198012345600,"low":-9007199254740993,"n":7,"f":0.1,"php":0.10000000000000001,"deep":[{"id":1170000000000000001}]}';
    const texts = {
      steam: "76561198012345678",
      even: "76561198012345600",
      low: "-9007199254740993",
      n: 7,
      f: 0.1,
      php: 0.1,
      deep: [{ id: "1170000000000000001" }],
    };
    for (const nothing of ["{}", "[]", '"{}"', '"[ ]"', "null"]) {
      const { id } = await taken(`"amount":100,"custom_fields":${nothing}`);
      const { body } = await ask(`/invoice/info?shop_id=${FAMILY_SHOP.id}&invoice_id=${id}`);
      assert.equal(body.data.custom_field, null, nothing);
    }
    for (const fields of [given, JSON.stringify(given)]) {
      const { id } = await taken(`"amount":100,"custom_fields":${fields}`);
      const { body } = await ask(`/invoice/info?shop_id=${FAMILY_SHOP.id}&invoice_id=${id}`);
      assert.deepEqual(body.data.custom_field, texts);
    }
  });

  it("commissions as numbers before there are details, and an empty invoice_id beside order_id", async () => {
    const commissions = async (shop: Shop, order: string) => {
      const answer = await ask(
        `/invoice/info?shop_id=${shop.id}&invoice_id=&order_id=${order}`,
        shop,
      );
      assert.equal(answer.status, 200, answer.text);
      const found = Object.entries<number | null>(answer.body.data).filter(([name]) =>
        name.includes("commission"),
      );
      return found.map(([, value]) => value);
    };
    await taken('"amount":100,"order_id":"costs"');
    assert.deepEqual(await commissions(FAMILY_SHOP, "costs"), [0, 0, 0, 0, 0]);
    const direct =
      '"amount":100,"order_id":"costs","type":"direct","include_service":["p2p_card"],"success_url":"https://s.example/"';
    await send(direct, SHOP);
    assert.deepEqual(await commissions(SHOP, "costs"), [null, null, null, null, null]);
    assert.match((await ask(`/invoice/info?shop_id=${FAMILY_SHOP.id}`)).body.error, /^Поле/);
  });

  it("webhooks whose own texts are ASCII, so that whoever writes the body again gets its signature", async () => {
    const hook = `"hook_url":"${receiver.url}"`;
    const fields = `"amount":1000,"type":"direct","include_service":["p2p_card"],"success_url":"https://s.example/ok",${hook}`;
    const { id } = await taken(fields);
    const details = await gateway.call("/invoice/h2h", {
      body: { invoice_id: id, shop_id: FAMILY_SHOP.id, payment_data: { bank: "sber" } },
      headers: { "x-api-key": FAMILY_SHOP.key },
    });
    const { wallet, amount } = details.body.data;
    await own.post("transfers", {
      wallet,
      amount: Number(amount),
      reference: "f1",
      payer: "Иван Петрович Щукин",
    });
    await trade.pass(200_000);
    await own.post("refunds", {
      invoice_id: id,
      amount: 10,
      reason: "Возврат по заказу 12/3 — брак",
    });
    await trade.pass(60);
    const [success, refund] = receiver.received;
    assert.equal(success?.body.payer_details, "Ivan P. S.");
    assert.equal(refund?.body.refund_reason, "Vozvrat po zakazu 12-3 ? brak");
    for (const told of [success, refund]) {
      const raw = told?.raw ?? "";
      assert.match(raw, /^[\x20-\x7e]+$/);
      assert.equal(phpJson(JSON.parse(raw)), raw, "as a client in PHP writes it again");
      const signature = createHmac("sha256", "sandbox_webhook_key").update(raw).digest("hex");
      assert.equal(told?.headers["x-api-sha256-signature"], signature);
    }
    const info = await ask(`/invoice/info?shop_id=${FAMILY_SHOP.id}&invoice_id=${id}`);
    assert.equal(info.body.data.payer_details, "Ivan P. S.");
  });
});

/** What PHP's json_encode makes of a body without options. */
function phpJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value)
    .replaceAll("/", "\\/")
    .replace(/[\u0080-\uffff]/g, escaped);
}

it("tells programs what is wrong in a header, and what it is about as it was sent", async () => {
  const headers = { "x-api-key": SHOP.key };
  const CASES: [answer: Promise<Answer>, code: string, fields: string | null][] = [
    [
      send('"amount":5,"include_service":["p2p_card"],"type":"link"', LINK_SHOP),
      "amount_too_small",
      "amount",
    ],
    [send('"type":"link"', LINK_SHOP), "field_required", "amount, include_service"],
    [
      gateway.call("/invoice/h2h", { body: { shop_id: SHOP.id, payment_data: {} }, headers }),
      "field_required",
      "invoice_id, payment_data.bank",
    ],
    [
      gateway.call("/invoice/create", { body: { shop_id: "x" }, headers }),
      "field_invalid",
      "shop_id",
    ],
    [gateway.call("/invoice/create", { body: "{", headers }), "malformed_json", null],
    [gateway.call("/nothing"), "path_not_found", null],
    [ask(`/invoice/info?shop_id=${SHOP.id}&order_id=none`, SHOP), "invoice_not_found", null],
    [own.ask("users", { name: "x", "наме\n": 1 }), "field_unknown", "?????"],
  ];
  for (const [asked, code, fields] of CASES) {
    const answer = await asked;
    assert.deepEqual(
      [answer.headers.get("x-kopeck-error"), answer.headers.get("x-kopeck-field")],
      [code, fields],
      answer.text,
    );
    assert.ok(answer.headers.get("x-request-id"));
  }
});
