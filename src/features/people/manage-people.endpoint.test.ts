// Who signs in, managed: roles and links change together, and the desk never stands empty.

import assert from "node:assert/strict";
import { it } from "node:test";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, fieldsIn, invite } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { withPasskey, atDesk, invited, anybody } = newcomers(gateway, own);

it("invites by an address, once, whatever its case", async () => {
  const { person, link } = await invite(own, "Boris@Example.com", "cashier");
  assert.match(link, /^http:\/\/kopeck\.test\/welcome\/[\w-]{32}$/);
  const { person_id: id } = person;
  const { items } = await own.get("people");
  const listed = items.find((one: { person_id: string }) => one.person_id === id);
  assert.deepEqual([listed.email, listed.desk_role], ["boris@example.com", "cashier"]);
  assert.ok(!JSON.stringify(listed).match(/password|totp|digest|failures/));
  const [status] = await own.refused("people", {
    email: "BORIS@example.com",
    name: "B",
    desk_role: "viewer",
  });
  assert.equal(status, 422);
  for (const email of [
    "a\0b@example.com",
    "no",
    "İ@example.com",
    `${"a".repeat(300)}@example.com`,
  ]) {
    const answer = await own.ask("people", { email, name: "x", desk_role: "viewer" });
    assert.ok(answer.status === 422 || answer.status === 200, answer.text);
  }
});

it("signs somebody out everywhere", async () => {
  const { visit, id } = await withPasskey();
  assert.deepEqual(await own.post(`people/${id}/end-sessions`), { ended: 1 });
  assert.equal(await atDesk(visit), 303);
});

it("brings nobody back whom the list of operators has ended, by a new name", async () => {
  const { visit, id } = await withPasskey();
  await own.post(`operators/${id}/revoke`);
  assert.equal(await atDesk(visit), 403);
  assert.equal((await own.post(`people/${id}`, { name: "Renamed" })).name, "Renamed");
  assert.equal(await atDesk(visit), 403);
  await own.post(`people/${id}`, { desk_role: "viewer" });
  assert.equal(await atDesk(visit), 200);
});

it("gives no role to who is kept out, and no link", async () => {
  const { id } = await withPasskey();
  await own.post(`people/${id}`, { disabled: true });
  assert.equal((await own.refused(`people/${id}`, { desk_role: "operator" }))[0], 422);
  assert.equal((await own.refused(`people/${id}/link`, {}))[0], 422);
  const back = await own.post(`people/${id}`, { disabled: false, desk_role: "viewer" });
  assert.deepEqual([back.disabled_at, back.desk_role], [null, "viewer"]);
});

it("does not take the role of the last operator", async () => {
  const { own: alone } = await openOneGateway();
  const { person } = await invite(alone, "last@example.com");
  const { items } = await alone.get("operators?limit=200");
  const rest = items.filter(
    (one: { operator_id: string; role: string; revoked_at: unknown }) =>
      one.role === "operator" && one.revoked_at === null && one.operator_id !== person.person_id,
  );
  // The token that says so itself goes last; then nobody else is left to be asked.
  for (const { operator_id: id } of rest.slice(1)) await alone.post(`operators/${id}/revoke`);
  await alone.post(`people/${person.person_id}`, { desk_role: "viewer" });
  const [status] = await alone.refused(`operators/${rest[0].operator_id}/revoke`, {});
  assert.equal(status, 422);
});

it("another name alone changes nothing else: with the same role links and looks stay, with another they end", async () => {
  const { id, link } = await invited("cashier");
  const opens = async () => (await anybody().get(new URL(link).pathname)).status;
  await own.post(`people/${id}`, { name: "Boris B.", desk_role: "cashier" });
  const { name, desk_role } = await own.get(`people/${id}`);
  assert.deepEqual([name, desk_role, await opens()], ["Boris B.", "cashier", 200]);
  const visit = await anna(gateway);
  const [page, action] = [`/desk/people/${id}`, `/desk/people/${id}/change`];
  const form = fieldsIn(await visit.open(page), action);
  assert.equal((await visit.post(action, { ...form, name: "Boris" })).status, 303);
  assert.equal((await own.get(`people/${id}`)).name, "Boris");
  assert.equal(await opens(), 200);
  await own.post(`people/${id}`, { desk_role: "viewer" });
  assert.notEqual(await opens(), 200);
});
