// What each field of POST /invoice/create may hold: missing, empty, of another type, malformed, at
// each limit and just past it. Guards that every refusal is a 422 that names the field, and that it
// stores nothing.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createInvoice, invoiceBody, SHOP } from "./cast.ts";
import { failureOf } from "./contract-doors.ts";
import { openOneGateway } from "./one-gateway.ts";

/** As messages write it. */
const spoken = (field: string) => field.replaceAll("_", " ");
const REQUIRED = ["amount", "order_id", "shop_id", "include_service", "type", "success_url"];
const ORIGIN = "https://shop.example/";
const customFields = (length: number, letter: string) =>
  `{"a":"${letter.repeat(length - '{"a":""}'.length)}"}`;
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const TAKEN: Readonly<Record<string, readonly unknown[]>> = {
  order_id: [
    "1",
    "a".repeat(255),
    "😀".repeat(255),
    " \t'\"\\;--<b>%s{0} ",
    "123456789012345678901234567890",
  ],
  comment: [undefined, null, "", "я".repeat(255), "😀".repeat(255)],
  expire: [undefined, null, "", 1, 7200],
  custom_fields: [
    undefined,
    null,
    "",
    "{}",
    {},
    { a: { b: [1, "2", null, true] } },
    '{"a":"\\\\u0000"}',
    ...["a", "я", "😀"].map((letter) => customFields(4096, letter)),
    JSON.parse(customFields(4096, "a")),
  ],
  email: [
    undefined,
    null,
    "",
    "first.last+tag@mail.example.com",
    "  payer@example.com ",
    "  ",
    "иван@x.ru",
    "почта@пример.рф",
    "\u00a0jörg@bücher.example",
    '"a b"@example.com',
    "a@[127.0.0.1]",
  ],
  currency: [undefined, null, "", "RUB"],
  success_url: [ORIGIN.padEnd(2048, "a")],
  fail_url: [undefined, null, "", ORIGIN.padEnd(2048, "a")],
  hook_url: [undefined, null, "", ORIGIN.padEnd(2048, "a")],
};

const OTHER_TYPES = [1, true, ["1"], {}];
const BAD_URLS = [
  1,
  false,
  [ORIGIN],
  {},
  ORIGIN.padEnd(2049, "a"),
  "no address",
  "/ok",
  "https://",
  "ftp://shop.example/",
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "file:///etc/passwd",
  "java\tscript:alert(1)",
  " \njavascript:alert(1)",
  "data:text/html,x",
  "https://[::1",
  "blob:https://shop.example/x",
  "https://user:pass@shop.example/",
  "//shop.example/ok",
  "https://user@shop.example/",
  "https://:pass@shop.example/",
  "shop.example/ok",
  "https://shop.example:99999/",
];

