// One's own ways in: added, replaced and taken away, with everybody else signed out.

import assert from "node:assert/strict";
import { it } from "node:test";
import { softwareAuthenticator } from "../../../test/authenticator.ts";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import {
  codesIn,
  hiddenIn,
  optionsIn,
  PASSWORD,
  usePasskey,
  wordsIn,
} from "../../../test/people.ts";
import { totpCode } from "../../platform/totp.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { clock, url } = gateway;
const { anybody, withPasskey, withPassword, atDesk } = newcomers(gateway, own);

it("leads who has not signed in to the door", async () => {
  assert.equal((await anybody().get("/security")).location, "/sign-in?then=/security");
  assert.equal((await anybody().post("/security/codes")).location, "/sign-in?then=/security");
});

it("adds a passkey, which signs out everywhere else, and never takes away the last one", async () => {
  const { visit, device, id } = await withPasskey();
  const elsewhere = anybody();
  await usePasskey(elsewhere, device);
  clock.advance(1);
  const text = await visit.open("/security");
  const second = softwareAuthenticator({ origin: url });
  const credential = second.create(optionsIn(text, "/security/passkey") as never);
  const hidden = hiddenIn(text, "/security/passkey");
  const added = await visit.post("/security/passkey", { ...hidden, credential });
  assert.deepEqual([added.status, added.location], [303, "/security"]);
  assert.equal((await visit.post("/security/passkey", { ...hidden, credential })).status, 422);
  assert.deepEqual([await atDesk(elsewhere), await atDesk(visit)], [303, 200]);
  assert.equal((await own.lastAudit()).act, "person.add_passkey");
  const ids = [...(await visit.open("/security")).matchAll(/name="id" value="([^"]+)"/g)].map(
    ([, one]) => one ?? "",
  );
  assert.equal(ids.length, 2);
  // Both at once: one of them stays.
  const answers = await Promise.all(
    ids.map((one) => visit.post("/security/remove-passkey", { id: one })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
  const left = await gateway.app.db.query("select id from passkeys where person_id = $1", [id]);
  assert.equal(left.length, 1);
});

it("removes nobody else's passkey and ends nobody else's session", async () => {
  const [mine, theirs] = [await withPasskey(), await withPasskey()];
  const { db } = gateway.app;
  const [key] = await db.query<{ id: string }>("select id from passkeys where person_id = $1", [
    theirs.id,
  ]);
  const [session] = await db.query<{ id: string }>("select id from sessions where person_id = $1", [
    theirs.id,
  ]);
  await mine.visit.post("/security/remove-passkey", { id: key?.id ?? "" });
  await mine.visit.post("/security/end-session", { id: session?.id ?? "" });
  assert.equal(await atDesk(theirs.visit), 200);
  assert.equal((await usePasskey(anybody(), theirs.device)).status, 303);
});

it("replaces the password with its app, and the recovery codes", async () => {
  const { visit, email, code, codes } = await withPassword();
  const text = await visit.open("/security");
  const secret = /<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1]?.replaceAll(" ", "") ?? "";
  // On a phone the app is asked by a link: nobody scans the screen that they hold.
  assert.match(text, new RegExp(`<a href="otpauth://totp/Kopeck:[^"]+\\?secret=${secret}&amp;`));
  const hidden = hiddenIn(text, "/security/password");
  const wish = {
    ...hidden,
    password: "another walk by the river",
    code: totpCode(secret, clock.now()),
  };
  assert.equal((await visit.post("/security/password", wish)).status, 303);
  const fresh = codesIn((await visit.post("/security/codes")).text);
  assert.equal(fresh.length, 10);
  clock.advance(60);
  const signIn = async (password: string, typed = "") =>
    (await anybody().post("/sign-in", { email, password, code: typed })).status;
  assert.equal(await signIn(PASSWORD, code()), 401);
  assert.equal(await signIn("another walk by the river", codes[0]), 401);
  assert.equal(await signIn("another walk by the river", fresh[0]), 303);
  assert.equal(await signIn("another walk by the river", totpCode(secret, clock.now())), 303);
});

it("shows where one is signed in, and signs out there", async () => {
  const { visit, device } = await withPasskey();
  const [second, third] = [anybody(), anybody()];
  await usePasskey(second, device);
  await usePasskey(third, device);
  const shown = await visit.open("/security");
  assert.match(wordsIn(shown), /203\.0\.0\.\d+, Firefox, Linux/);
  const form =
    /action="\/security\/end-session"><input type="hidden" name="id" value="([^"]+)"/.exec(shown);
  assert.equal((await visit.post("/security/end-session", { id: form?.[1] ?? "" })).status, 303);
  assert.deepEqual([await atDesk(second), await atDesk(third)].toSorted(), [200, 303]);
  await visit.post("/security/end-others");
  assert.deepEqual(
    [await atDesk(visit), await atDesk(second), await atDesk(third)],
    [200, 303, 303],
  );
});

it("keeps a language and whether letters are keys", async () => {
  const { visit } = await withPasskey();
  await visit.post("/security/settings", { language: "ru" });
  const text = await visit.open("/security");
  assert.match(text, /<html lang="ru">/);
  assert.doesNotMatch(text, /name="keys" value="on" checked/);
  await visit.post("/security/settings", { language: "xx", keys: "on" });
  assert.match(await visit.open("/security"), /<html lang="en">/);
});
