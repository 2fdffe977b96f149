// /cabinet/keys and /cabinet/tokens: made, shown once, ended; each by who may, and nothing of anybody else's.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_SHOP, SHOP, URLS_SHOP, USER } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";

const { gateway, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

it("200: without a shop, all keys of the merchant and of their shops, and no others", async () => {
  const { items } = await mine.get("keys?limit=200");
  const owners = new Set(items.map((key: { shop_id: string; user_id: string }) => key.shop_id));
  assert.ok(owners.has(SHOP.id) && owners.has(URLS_SHOP.id) && !owners.has(OTHER_SHOP.id));
  assert.ok(items.some((key: { user_id: string }) => key.user_id === USER.id));
});

it("403: the merchant's own secret sends money, and is no developer's to make or to end", async () => {
  const { own: developer } = await hire(gateway, "developer");
  assert.equal((await developer.ask("keys", {})).status, 403);
  const { key, secret } = await mine.post("keys", {});
  assert.match(secret, /^[0-9a-f]{40}$/);
  assert.equal((await developer.ask(`keys/${key.key_id}/revoke`, {})).status, 403);
  assert.equal((await mine.post(`keys/${key.key_id}/revoke`)).key_id, key.key_id);
});

it("200: a token does what its maker may, for this merchant, until it ends or is revoked", async () => {
  const { own: support, personId } = await hire(gateway, "support");
  trade.tick();
  const { token, secret } = await support.post("tokens", { name: "export", expires_in_days: 1 });
  assert.match(secret, /^kom_/);
  const made = manage(gateway, secret, "cabinet");
  const { person, role } = await made.get("me");
  assert.deepEqual([person.person_id, role], [personId, "support"]);
  const { items } = await support.get("tokens");
  assert.deepEqual(
    items.map((one: { name: string }) => one.name),
    ["export", "test"],
  );
  // A colleague's, the owner's neither: it is nobody's but its maker's.
  for (const stranger of [mine, theirs]) {
    const other = await stranger.ask(`tokens/${token.token_id}/revoke`, {});
    const unknown = await stranger.ask(`tokens/${NOBODY}/revoke`, {});
    assert.deepEqual([other.status, other.text], [404, unknown.text]);
  }
  await support.post(`tokens/${token.token_id}/revoke`);
  assert.equal((await made.ask("me")).status, 401);
  const short = await support.post("tokens", { name: "short", expires_in_days: 1 });
  await trade.pass(DAY);
  assert.equal((await manage(gateway, short.secret, "cabinet").ask("me")).status, 401);
});
