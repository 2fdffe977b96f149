// /join/{token}: nobody becomes a member, or one of the desk, by an address that somebody has typed.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { type Hired, hire, owners, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { visitor, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

/** Somebody of the first merchant, who made up the address; invited by the second one, who knows its real owner. */
async function squatter() {
  const eve = await hire(gateway, "support", USER.id, "Eve");
  const { items } = await mine.get("people");
  const { email } = items.find((one: { person_id: string }) => one.person_id === eve.personId);
  return { eve, email: email as string, visit: await signedInAs(gateway, eve) };
}

const merchantsOf = async (personId: string): Promise<string[]> =>
  (
    await gateway.app.db.query<{ id: string }>(
      "select user_id as id from memberships where person_id = $1 and ended_at is null",
      [personId],
    )
  ).map(({ id }) => id);

it("an account that was made first under an address gets nothing of who invites that address later", async () => {
  const { eve, email, visit } = await squatter();
  const { link } = await theirs.post("people", { email, name: "The real one", role: "owner" });
  await own.post("people", { email, name: "The real one", desk_role: "operator" });
  assert.deepEqual(await merchantsOf(eve.personId), [USER.id]);
  assert.equal((await visit.get("/desk")).status, 403);
  const refused = await own.refused(`people/${eve.personId}`, { desk_role: "operator" });
  assert.equal(refused[0], 422);
  assert.match(link, /\/join\//);
});

it("who was meant accepts, signed in, once; opening it changes nothing; nobody else can", async () => {
  const { eve, email, visit } = await squatter();
  const { link } = await theirs.post("people", { email, name: "Eve", role: "accountant" });
  const { pathname } = new URL(link);
  const stranger = await signedInAs(gateway, await hire(gateway, "owner"));
  assert.equal((await stranger.post(pathname)).status, 404);
  assert.match((await visitor(gateway).get(pathname)).location, /^\/sign-in/);
  assert.match(wordsIn(await visit.open(pathname)), /invites you/);
  assert.deepEqual(await merchantsOf(eve.personId), [USER.id]);
  assert.equal((await visit.post(pathname)).location, "/my");
  assert.deepEqual(
    (await merchantsOf(eve.personId)).toSorted(),
    [USER.id, OTHER_USER.id].toSorted(),
  );
  assert.equal((await visit.post(pathname)).status, 404);
  gateway.clock.advance(11 * 60);
  const again = await theirs.post("people", {
    email: "nobody@example.com",
    name: "x",
    role: "owner",
  });
  const somebody = await visitor(gateway).get(new URL(again.link).pathname);
  assert.match(somebody.location, /^\/welcome\//);
});

it("an invitation wants a proof that is not old, and ends after three days", async () => {
  const { email, visit } = await squatter();
  const { link } = await theirs.post("people", { email, name: "Eve", role: "owner" });
  const { pathname } = new URL(link);
  gateway.clock.advance(11 * 60);
  assert.match((await visit.post(pathname)).location, /^\/prove/);
  gateway.clock.advance(73 * 60 * 60);
  const { eve } = await squatter();
  assert.equal((await (await signedInAs(gateway, eve)).get(pathname)).status, 404);
});

it("a form that was opened for one merchant is not taken for another", async () => {
  const { eve, email, visit } = await squatter();
  await mine.post(`people/${eve.personId}`, { role: "owner" });
  const { link } = await theirs.post("people", { email, name: "Eve", role: "owner" });
  const page = await visit.open("/my/people/invite");
  const of = /name="of" value="([^"]+)"/.exec(page)?.[1] ?? "";
  assert.equal(of, USER.id);
  await visit.post(new URL(link).pathname);
  const wish = { name: "x", email: "cfo@example.com", role: "owner", of };
  const answer = await visit.post("/my/people/invite", wish);
  assert.equal(answer.status, 422);
  assert.match(answer.text, /another merchant/);
});

it("a link that an owner had made opens nothing once its person works for another merchant, too", async () => {
  const { eve, email } = await squatter();
  const { link: wayIn } = await mine.post(`people/${eve.personId}/link`);
  const { link } = await theirs.post("people", { email, name: "Eve", role: "owner" });
  const visit = await signedInAs(gateway, eve);
  assert.equal((await visitor(gateway).get(new URL(wayIn).pathname)).status, 200);
  assert.equal((await visit.post(new URL(link).pathname)).location, "/my");
  // Whoever made it for their own merchant would be her at the other one by it.
  assert.equal((await visitor(gateway).get(new URL(wayIn).pathname)).status, 404);
});

/** What the log says of their one change: as what they were invited before it, and after. */
async function invitedIn({ personId }: Hired): Promise<unknown[]> {
  const { items } = await own.get(`audit?subject=${personId}`);
  const rows = items.filter((one: { act: string }) => one.act === "person.update");
  assert.equal(rows.length, 1);
  return [rows[0].before.invited_as, rows[0].after.invited_as];
}

it("an invitation to the desk is taken back by giving no role, and by locking its person out", async () => {
  for (const changes of [[{ desk_role: "none" }], [{ disabled: true }, { disabled: false }]]) {
    const { eve, email } = await squatter();
    const { link } = await own.post("people", { email, name: "Eve", desk_role: "operator" });
    for (const change of changes.slice(0, 1)) await own.post(`people/${eve.personId}`, change);
    assert.deepEqual(await invitedIn(eve), ["operator", undefined]);
    for (const change of changes.slice(1)) await own.post(`people/${eve.personId}`, change);
    const visit = await signedInAs(gateway, eve);
    assert.equal((await visit.post(new URL(link).pathname)).status, 404);
    assert.equal((await visit.get("/desk")).status, 403);
  }
  const { eve, email } = await squatter();
  await own.post("people", { email, name: "Eve", desk_role: "viewer" });
  await own.post(`people/${eve.personId}`, { name: "Eva" });
  assert.deepEqual(await invitedIn(eve), ["viewer", "viewer"], "still open");
});
