// /manage/users/{user}/people: who signs in for a merchant.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { visitor } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();

it("200: a person is invited by a link, which opens once somebody visits it", async () => {
  const wish = { email: "Vera@Example.com", name: "Vera", role: "accountant", language: "en" };
  const made = await own.post(`users/${USER.id}/people`, wish);
  assert.equal(made.role, "accountant");
  const { pathname } = new URL(made.link);
  const page = await visitor(gateway).open(pathname);
  assert.match(page, /Welcome, Vera/);
  const { items } = await own.get(`users/${USER.id}/people`);
  const vera = items.find((one: { email: string }) => one.email === "vera@example.com");
  assert.deepEqual([vera.role, vera.ended_at], ["accountant", null]);
});

it("200: who is known already is no member before they have accepted", async () => {
  const wish = { email: "vera@example.com", name: "Mallory", role: "support" };
  const made = await own.post(`users/${OTHER_USER.id}/people`, wish);
  assert.match(made.link, /\/join\/[\w-]{32}$/);
  const { items } = await own.get(`users/${OTHER_USER.id}/people`);
  assert.ok(items.every((one: { name: string }) => one.name !== "Vera"));
});

it("422: twice at one merchant; the last owner stays", async () => {
  const wish = { email: "vera@example.com", name: "Vera", role: "support" };
  const { status } = await own.ask(`users/${USER.id}/people`, wish);
  assert.equal(status, 422);
  const { items } = await own.get(`users/${USER.id}/people`);
  const owner = items.find((one: { role: string }) => one.role === "owner");
  const path = `users/${USER.id}/people/${owner.person_id}`;
  for (const role of ["none", "support"]) {
    const refused = await own.ask(path, { role });
    assert.deepEqual([refused.status, refused.headers.get("x-kopeck-error")], [422, "last_owner"]);
  }
});

it("200: who is let go is gone, and may be invited again", async () => {
  const { items } = await own.get(`users/${USER.id}/people`);
  const vera = items.find((one: { name: string }) => one.name === "Vera");
  const path = `users/${USER.id}/people/${vera.person_id}`;
  assert.notEqual((await own.post(path, { role: "none" })).ended_at, null);
  assert.equal((await own.ask(path, { role: "owner" })).status, 404);
  const wish = { email: "vera@example.com", name: "Vera", role: "developer" };
  assert.match((await own.post(`users/${USER.id}/people`, wish)).link, /\/join\//);
});
