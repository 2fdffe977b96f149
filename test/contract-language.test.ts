// Messages in English, or in Russian where Accept-Language prefers it, for failures of every kind.

import assert from "node:assert/strict";
import { it } from "node:test";
import { EMPTY_SHOP, invoiceBody, LINK_SHOP, SHOP, USER } from "./cast.ts";
import { failureOf } from "./contract-doors.ts";
import type { Answer, TestGateway } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";

const RUSSIAN = [
  "ru",
  "ru-RU",
  "RU",
  "ru, en",
  "ru;q=0.5",
  "de, ru;q=0.5",
  "en;q=0, ru;q=0.1",
  "ru-RU;q=0.9, en;q=0.1",
  "en;q=0.1, ru-RU;q=0.9",
  "ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7",
];

const ENGLISH = [
  undefined,
  "",
  "en",
  "en,ru;q=0.5",
  "en-GB,en;q=0.9,ru;q=0.8",
  "ru;q=0.5, en",
  "en, ru",
  "de",
  "*",
  "ru;q=0",
  "x-ru",
  "rue, rum",
  ",;q=,,",
];

type Send = (gateway: TestGateway, headers: Record<string, string | undefined>) => Promise<Answer>;

const create =
  (changes: Record<string, unknown>, { id, key } = SHOP): Send =>
  (gateway, headers) =>
    gateway.call("/invoice/create", {
      body: invoiceBody({ shop_id: id, ...changes }),
      headers: { "x-api-key": key, ...headers },
    });

/** What is refused, its status, and what the message says in either language. */
const FAILURES: readonly (readonly [name: string, status: number, Send, both?: RegExp])[] = [
  ["a 401", 401, create({}, { ...SHOP, key: "wrong" })],
  ["a 404 of a path", 404, (gateway, headers) => gateway.call("/nope", { headers })],
  [
    "a 404 of the business",
    404,
    (gateway, headers) =>
      gateway.call(`/shops/${EMPTY_SHOP.id}/payment-tariffs`, {
        headers: { "x-api-key": EMPTY_SHOP.key, ...headers },
      }),
  ],
  ["a field that is missing", 422, create({ amount: undefined }), /\bamount\b/],
  ["a field of another type", 422, create({ order_id: 1 }), /\border id\b/],
  ["a field past its limit", 422, create({ comment: "x".repeat(256) }), /\bcomment\b.*255/],
  ["a malformed field", 422, create({ hook_url: "x" }), /\bhook url\b/],
  ["an unknown choice", 422, create({ type: "x" }), /\btype\b.*direct, link/],
  [
    "an identifier that is no UUID",
    422,
    (gateway, headers) => gateway.call("/account/users/42/balance", { headers }),
    /\buser id\b.*UUID/,
  ],
  ["a refusal of the business", 422, create({}, LINK_SHOP), /h2h/i],
  ["an amount out of bounds", 422, create({ amount: 1 }), /\bamount\b.*100/],
  ["a method out of use", 422, create({ include_service: ["card"] }), /include service.*card/],
  [
    "malformed JSON",
    422,
    (gateway, headers) => gateway.call("/invoice/create", { body: "{", headers }),
    /JSON/,
  ],
  ["a wrong method", 405, (gateway, headers) => gateway.call("/invoice/h2h", { headers })],
  [
    "a body too large",
    413,
    (gateway, headers) => gateway.call("/invoice/create", { body: " ".repeat(65_537), headers }),
    /larger than this path takes|больше, чем принимает/,
  ],
  [
    "a body of another kind",
    415,
    (gateway, headers) =>
      gateway.call("/invoice/create", {
        body: "x",
        headers: { ...headers, "content-type": "text/plain" },
      }),
    /application\/json/,
  ],
];

const { gateway } = await openOneGateway();

const words = async (send: Send, status: number, language: string | undefined) =>
  failureOf(await send(gateway, { "accept-language": language }), status);

for (const [name, status, send, both = /./] of FAILURES) {
  it(`${name} is said in Russian and in English`, async () => {
    const russian = await words(send, status, "ru");
    assert.match(russian, /\p{Script=Cyrillic}{3}/u);
    assert.match(russian, both);
    const english = await words(send, status, "en");
    assert.doesNotMatch(english, /\p{Script=Cyrillic}/u);
    assert.match(english, both);
  });
}

it("is Russian where that is preferred, and English everywhere else", async () => {
  const send = create({ amount: undefined });
  for (const [languages, expected] of [
    [RUSSIAN, await words(send, 422, "ru")],
    [ENGLISH, await words(send, 422, "en")],
  ] as const) {
    for (const language of languages) {
      assert.equal(await words(send, 422, language), expected, `Accept-Language: ${language}`);
    }
  }
});

it("is Russian in each message of h2h's list", async () => {
  const answer = await gateway.call("/invoice/h2h", {
    body: { shop_id: SHOP.id, invoice_id: "42", ip: "x", payment_data: {} },
    headers: { "x-api-key": SHOP.key, "accept-language": "ru" },
  });
  failureOf(answer, 422, "array");
  assert.equal(answer.body.error.length, 3);
  for (const message of answer.body.error) assert.match(message, /\p{Script=Cyrillic}{3}/u);
  for (const [index, field] of ["invoice id", "ip", "bank"].entries()) {
    assert.ok(answer.body.error[index].includes(field));
  }
});

it("changes nothing in a success", async () => {
  const ask = (language: string) =>
    gateway.call(`/account/users/${USER.id}/balance`, {
      headers: { "x-api-signature-sha256": USER.secret, "accept-language": language },
    });
  assert.equal((await ask("ru")).text, (await ask("en")).text);
});
