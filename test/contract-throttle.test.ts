// Too many wrong secrets: 429 with Retry-After for whoever guesses, while a client with the right
// secret beside them, at the same address and for the same shop, notices nothing.

import assert from "node:assert/strict";
import { it } from "node:test";
import { invoiceBody, SHOP, URLS_SHOP, USER } from "./cast.ts";
import { assertSuccess, failureOf } from "./contract-doors.ts";
import type { Answer } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";

const AT_ONCE = 1_000;
const PARALLEL = 50;

const { gateway } = await openOneGateway();

const tariffs = (key: string, shop = SHOP) =>
  gateway.call(`/shops/${shop.id}/payment-tariffs`, { headers: { "x-api-key": key } });

const many = async (count: number, send: (index: number) => Promise<Answer>) => {
  const statuses: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      statuses.push((await send(next)).status);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return statuses;
};

it("wrong secrets are 401 up to a limit and 429 with Retry-After past it", async () => {
  const statuses = await many(AT_ONCE, (index) => tariffs(`guess-${index}`));
  assert.deepEqual([...new Set(statuses)], [401]);
  const answer = await tariffs("guess");
  failureOf(answer, 429);
  assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
});

it("wrong secrets do not disturb the right secret at the same address", async () => {
  failureOf(await tariffs("guess"), 429);
  assertSuccess(await tariffs(SHOP.key));
  const body = invoiceBody();
  const headers = { "x-api-key": SHOP.key };
  assertSuccess(await gateway.call("/invoice/create", { body, headers }));
  const mixed = await Promise.all(
    Array.from({ length: 40 }, (_, index) => tariffs(index % 2 === 0 ? SHOP.key : "guess")),
  );
  for (const [index, { status }] of mixed.entries()) {
    assert.equal(status, index % 2 === 0 ? 200 : 429);
  }
});

it("wrong secrets count for the shop on whichever endpoint, and not for another shop or a user", async () => {
  const headers = { "x-api-key": "guess", "x-api-signature-sha256": "guess" };
  const create = { body: invoiceBody(), headers };
  failureOf(await gateway.call("/invoice/create", create), 429);
  const h2h = { body: { shop_id: SHOP.id }, headers };
  failureOf(await gateway.call("/invoice/h2h", h2h), 429);
  failureOf(await tariffs("guess", URLS_SHOP), 401);
  failureOf(await gateway.call(`/account/users/${USER.id}/balance`, { headers }), 401);
});

it("wrong secrets of an unknown shop look no different", async () => {
  const unknown = { id: "00000000-0000-4000-8000-0000000000ff", key: "" };
  const statuses = await many(AT_ONCE, () => tariffs("guess", unknown));
  assert.deepEqual([...new Set(statuses)], [401]);
  const [known, nobody] = [await tariffs("guess"), await tariffs("guess", unknown)];
  failureOf(nobody, 429);
  assert.equal(nobody.text, known.text);
  assert.equal(nobody.headers.get("retry-after"), known.headers.get("retry-after"));
});

it("wrong secrets are heard again after the time that Retry-After asks for", async () => {
  const answer = await tariffs("guess");
  failureOf(answer, 429);
  gateway.clock.advance(Number(answer.headers.get("retry-after")));
  failureOf(await tariffs("guess"), 401);
});

it("wrong secrets have a limit again after a long rest, and no larger one", async () => {
  gateway.clock.advance(30 * 24 * 60 * 60);
  const statuses = await many(AT_ONCE + 5, (index) => tariffs(`guess-${index}`));
  assert.equal(statuses.filter((status) => status === 401).length, AT_ONCE);
  assert.equal(statuses.filter((status) => status === 429).length, 5);
});
