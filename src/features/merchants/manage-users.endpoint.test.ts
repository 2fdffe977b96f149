// Users through /manage: secrets that work and are shown once, names that change, lists in pages.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR, NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();

const bankList = (id: string, secret: string) =>
  gateway.call(`/payoff/get-sbp-bank-list?user_id=${id}`, {
    headers: { "x-api-signature-sha256": secret },
  });

it("200: a new user's secret works at once, and is shown only then", async () => {
  const { answer, logged } = await trade.audited(() => own.post("users", { name: "Acme" }));
  const { user, secret, webhook_key, webhook_secret } = answer;
  assert.match(secret, /^[0-9a-f]{40}$/);
  assert.match(`${webhook_key} ${webhook_secret}`, /^hook_\S{32,} whsec_\S{32,}$/);
  assert.equal((await bankList(user.user_id, secret)).status, 200);
  assert.equal((await bankList(user.user_id, secret.replace(/^./, "z"))).status, 401);
  assert.deepEqual(await trade.balance({ id: user.user_id, secret }), [0, 0, 0]);
  const list = await own.ask("users");
  assert.deepEqual(list.body.data.items[0], user);
  for (const one of [secret, webhook_key, webhook_secret]) assert.ok(!list.text.includes(one));
  assert.deepEqual(logged, ["user.create", user.user_id, null, user]);
});

it("200: a user is renamed, whatever the case of the id, and nothing else changes", async () => {
  const { user, secret } = await own.post("users", { name: "Before" });
  const path = `users/${user.user_id.toUpperCase()}`;
  const { answer, row } = await trade.audited(() => own.post(path, { name: "After" }));
  assert.deepEqual(answer, { ...user, name: "After" });
  assert.deepEqual([row.act, row.before, row.after], ["user.update", user, answer]);
  assert.equal((await bankList(user.user_id, secret)).status, 200);
});

it("200: webhook keys are replaced, the old ones for a while beside them; the first ones are alone", async () => {
  const { user, ...old } = await own.post("users", { name: "Hooked" });
  const path = `users/${user.user_id}/rotate-webhook-keys`;
  const { answer, logged } = await trade.audited(() => own.post(path, { overlap_hours: 2 }));
  const old_until = new Date(Date.parse(trade.now()) + 2 * HOUR * 1000).toISOString();
  assert.deepEqual([answer.old_until, answer.webhook_key !== old.webhook_key], [old_until, true]);
  assert.deepEqual(logged, ["user.rotate_webhook_keys", user.user_id, null, { old_until }]);
  const [status, message] = await own.refused(path, {});
  assert.deepEqual([status, String(message).includes(`until ${old_until}`)], [422, true]);
  assert.equal((await own.post(path, { overlap_hours: 0 })).old_until, null);
  await gateway.app.db.query("delete from webhook_keys where shop_id = $1", [user.user_id]);
  assert.equal((await own.post(path)).old_until, null, "a user of before had none");
});

it("422: a page has a limit of 1 to 200 and a place that a page has named", async () => {
  for (const query of ["limit=0", "limit=201", "limit=abc", "limit=1.5", "limit=-1"]) {
    assert.deepEqual((await own.refused(`users?${query}`))[0], 422, query);
  }
  for (const after of ["garbage", "%00", `${NOBODY}.`, "0'; drop table users"]) {
    assert.deepEqual((await own.refused(`users?after=${after}`))[0], 422, after);
  }
  // The place of another list has the right form and the wrong number of ids.
  assert.deepEqual((await own.refused(`users?after=${NOBODY}.${NOBODY}`))[0], 400);
});
