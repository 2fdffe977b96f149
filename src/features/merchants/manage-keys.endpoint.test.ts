// Keys through /manage: a rotation locks nobody out, and a key that has ended opens nothing.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice, EMPTY_SHOP, OTHER_SHOP, SHOP, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR, NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();

/** Which of these secrets the shop is let in with. */
const open = async (id: string, secrets: readonly string[]): Promise<boolean[]> => {
  const answers = secrets.map((key) => createInvoice(gateway, {}, { id, key }));
  return (await Promise.all(answers)).map(({ status }) => status !== 401);
};
const freshShop = async () => {
  const { shop, api_key } = await own.post("shops", { user_id: USER.id, name: "Keys" });
  const { items } = await own.get(`keys?shop_id=${shop.shop_id}`);
  return { shop_id: shop.shop_id, first: api_key, key: items[0] };
};

it("200: after a rotation both keys work until the overlap ends, then only the new one", async () => {
  const { shop_id, first, key } = await freshShop();
  const wish = { shop_id: shop_id.toUpperCase(), overlap_hours: 2 };
  const { answer, row } = await trade.audited(() => own.post("keys/rotate", wish));
  assert.equal(answer.key.ends_at, null);
  assert.deepEqual(await open(shop_id, [first, answer.secret]), [true, true]);
  const { items } = await own.get(`keys?shop_id=${shop_id}`);
  const ends_at = new Date(Date.parse(trade.now()) + 2 * HOUR * 1000).toISOString();
  assert.deepEqual(items, [answer.key, { ...key, ends_at }]);
  assert.deepEqual([row.act, row.subject], ["key.rotate", answer.key.key_id]);
  assert.ok(!JSON.stringify([row, items]).includes(answer.secret));

  gateway.clock.advance(2 * HOUR - 1);
  assert.deepEqual(await open(shop_id, [first, answer.secret]), [true, true]);
  gateway.clock.advance(1);
  assert.deepEqual(await open(shop_id, [first, answer.secret]), [false, true]);
  // Nobody else has noticed.
  for (const { id, key: secret } of [SHOP, EMPTY_SHOP, OTHER_SHOP]) {
    assert.deepEqual(await open(id, [secret, answer.secret]), [true, false]);
  }
});

it("200: without an overlap the old keys stop at once; without a wish they have a day", async () => {
  const { shop_id, first } = await freshShop();
  const second = await own.post("keys/rotate", { shop_id });
  trade.tick();
  assert.deepEqual(await open(shop_id, [first, second.secret]), [true, true]);
  const third = await own.post("keys/rotate", { shop_id, overlap_hours: 0 });
  assert.deepEqual(await open(shop_id, [first, second.secret, third.secret]), [false, false, true]);
});

it("200: a rotation does not make a key live longer that ends sooner", async () => {
  const { shop_id, first } = await freshShop();
  await own.post("keys/rotate", { shop_id, overlap_hours: 1 });
  await own.post("keys/rotate", { shop_id, overlap_hours: 700 });
  gateway.clock.advance(HOUR);
  assert.deepEqual(await open(shop_id, [first]), [false]);
});

it("200: one more key works beside the others; a revoked one stops at once, alone", async () => {
  const { shop_id, first, key } = await freshShop();
  const { answer, logged } = await trade.audited(() => own.post("keys", { shop_id }));
  assert.deepEqual(logged, ["key.create", answer.key.key_id, null, answer.key]);
  assert.deepEqual(await open(shop_id, [first, answer.secret]), [true, true]);
  const revoke = `keys/${key.key_id}/revoke`;
  const revoked = await trade.audited(() => own.post(revoke));
  assert.deepEqual(await open(shop_id, [first, answer.secret]), [false, true]);
  assert.deepEqual(revoked.answer, { ...key, ends_at: trade.now() });
  assert.deepEqual([revoked.row.before, revoked.row.after], [key, revoked.answer]);
  // Once more changes nothing: the moment stays.
  trade.tick();
  assert.deepEqual(await own.post(revoke), revoked.answer);
});

it("200: a user's secret is rotated in the same way", async () => {
  const { user, secret } = await own.post("users", { name: "Rotates" });
  const { user_id } = user;
  const fresh = await own.post("keys/rotate", { user_id, overlap_hours: 0 });
  assert.match(fresh.secret, /^[0-9a-f]{40}$/);
  assert.deepEqual([fresh.key.user_id, fresh.key.shop_id], [user_id, null]);
  const statuses = [secret, fresh.secret].map(async (each) => {
    const headers = { "x-api-signature-sha256": each };
    return (await gateway.call(`/account/users/${user_id}/balance`, { headers })).status;
  });
  assert.deepEqual(await Promise.all(statuses), [401, 200]);
  assert.equal((await own.get(`keys?user_id=${user_id}`)).items.length, 2);
});

it("404 for an owner or a key that nobody knows, without a trace", async () => {
  await trade.refusedWithoutTrace(404, [
    ["keys", { shop_id: NOBODY }],
    ["keys", { user_id: NOBODY }],
    // A user is no shop.
    ["keys/rotate", { shop_id: USER.id }],
    ["keys/rotate", { user_id: SHOP.id }],
    [`keys/${NOBODY}/revoke`, {}],
  ]);
});

it("422 for no owner, two owners or an overlap without end, without a trace", async () => {
  await trade.refusedWithoutTrace(422, [
    ["keys", {}],
    ["keys", { shop_id: SHOP.id, user_id: USER.id }],
    ["keys/rotate", { shop_id: SHOP.id, overlap_hours: -1 }],
    ["keys/rotate", { shop_id: SHOP.id, overlap_hours: 721 }],
    ["keys/42/revoke", {}],
  ]);
});
