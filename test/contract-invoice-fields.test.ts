// What each field of POST /invoice/create may hold: missing, empty, of another type, malformed, at
// each limit and just past it. Guards that every refusal is a 422 that names the field, and that it
// stores nothing.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createInvoice, invoiceBody, SHOP } from "./cast.ts";
import { failureOf } from "./contract-doors.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";

const REQUIRED = ["amount", "order_id", "shop_id", "include_service", "type", "success_url"];
const OPTIONAL = [
  "fail_url",
  "hook_url",
  "expire",
  "email",
  "custom_fields",
  "comment",
  "currency",
];
const URLS = ["success_url", "fail_url", "hook_url"];

/** As messages write it. */
const spoken = (field: string) => field.replaceAll("_", " ");

const ORIGIN = "https://shop.example/";
const customFields = (length: number, letter: string) =>
  `{"a":"${letter.repeat(length - '{"a":""}'.length)}"}`;
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const WRONG_TYPES: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ["amount", ["1000", "1000.00", true, [1000], {}]],
  ["order_id", [1, true, ["1"], {}]],
  ["shop_id", [1, true, [SHOP.id], {}]],
  ["include_service", ["p2p_card", 1, true, {}, { 0: "p2p_card" }]],
  ["type", [1, true, ["direct"], {}]],
  ["success_url", [1, true, [ORIGIN], {}]],
  ["fail_url", [1, false, [ORIGIN], {}]],
  ["hook_url", [1, false, [ORIGIN], {}]],
  ["expire", ["300", true, [300], {}]],
  ["email", [1, false, ["payer@example.com"], {}]],
  ["custom_fields", [1, true, [], [{}]]],
  ["comment", [1, false, ["x"], {}]],
  ["currency", [643, true, ["RUB"], {}]],
];

const MALFORMED: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ["amount", [0, -0.01, -1000, 1000.001, 1.005, 100.005, 1e21, 1e-7]],
  ["shop_id", ["42", SHOP.id.slice(1), `${SHOP.id}0`, `{${SHOP.id}}`, `urn:uuid:${SHOP.id}`]],
  ["type", ["h2h", "Direct", "direct ", "LINK"]],
  ["expire", [0, -1, 1.5, 0.5, 7201, 7200.5, 1e300]],
  [
    "email",
    [
      "payer",
      "payer@",
      "@example.com",
      "payer@@example.com",
      "pay er@example.com",
      "payer@exa mple.com",
      "payer@example..com",
      "payer@example.com\n",
      "a@example.com, b@example.com",
      "Payer <payer@example.com>",
    ],
  ],
  ["custom_fields", ["text", "[]", "null", "1", '"x"', "{", '{"a":1', "{'a':1}", '{"a":1} {}']],
  ["currency", ["rub", "Rub", "RU", "RUBL", "руб", "RUB ", "RUB\n", "USD", "JPY", "KWD", "XXX"]],
];

const AT_THE_LIMIT: readonly (readonly [name: string, changes: Record<string, unknown>])[] = [
  ["order_id of 1 character", { order_id: "1" }],
  ["order_id of 255 characters", { order_id: "a".repeat(255) }],
  ["order_id of 255 emoji", { order_id: "😀".repeat(255) }],
  ["order_id of blanks and signs", { order_id: " \t'\"\\;--<b>%s{0} " }],
  ["order_id of digits past a double", { order_id: "123456789012345678901234567890" }],
  ["comment of 255 characters", { comment: "я".repeat(255) }],
  ["comment of 255 emoji", { comment: "😀".repeat(255) }],
  ["expire of 1 minute", { expire: 1 }],
  ["expire of 7200 minutes", { expire: 7200 }],
  ["custom_fields {}", { custom_fields: "{}" }],
  ["custom_fields as an object", { custom_fields: { a: { b: [1, "2", null, true] } } }],
  ["custom_fields as an empty object", { custom_fields: {} }],
  ["custom_fields of 4096 characters", { custom_fields: customFields(4096, "a") }],
  ["custom_fields of 4096 characters, Cyrillic", { custom_fields: customFields(4096, "я") }],
  ["custom_fields of 4096 characters, emoji", { custom_fields: customFields(4096, "😀") }],
  ["custom_fields as an object of 4096", { custom_fields: JSON.parse(customFields(4096, "a")) }],
  ["custom_fields with an escaped backslash", { custom_fields: '{"a":"\\\\u0000"}' }],
  ["email with a plus and dots", { email: "first.last+tag@mail.example.com" }],
  ["currency RUB", { currency: "RUB" }],
  ...URLS.map(
    (field) => [`${field} of 2048 characters`, { [field]: ORIGIN.padEnd(2048, "a") }] as const,
  ),
];