const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  amount: [
    "1000",
    "1000.00",
    true,
    [1000],
    {},
    0,
    -0.01,
    -1000,
    1000.001,
    1.005,
    100.005,
    1e21,
    1e-7,
  ],
  order_id: [
    ...OTHER_TYPES,
    "a".repeat(256),
    "😀".repeat(256),
    // 256 code points in 128 letters.
    "e\u0301".repeat(128),
  ],
  shop_id: [
    1,
    true,
    [SHOP.id],
    {},
    "42",
    SHOP.id.slice(1),
    `${SHOP.id}0`,
    `{${SHOP.id}}`,
    `urn:uuid:${SHOP.id}`,
  ],
  include_service: [
    "p2p_card",
    1,
    true,
    {},
    { 0: "p2p_card" },
    [],
    ["p2p_card", "p2p_card"],
    [""],
    [null],
    ["p2p_card", 1],
    [["p2p_card"]],
    ["p".repeat(10_000)],
    Array.from({ length: 21 }, (_, index) => `method_${index}`),
  ],
  type: [...OTHER_TYPES, "h2h", "Direct", "direct ", "LINK"],
  success_url: BAD_URLS,
  fail_url: BAD_URLS,
  hook_url: BAD_URLS,
  expire: ["300", true, [300], {}, 0, -1, 1.5, 0.5, 7201, 7200.5, 1e300],
  email: [
    1,
    false,
    ["payer@example.com"],
    {},
    "payer",
    "payer@",
    "@example.com",
    "payer@@example.com",
    "pay er@example.com",
    "payer@exa mple.com",
    "payer@example..com",
    "иван петров@x.ru",
    "и\u200bван@x.ru",
    "ива\u0085н@x.ru",
    "\u202eиван@x.ru",
    "иван@",
    "иван@пример..рф",
    "иван@при мер.рф",
    `${"я".repeat(251)}@x.ru`,
    "payer@example.com\n",
    "a@example.com, b@example.com",
    "Payer <payer@example.com>",
  ],
  custom_fields: [
    1,
    true,
    [],
    [{}],
    "text",
    "[]",
    "null",
    "1",
    '"x"',
    "{",
    '{"a":1',
    "{'a':1}",
    '{"a":1} {}',
    customFields(4097, "a"),
    customFields(4097, "я"),
    "{}".padEnd(4097),
    JSON.parse(customFields(4097, "a")),
  ],
  comment: [...OTHER_TYPES, "я".repeat(256), "😀".repeat(256), "👨‍👩‍👧‍👦".repeat(40)],
  currency: [
    643,
    true,
    ["RUB"],
    {},
    "rub",
    "Rub",
    "RU",
    "RUBL",
    "руб",
    "RUB ",
    "RUB\n",
    "USD",
    "JPY",
    "KWD",
    "XXX",
  ],
};

/** JSON texts, because these numbers do not survive a double. */
const BAD_AMOUNT_TEXTS = [
  "1e400",
  "-1e400",
  "100.00000000000000001",
  "1000.0100000000000000001",
  "1000.005",
  "100.0000000000001",
  "10000000000000001e-14",
  "9007199254740993",
  "9".repeat(32),
];

/** As they are written, in JSON; those "as text" only inside of one, for as an object the whole body is malformed. */
const CUSTOM_FIELDS_FAULTS: readonly (readonly [string, readonly string[], string, string])[] = [
  [
    "a number that loses digits",
    [
      '{"id":9007199254740993}',
      '{"id":12345678901234567891}',
      '{"id":1e400}',
      '{"a":[{"b":100.00000000000000001}]}',
      '{"a":0.12345678901234567890123}',
      '{"a":0.12345678901234567}',
      '{"a":9007199254740993.0}',
    ],
    "must hold no number with more digits than can be kept: write it as a string",
    "не должно содержать чисел, все цифры которых не сохранить: запишите такое число строкой",
  ],
  [
    "as text, a number of more than 40 characters",
    [`{"a":${"1".repeat(41)}}`],
    "must hold no number with more digits than can be kept: write it as a string",
    "не должно содержать чисел, все цифры которых не сохранить: запишите такое число строкой",
  ],
  [
    "NUL and half a surrogate pair",
    ['{"a":"x\\u0000"}', '{"a":[{"\\ud83d":1}]}'],
    "must be well-formed text without NUL",
    "должно быть корректным текстом без символа NUL",
  ],
  [
    "as text, a __proto__ key",
    ['{"a":{"__proto__":1}}', '{"\\u005f_proto__":1}'],
    "must not have a key __proto__",
    "не должно содержать ключ __proto__",
  ],
  [
    "longer than it may be",
    [customFields(4097, "a")],
    "must have at most 4096 characters",
    "должно быть не длиннее 4096 символов",
  ],
  [
    "nested too deep",
    [`{"a":${deep(1001)}}`],
    "must be nested at most 1000 deep",
    "должно иметь не больше 1000 уровней вложенности",
  ],
  [
    "no object",
    ["[1]"],
    "must be a JSON object, written as a string",
    "должно быть JSON-объектом, записанным строкой",
  ],
  [
    "as text, no JSON",
    ["{'a':1}", '{"a":1'],
    "must be a JSON object, written as a string",
    "должно быть JSON-объектом, записанным строкой",
  ],
];

