// Links that let people in: once, not for long, and not by being looked at.

import assert from "node:assert/strict";
import { it } from "node:test";
import { hire } from "../../../test/members.ts";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import {
  hiddenIn,
  joinByPasskey,
  joinByPassword,
  PASSWORD,
  usePasskey,
  wordsIn,
} from "../../../test/people.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { clock, url } = gateway;
const { anybody, invited, withPasskey, withPassword, atDesk } = newcomers(gateway, own);
const pathOf = (link: string): string => new URL(link).pathname;
const HOUR = 3_600;

it("opens once, however often it was looked at before", async () => {
  const { link, visit, id } = await invited("viewer");
  for (let look = 0; look < 3; look += 1) {
    const seen = await anybody().get(pathOf(link));
    assert.deepEqual([seen.status, seen.headers.getSetCookie()], [200, []]);
    assert.equal(seen.headers.get("cache-control"), "no-store");
  }
  assert.equal((await own.lastAudit()).act, "person.invite");
  clock.advance(1);
  const { codes } = await joinByPasskey(visit, url, link);
  assert.equal(codes.length, 10);
  assert.equal(await atDesk(visit), 200);
  const { act, subject, after } = await own.lastAudit();
  assert.deepEqual([act, subject, after], ["person.sign_in", id, { by: "link" }]);
  const again = await anybody().get(pathOf(link));
  assert.equal(again.status, 404);
  assert.match(wordsIn(again.text), /used, or its time is over/);
  assert.equal((await anybody().post(`${pathOf(link)}/passkey`)).status, 404);
});

it("opens for one of two who come at once", async () => {
  const { link } = await invited("viewer");
  const come = () =>
    joinByPassword(anybody(), gateway, link).then(
      () => "in",
      () => "out",
    );
  assert.deepEqual((await Promise.all([come(), come()])).toSorted(), ["in", "out"]);
});

it("ends by its time, by another link, by another role, and with the person", async () => {
  const ends: readonly ((id: string) => unknown)[] = [
    () => clock.advance(72 * HOUR),
    (id) => own.post(`people/${id}/link`),
    (id) => own.post(`people/${id}`, { desk_role: "operator" }),
    (id) => own.post(`people/${id}`, { disabled: true }),
  ];
  for (const end of ends) {
    const { link, id } = await invited("viewer");
    await end(id);
    assert.equal((await anybody().get(pathOf(link))).status, 404, `${end}`);
  }
});

it("brings back who has lost everything: old sessions end, and old ways in where it says so", async () => {
  const { id, visit, device } = await withPasskey();
  const kept = await own.post(`people/${id}/link`);
  await joinByPassword(anybody(), gateway, kept.link);
  assert.equal(await atDesk(visit), 303);
  assert.equal((await usePasskey(anybody(), device)).status, 303, "it was not reset");
  const { link } = await own.post(`people/${id}/link`, { resets: true });
  assert.match(wordsIn(await anybody().open(pathOf(link))), /will open nothing any more/);
  await joinByPasskey(anybody(), url, link);
  assert.equal((await usePasskey(anybody(), device)).status, 401);
  clock.advance(HOUR);
});

it("a link that resets ends personal tokens and known browsers, too; one that does not leaves them", async () => {
  const { personId, own: theirs } = await hire(gateway, "developer");
  const devices = () =>
    gateway.app.db.query("select digest from devices where person_id = $1", [personId]);
  const kept = await own.post(`people/${personId}/link`);
  await joinByPassword(anybody(), gateway, kept.link);
  assert.equal((await theirs.ask("me")).status, 200);
  const [old] = await devices();
  assert.ok(old);
  const { link } = await own.post(`people/${personId}/link`, { resets: true });
  assert.equal((await theirs.ask("me")).status, 200, "nothing ends before it is used");
  await joinByPasskey(anybody(), url, link);
  assert.equal((await theirs.ask("me")).status, 401);
  const now = await devices();
  assert.equal(now.length, 1, "the browser that it was used in");
  assert.notDeepEqual(now[0], old);
});

it("takes no password that is short, known to everybody or personal, and no wrong code", async () => {
  const { link, email } = await withPassword().then(() => invited("viewer"));
  const action = `${pathOf(link)}/password`;
  const bad = [
    "short",
    "passwordpassword",
    `${email.split("@")[0]}@example.com`,
    "kopeckkopeck",
    "x".repeat(2_000),
  ];
  for (const password of bad) {
    const visit = anybody();
    const { status } = await visit.fill(pathOf(link), action, { password, code: "000000" });
    assert.equal(status, 422, password);
  }
  const visit = anybody();
  const text = await visit.open(pathOf(link));
  const hidden = hiddenIn(text, action);
  const wrong = await visit.post(action, { ...hidden, password: PASSWORD, code: "000000" });
  assert.match(wordsIn(wrong.text), /not the code that the app shows now/);
  // The app's key is the same one on the page that comes back, so it need not be scanned again.
  const key = /<code>([A-Z2-7 ]{39})<\/code>/;
  assert.equal(key.exec(wrong.text)?.[1], key.exec(text)?.[1]);
  const foreign = await withPassword();
  const other = await foreign.visit.post(action, {
    sealed: "AAAA",
    password: PASSWORD,
    code: foreign.code(),
  });
  assert.equal(other.status, 422);
});