const PAST_THE_LIMIT: readonly (readonly [field: string, name: string, value: unknown])[] = [
  ["order_id", "256 characters", "a".repeat(256)],
  ["order_id", "256 emoji", "😀".repeat(256)],
  ["order_id", "256 code points in 128 letters", "e\u0301".repeat(128)],
  ["comment", "256 characters", "я".repeat(256)],
  ["comment", "256 emoji", "😀".repeat(256)],
  ["comment", "families of code points", "👨‍👩‍👧‍👦".repeat(40)],
  ["custom_fields", "4097 characters", customFields(4097, "a")],
  ["custom_fields", "4097 characters, Cyrillic", customFields(4097, "я")],
  ["custom_fields", "4097 characters of blanks", "{}".padEnd(4097)],
  ["custom_fields", "an object of 4097", JSON.parse(customFields(4097, "a"))],
  ["include_service", "no item", []],
  ["include_service", "21 items", Array.from({ length: 21 }, (_, index) => `method_${index}`)],
  ["include_service", "a method twice", ["p2p_card", "p2p_card"]],
  ["include_service", "an empty item", [""]],
  ["include_service", "a null item", [null]],
  ["include_service", "a number among them", ["p2p_card", 1]],
  ["include_service", "a list among them", [["p2p_card"]]],
  ["include_service", "an endless item", ["p".repeat(10_000)]],
  ...URLS.map((field) => [field, "2049 characters", ORIGIN.padEnd(2049, "a")] as const),
];

const BAD_URLS = [
  "ftp://shop.example/",
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "java\tscript:alert(1)",
  " \njavascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "blob:https://shop.example/x",
  "https://user:pass@shop.example/",
  "https://user@shop.example/",
  "https://:pass@shop.example/",
  "shop.example/ok",
  "//shop.example/ok",
  "/ok",
  "https://",
  "https://shop.example:99999/",
  "https://[::1",
  "no address",
];

/** JSON texts, because these numbers do not survive a double. */
const BAD_AMOUNT_TEXTS = [
  "1e400",
  "-1e400",
  "100.00000000000000001",
  "1000.0100000000000000001",
  "100.0000000000001",
  "10000000000000001e-14",
  "1000.005",
  "9007199254740993",
  "99999999999999999999999999999999",
];

const PROTO_KEYS = ["__proto__", "\\u005f\\u005fproto__", "__pr\\u006fto__", "__prot\\u006F__"];

const UNCLEAN = { NUL: "\0", "a lone high surrogate": "\ud83d", "a lone low surrogate": "\ude00" };

/** Where an unclean character could slip through a check of the form alone. */
const WITH_CHARACTER: Readonly<Record<string, (character: string) => unknown>> = {
  order_id: (character) => `a${character}b`,
  shop_id: (character) => `${SHOP.id}${character}`,
  include_service: (character) => [`p2p_card${character}`],
  type: (character) => `direct${character}`,
  success_url: (character) => `${ORIGIN}${character}`,
  fail_url: (character) => `${ORIGIN}?${character}`,
  hook_url: (character) => `${ORIGIN}#${character}`,
  email: (character) => `"a${character}b"@example.com`,
  custom_fields: (character) => JSON.stringify({ a: `x${character}` }),
  comment: (character) => `${character}`,
  currency: (character) => `RUB${character}`,
};

