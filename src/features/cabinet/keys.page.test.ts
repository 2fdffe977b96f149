// /my/keys: secrets are shown once, and only what is one's own is ended.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice, SHOP, USER } from "../../../test/cast.ts";
import { hire, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, hiddenIn, wordsIn } from "../../../test/people.ts";

const { gateway } = await openOneGateway();

it("200: a key is shown once, works, and is revoked; sending the form again shows nothing", async () => {
  const owner = await anna(gateway);
  const page = await owner.open(`/my/keys/new?shop_id=${SHOP.id}`);
  const form = hiddenIn(page, "/my/keys/new");
  const { text } = await owner.post("/my/keys/new", form);
  const [key = ""] = /data-copy="([^"]{20,})"/.exec(text)?.slice(1) ?? [];
  assert.equal((await createInvoice(gateway, {}, { id: SHOP.id, key })).status, 200);
  assert.ok(!(await owner.post("/my/keys/new", form)).text.includes(key));
  const [, id = ""] =
    /\/my\/keys\/([0-9a-f-]{36})\/revoke/.exec(await owner.open("/my/keys")) ?? [];
  const path = `/my/keys/${id}/revoke`;
  assert.equal((await owner.fill(path, path)).status, 303);
  assert.ok(!(await owner.open("/my/keys")).includes(id));
});

it("200: webhook keys are made anew; a developer makes no secret that sends money", async () => {
  const developer = await signedInAs(gateway, await hire(gateway, "developer"));
  const path = `/my/keys/webhooks/${SHOP.id}`;
  const { text } = await developer.fill(path, path, { overlap_hours: "0" });
  assert.match(text, /whsec_/);
  assert.ok(!(await developer.open("/my/keys")).includes("/my/keys/new-own"));
  assert.equal((await developer.get("/my/keys/new-own")).status, 403);
  const made = await (await anna(gateway)).fill("/my/keys/new-own", "/my/keys/new-own");
  const [secret = ""] = /data-copy="([0-9a-f]{40})"/.exec(made.text)?.slice(1) ?? [];
  const headers = { "x-api-signature-sha256": secret };
  const answer = await gateway.call(`/account/users/${USER.id}/balance`, { headers });
  assert.equal(answer.status, 200);
});

it("200: support has no keys, and tokens of their own", async () => {
  const support = await signedInAs(gateway, await hire(gateway, "support"));
  assert.doesNotMatch(wordsIn(await support.open("/my/keys")), /New webhook keys/);
  const { text } = await support.fill("/my/tokens/new", "/my/tokens/new", { name: "nightly" });
  const [token = ""] = /kom_[\w-]+/.exec(text) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await gateway.call("/cabinet/me", { headers })).body.data.role, "support");
});
