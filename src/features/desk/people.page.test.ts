// People at the desk: invited by a link that is shown once, given another role, let in again, shut out.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("invites, changes, recovers, disables", async () => {
  const path = "/desk/people/invite";
  await visit.post("/security/settings", { language: "ru" });
  const russian = await visit.open(path);
  assert.match(russian, /<option value="ru" selected>/, "as whoever invites");
  await visit.post("/security/settings", { language: "en" });
  assert.match(wordsIn(await visit.open(path)), /What each role may do/);
  const wish = { email: "boris@example.com", name: "Boris", desk_role: "viewer" };
  const invited = await visit.fill(path, path, wish);
  assert.match(invited.text, /<code>http[^<]+\/welcome\//);
  const people: { email: string; person_id: string }[] = (await own.get("people")).items;
  const id = people.find(({ email }) => email === wish.email)?.person_id;
  const page = `/desk/people/${id}`;
  await visit.fill(page, `${page}/change`, { name: "Boris", desk_role: "cashier" });
  assert.match(wordsIn(await visit.open(page)), /Cashier/);
  assert.match((await visit.fill(page, `${page}/link`, { resets: "true" })).text, /\/welcome\//);
  assert.equal((await visit.fill(page, `${page}/end-sessions`)).location, page);
  await visit.fill(page, `${page}/disable`);
  assert.notEqual((await own.get(`people/${id}`)).disabled_at, null);
  await visit.fill(page, `${page}/enable`);
  assert.equal((await own.get(`people/${id}`)).disabled_at, null);
  assert.equal((await visit.get(`/desk/go/${id}`)).location, page);
});