onEachEngine("the fields of POST /invoice/create", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const countInvoices = async () => {
    const rows = await gateway.app.db.query<{ count: number }>(
      "select count(*)::int as count from invoices",
      [],
    );
    return rows[0]?.count;
  };

  const sendText = (body: string) =>
    gateway.call("/invoice/create", { body, headers: { "x-api-key": SHOP.key } });

  /** A body that holds one more field, or another value of it, written exactly so. */
  const withText = (field: string, text: string) => {
    const body = JSON.stringify(invoiceBody({ [field]: undefined }));
    return sendText(body.replace("{", `{"${field}":${text},`));
  };

  describe("200", () => {
    for (const [name, changes] of AT_THE_LIMIT) {
      it(name, async () => {
        const answer = await createInvoice(gateway, changes);
        assert.equal(answer.status, 200, answer.text);
      });
    }

    for (const field of OPTIONAL) {
      it(`${field} missing, null or empty`, async () => {
        for (const value of [undefined, null, ""]) {
          const answer = await createInvoice(gateway, { [field]: value });
          assert.equal(answer.status, 200, answer.text);
        }
      });
    }

    for (const text of ['{"id":12345678901234567890}', '{"id":9007199254740993}', '{"id":1e400}']) {
      it(`a number in custom_fields is kept as it is or refused: ${text}`, async () => {
        const body = invoiceBody({ custom_fields: text });
        for (const answer of [
          await sendText(JSON.stringify(body)),
          await sendText(
            JSON.stringify({ ...invoiceBody(), custom_fields: "@" }).replace('"@"', text),
          ),
        ]) {
          if (answer.status === 422) continue;
          assert.equal(answer.status, 200, answer.text);
          const [row] = await gateway.app.db.query<{ custom_fields: string }>(
            "select custom_fields from invoices where id = $1",
            [answer.body.data.id],
          );
          assert.equal(row?.custom_fields, text);
        }
      });
    }
  });

  describe("422", () => {
    let stored: number | undefined;
    beforeEach(async () => {
      stored = await countInvoices();
    });
    afterEach(async () => assert.equal(await countInvoices(), stored, "a refusal stores nothing"));

    const complaint = async (field: string, value: unknown) =>
      failureOf(await createInvoice(gateway, { [field]: value }), 422);

    const refused = async (field: string, value: unknown) => {
      const message = await complaint(field, value);
      assert.ok(message.includes(spoken(field)), `names ${spoken(field)}: ${message}`);
    };

    for (const field of REQUIRED) {
      for (const value of [undefined, null, ""]) {
        it(`${field} is ${JSON.stringify(value) ?? "missing"}`, async () => {
          assert.equal(await complaint(field, value), `The ${spoken(field)} field is required.`);
        });
      }
    }

    for (const [field, values] of WRONG_TYPES) {
      for (const value of values) {
        it(`${field} of another type: ${JSON.stringify(value)}`, () => refused(field, value));
      }
    }

    for (const [field, values] of MALFORMED) {
      for (const value of values) {
        it(`${field} malformed: ${JSON.stringify(value)}`, () => refused(field, value));
      }
    }

    it("a shop id that is no UUID is told so", async () => {
      const message = await complaint("shop_id", "42");
      assert.equal(message, "The shop id field must be a UUID.");
    });

    for (const [field, name, value] of PAST_THE_LIMIT) {
      it(`${field}: ${name}`, () => refused(field, value));
    }

    for (const field of URLS) {
      for (const url of BAD_URLS) {
        it(`${field} is ${JSON.stringify(url)}`, () => refused(field, url));
      }
    }

    for (const text of BAD_AMOUNT_TEXTS) {
      it(`amount is written ${text}`, async () => {
        assert.match(failureOf(await withText("amount", text), 422), /\bamount\b/);
      });
    }

    for (const [field, value] of Object.entries(WITH_CHARACTER)) {
      for (const [name, character] of Object.entries(UNCLEAN)) {
        it(`${field} with ${name}`, () => refused(field, value(character)));
      }
    }

    it("custom_fields as an object with NUL or half a surrogate pair, in keys and values", async () => {
      for (const character of Object.values(UNCLEAN)) {
        await refused("custom_fields", { a: [{ b: character }] });
        await refused("custom_fields", { a: [{ [character]: 1 }] });
      }
    });

    for (const key of PROTO_KEYS) {
      it(`a body with the key ${key}`, async () => {
        failureOf(await withText(key, "{}"), 422);
        failureOf(await withText(key, "null"), 422);
        failureOf(await withText("unknown", `[{"${key}":{"a":1}}]`), 422);
      });

      it(`a body that inherits its amount through ${key}`, async () => {
        const body = JSON.stringify(invoiceBody({ amount: undefined }));
        failureOf(await sendText(body.replace("{", `{"${key}":{"amount":1000},`)), 422);
      });

      it(`custom_fields with the key ${key}`, async () => {
        failureOf(await withText("custom_fields", `{"${key}":{"a":1}}`), 422);
        await refused("custom_fields", `{"a":{"${key}":{"a":1}}}`);
      });
    }

    for (const [field, text] of [
      ["custom_fields", `{"a":${deep(20_000)}}`],
      ["custom_fields", JSON.stringify(`{"a":${deep(2_000)}}`.padEnd(4097))],
      ["include_service", deep(20_000)],
      ["amount", deep(20_000)],
      ["order_id", deep(20_000)],
    ] as const) {
      it(`${field} nested without end: ${text.slice(0, 12)}…`, async () => {
        const message = failureOf(await withText(field, text), 422);
        assert.ok(message.includes(spoken(field)), message);
      });
    }
  });
});
