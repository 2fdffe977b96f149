// /cabinet/people: an owner's own people.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { hire, owners, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";

const { gateway, own } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

it("200: an owner invites, changes and lets go", async () => {
  const wish = { email: "olga@example.com", name: "Olga", role: "support" };
  const { person_id: id, link } = await mine.post("people", wish);
  assert.match(link, /\/welcome\/[\w-]{32}$/);
  assert.equal((await mine.post(`people/${id}`, { role: "developer" })).role, "developer");
  assert.notEqual((await mine.post(`people/${id}`, { role: "none" })).ended_at, null);
  const { items } = await mine.get("audit?act=member.update");
  assert.deepEqual(
    items.map((row: { subject: string }) => row.subject),
    [id, id],
  );
});

it("404: another merchant's people are not there", async () => {
  const { personId } = await hire(gateway, "support", OTHER_USER.id);
  for (const path of [`people/${personId}`, `people/${personId}/link`]) {
    const body = path.endsWith("link") ? {} : { role: "owner" };
    assert.equal((await mine.ask(path, body)).status, 404);
  }
  const { items } = await mine.get("people");
  assert.ok(items.every((one: { user_id: string }) => one.user_id === USER.id));
});

it("422: no link for who belongs to somebody else, too, or to the desk", async () => {
  const hired = await hire(gateway, "support");
  const path = `people/${hired.personId}/link`;
  assert.match((await mine.post(path)).link, /welcome/);
  const { items } = await mine.get("people");
  const { email, name } = items.find(
    (one: { person_id: string }) => one.person_id === hired.personId,
  );
  const { link } = await theirs.post("people", { email, name, role: "support" });
  // Not yet accepted, it keeps nobody from helping them.
  assert.match((await mine.post(path)).link, /welcome/);
  const visit = await signedInAs(gateway, hired);
  await visit.post(new URL(link).pathname);
  const shared = await mine.ask(path, {});
  assert.equal(shared.headers.get("x-kopeck-error"), "person_shared");
  await theirs.post(`people/${hired.personId}`, { role: "none" });
  assert.match((await mine.post(path)).link, /welcome/);
  const { link: desk } = await own.post("people", { email, name, desk_role: "viewer" });
  await (await signedInAs(gateway, hired)).post(new URL(desk).pathname);
  const atDesk = await mine.ask(path, {});
  assert.equal(atDesk.headers.get("x-kopeck-error"), "person_shared");
});

it("422: no link for oneself, which would end the very token that asks", async () => {
  const { own: self, personId } = await hire(gateway, "owner");
  for (const id of [personId, personId.toUpperCase()]) {
    const refused = await self.ask(`people/${id}/link`, {});
    assert.equal(refused.headers.get("x-kopeck-error"), "link_for_oneself");
  }
  assert.equal((await self.ask("me")).status, 200);
});

it("403: who is refused hears who may, in either language", async () => {
  const { own: accountant, token } = await hire(gateway, "accountant");
  const { own: developer } = await hire(gateway, "developer");
  const no = "Your role does not allow this; ";
  for (const [asked, who] of [
    [accountant.refused("keys", {}), "an owner or a developer"],
    [accountant.refused(`events/${NOBODY}/send`, {}), "an owner, a developer or support"],
    [developer.refused("people"), "an owner"],
  ] as const) {
    assert.deepEqual(await asked, [403, `${no}${who} may do it.`]);
  }
  const headers = { authorization: `Bearer ${token}`, "accept-language": "ru" };
  const { body } = await gateway.call("/cabinet/keys", { headers });
  assert.match(body.error, /; это может владелец или разработчик\.$/);
});

it("401: tokens end with the membership, and with a link to come back; none makes a longer one", async () => {
  const gone = await hire(gateway, "support");
  await mine.post(`people/${gone.personId}`, { role: "none" });
  assert.equal((await gone.own.ask("me")).status, 401);
  const lost = await hire(gateway, "support");
  const day = await lost.own.post("tokens", { name: "a day", expires_in_days: 1 });
  const short = manage(gateway, day.secret, "cabinet");
  const child = await short.post("tokens", { name: "for ever" });
  assert.equal(child.token.ends_at, day.token.ends_at);
  await mine.post(`people/${lost.personId}/link`);
  for (const one of [lost.own, short]) assert.equal((await one.ask("me")).status, 401);
});
