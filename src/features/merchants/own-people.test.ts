// /cabinet/people: an owner's own people.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { hire, owners, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";
import { joinByPassword, visitor } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

it("200: an owner invites, changes and lets go", async () => {
  const { personId: id } = await hire(gateway, "support");
  assert.equal((await mine.post(`people/${id}`, { role: "developer" })).role, "developer");
  assert.notEqual((await mine.post(`people/${id}`, { role: "none" })).ended_at, null);
  const { items } = await mine.get("audit?act=member.update");
  assert.deepEqual(
    items.map((row: { subject: string }) => row.subject),
    [id, id],
  );
});

const invited = (email: string) => mine.post("people", { email, name: "Olga", role: "support" });

it("200: an invitation is answered alike for a known and an unknown address", async () => {
  const known = await hire(gateway, "support", OTHER_USER.id);
  for (const email of [`${known.personId}@example.org`, "new@example.com", "new@example.com"]) {
    const { link, ...answer } = await invited(email);
    assert.match(link, /\/join\/[\w-]{32}$/);
    assert.deepEqual(Object.keys(answer), ["role", "ends_at"]);
    const { items } = await mine.get("people");
    assert.ok(items.every((one: { email: string }) => one.email !== email));
    const rows = (await mine.get("audit?act=member.invite")).items;
    const told = rows.filter((row: { after: { email: string } }) => row.after.email === email);
    assert.deepEqual([told[0].subject, told[0].after], [USER.id, { email, role: "support" }]);
  }
});

it("303: somebody new makes a way in by the link of an invitation, then accepts; a later link replaces an unused one", async () => {
  const [first, second] = [await invited("fresh@example.com"), await invited("fresh@example.com")];
  const visit = visitor(gateway);
  const [ended, path] = [new URL(first.link).pathname, new URL(second.link).pathname];
  assert.match((await visit.get(ended)).location, /^\/sign-in/);
  const { location: welcome } = await visit.get(path);
  assert.equal(welcome, path.replace("join", "welcome"));
  const { text } = await joinByPassword(visit, gateway, gateway.url + welcome);
  assert.ok(text.includes(`href="${path}"`), "it leads on to the invitation");
  assert.equal((await visit.fill(path, path)).location, "/my");
  assert.equal((await visit.get("/my")).status, 200);
});

it("429: the 21st invitation at once, and one more after three minutes", async () => {
  gateway.clock.advance(3_600);
  const ask = (n: number) =>
    mine.ask("people", { email: `many${n}@example.com`, name: "x", role: "support" });
  for (let n = 1; n <= 20; n += 1) assert.equal((await ask(n)).status, 200, `${n}`);
  const refused = await ask(21);
  const { headers, status } = refused;
  const said = [headers.get("x-kopeck-error"), headers.get("retry-after")];
  assert.deepEqual([status, ...said], [429, "too_many_invitations", "180"]);
  gateway.clock.advance(180);
  assert.equal((await ask(21)).status, 200);
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