const PROTO_KEYS = ["__proto__", "\\u005f\\u005fproto__", "__pr\\u006fto__", "__prot\\u006F__"];

/** NUL, and halves of a surrogate pair. */
const UNCLEAN = ["\0", "\ud83d", "\ude00"];

/** Where an unclean character could slip through a check of the form alone. */
const WITH_CHARACTER: Readonly<Record<string, (character: string) => unknown[]>> = {
  order_id: (character) => [`a${character}b`],
  shop_id: (character) => [`${SHOP.id}${character}`],
  include_service: (character) => [[`p2p_card${character}`]],
  type: (character) => [`direct${character}`],
  success_url: (character) => [`${ORIGIN}${character}`],
  fail_url: (character) => [`${ORIGIN}?${character}`],
  hook_url: (character) => [`${ORIGIN}#${character}`],
  email: (character) => [`"a${character}b"@example.com`],
  custom_fields: (character) => [
    JSON.stringify({ a: `x${character}` }),
    { a: [{ b: character }] },
    { a: [{ [character]: 1 }] },
  ],
  comment: (character) => [character],
  currency: (character) => [`RUB${character}`],
};

const { gateway } = await openOneGateway();

const stored = () =>
  gateway.app.db.query<{ custom_fields: string }>("select custom_fields from invoices order by id");

const sendText = (body: string, headers: Record<string, string> = {}) =>
  gateway.call("/invoice/create", { body, headers: { "x-api-key": SHOP.key, ...headers } });

/** A body that holds one more field, or another value of it, written exactly so. */
const withText = (field: string, text: string, headers?: Record<string, string>) => {
  const body = JSON.stringify(invoiceBody({ [field]: undefined }));
  return sendText(
    body.replace("{", () => `{"${field}":${text},`),
    headers,
  );
};

for (const [field, values] of Object.entries(TAKEN)) {
  it(`200: ${field}`, async () => {
    for (const value of values) {
      const answer = await createInvoice(gateway, { [field]: value });
      assert.equal(answer.status, 200, `${JSON.stringify(value)}: ${answer.text}`);
    }
  });
}

it("200: a number in custom_fields is kept as it is or refused", async () => {
  for (const text of ['{"id":12345678901234567890}', '{"id":9007199254740993}', '{"id":1e400}']) {
    for (const value of [JSON.stringify(text), text]) {
      const answer = await withText("custom_fields", value);
      if (answer.status === 422) continue;
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await stored()).at(-1)?.custom_fields, text);
    }
  }
});

it("200: a float in custom_fields is taken as programs print it with 16 or 17 digits, and comes back as a double", async () => {
  for (const [text, kept] of [
    ["0.10000000000000001", 0.1],
    ["3.1415926535897931", Math.PI],
    ["-2.2000000000000002", -2.2],
    ["9.9999999999999995e-07", 1e-6],
    ["9.9999999999999992e+22", 1e23],
    ["0.007900000000000001", 0.0079],
  ] as const) {
    const fields = `{"a":${text},"b":[{"c":${text}}]}`;
    for (const value of [JSON.stringify(fields), fields]) {
      const answer = await withText("custom_fields", value);
      assert.equal(answer.status, 200, `${text}: ${answer.text}`);
      const info = `/invoice/info?shop_id=${SHOP.id}&invoice_id=${answer.body.data.id}`;
      const { body } = await gateway.call(info, { headers: { "x-api-key": SHOP.key } });
      assert.deepEqual(body.data.custom_field, { a: kept, b: [{ c: kept }] });
    }
  }
});

