// Who may manage the gateway: tokens, roles, and how a token ends.

import assert from "node:assert/strict";
import { it } from "node:test";
import { manage, OPERATOR_TOKEN } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const SANDBOX_ID = "00000000-0000-4000-8000-000000000008";

const { gateway, own } = await openOneGateway();

it("200: says whose token it is", async () => {
  const me = { operator_id: SANDBOX_ID, name: "sandbox", role: "operator" };
  assert.deepEqual(await own.get("me"), { ...me, time_zone: "Europe/Moscow" });
});

it("200: a new operator's token works at once, and is shown only then", async () => {
  const { operator, token } = await own.post("operators", { name: "Anna", role: "operator" });
  assert.match(token, /^kop_[\w-]{32}$/);
  assert.equal((await manage(gateway, token).get("me")).name, "Anna");
  const list = await own.ask("operators");
  assert.ok(!list.text.includes(token));
  assert.deepEqual(list.body.data.items[0], operator);
  const audit = await own.lastAudit();
  assert.equal(audit.act, "operator.create");
  assert.equal(audit.operator_name, "sandbox");
  assert.equal(audit.subject, operator.operator_id);
  assert.deepEqual([audit.before, audit.after], [null, operator]);
});

it("401 for anything but a token that is known, as a bearer", async () => {
  const wrong = [undefined, "", OPERATOR_TOKEN, "Bearer", "Bearer wrong", "Basic c2FuZGJveA=="];
  for (const authorization of wrong) {
    const { status } = await gateway.call("/manage/me", { headers: { authorization } });
    assert.equal(status, 401, authorization);
  }
});

it("422: the last operator cannot be revoked, though a viewer is left", async () => {
  const { items } = await own.get("operators?limit=200");
  const others = items.filter(
    (one: { role: string; operator_id: string; revoked_at: string | null }) =>
      one.role === "operator" && one.operator_id !== SANDBOX_ID && one.revoked_at === null,
  );
  for (const { operator_id } of others) await own.post(`operators/${operator_id}/revoke`);
  const [status, [error]] = await own.refused(`operators/${SANDBOX_ID}/revoke`, {});
  assert.equal(status, 422);
  assert.match(error ?? "", /last operator/);
  assert.equal((await own.get("me")).name, "sandbox");
});