describe("422", () => {
  let count = 0;
  beforeEach(async () => {
    count = (await stored()).length;
  });
  afterEach(async () =>
    assert.equal((await stored()).length, count, "a refusal has stored something"),
  );

  const complaint = async (field: string, value: unknown) =>
    failureOf(await createInvoice(gateway, { [field]: value }), 422);
  const refused = async (field: string, value: unknown) => {
    const message = await complaint(field, value);
    const sent = JSON.stringify(value).slice(0, 100);
    assert.ok(message.includes(spoken(field)), `${sent} names ${spoken(field)}: ${message}`);
  };

  for (const field of REQUIRED) {
    it(`${field} is missing, null or empty`, async () => {
      for (const value of [undefined, null, ""]) {
        assert.equal(await complaint(field, value), `The ${spoken(field)} field is required.`);
      }
    });
  }

  for (const [field, values] of Object.entries(REFUSED)) {
    it(`${field} of another type, malformed or past a limit`, async () => {
      for (const value of values) await refused(field, value);
    });
  }

  for (const [field, valuesOf] of Object.entries(WITH_CHARACTER)) {
    it(`${field} with NUL or half a surrogate pair`, async () => {
      for (const value of UNCLEAN.flatMap(valuesOf)) await refused(field, value);
    });
  }

  it("amount beyond every tariff, and a list of nothing, in words that fit", async () => {
    for (const amount of ["1e300", "123e20"]) {
      const answer = await withText("amount", amount);
      assert.equal(failureOf(answer, 422), "The amount field must be at most 1000000000000.");
    }
    assert.equal(
      await complaint("include_service", []),
      "The include service field must hold 1 or more items.",
    );
    assert.match(failureOf(await withText("amount", "1".repeat(41)), 422), /40 characters/);
  });

  it("amount is written as no double can hold it", async () => {
    for (const text of BAD_AMOUNT_TEXTS) {
      assert.match(failureOf(await withText("amount", text), 422), /\bamount\b/, text);
    }
  });

  for (const [name, texts, words, ru] of CUSTOM_FIELDS_FAULTS) {
    it(`custom_fields say what is wrong: ${name}`, async () => {
      for (const text of texts) {
        for (const value of name.startsWith("as text")
          ? [JSON.stringify(text)]
          : [text, JSON.stringify(text)]) {
          const answer = await withText("custom_fields", value);
          assert.equal(
            failureOf(answer, 422),
            `The custom fields field ${words}.`,
            value.slice(0, 80),
          );
          assert.equal(answer.headers.get("x-kopeck-error"), "field_invalid");
          assert.equal(answer.headers.get("x-kopeck-field"), "custom_fields");
          const inRussian = await withText("custom_fields", value, { "accept-language": "ru" });
          assert.equal(failureOf(inRussian, 422), `Поле custom fields ${ru}.`);
        }
      }
    });
  }

  for (const key of PROTO_KEYS) {
    it(`the key ${key}, anywhere in the body`, async () => {
      failureOf(await withText(key, "{}"), 422);
      failureOf(await withText(key, "null"), 422);
      failureOf(await withText("unknown", `[{"${key}":{"a":1}}]`), 422);
      failureOf(await withText("custom_fields", `{"${key}":{"a":1}}`), 422);
      await refused("custom_fields", `{"a":{"${key}":{"a":1}}}`);
      const inherited = JSON.stringify(invoiceBody({ amount: undefined }));
      failureOf(await sendText(inherited.replace("{", `{"${key}":{"amount":1000},`)), 422);
    });
  }

  it("nested without end", async () => {
    for (const [field, text] of [
      ["custom_fields", `{"a":${deep(20_000)}}`],
      ["custom_fields", JSON.stringify(`{"a":${deep(2_000)}}`.padEnd(4097))],
      ["include_service", deep(20_000)],
      ["amount", deep(20_000)],
      ["order_id", deep(20_000)],
    ] as const) {
      const message = failureOf(await withText(field, text), 422);
      assert.ok(message.includes(spoken(field)), message);
    }
  });
});
