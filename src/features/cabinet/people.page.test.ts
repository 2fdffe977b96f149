// /my/people: invited by a link that is shown once, changed, let go; the table of rights.

import assert from "node:assert/strict";
import { it } from "node:test";
import { manage } from "../../../test/manage.ts";
import { hire, OWNER_TOKEN, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway } = await openOneGateway();

it("200: a link is shown once; the role is changed; who is let go is out at once", async () => {
  const owner = await anna(gateway);
  const wish = { name: "Vera", email: "vera@shop.example", role: "accountant" };
  const { text } = await owner.fill("/my/people/invite", "/my/people/invite", wish);
  assert.match(text, /\/join\/[\w-]+/);
  const hired = await hire(gateway, "support");
  const visit = await signedInAs(gateway, hired);
  const path = `/my/people/${hired.personId}`;
  assert.equal((await visit.get("/my/log")).status, 403);
  assert.equal((await owner.fill(path, path, { role: "owner" })).status, 303);
  assert.equal((await visit.get("/my/log")).status, 200);
  assert.equal((await owner.fill(path, path, { role: "none" })).status, 303);
  assert.equal((await visit.get("/my")).status, 403);
  const words = wordsIn(await owner.open("/my/people"));
  assert.ok(words.includes(`the support ${hired.personId}@example.org Owner`), words);
  assert.doesNotMatch(words, /Vera/, "she has not accepted");
  assert.match(words, /Refund ✓ yes – no ✓ yes – no/);
});

it("200: a link to come back signs them out; the last owner stays", async () => {
  const owner = await anna(gateway);
  const hired = await hire(gateway, "developer");
  const visit = await signedInAs(gateway, hired);
  const path = `/my/people/${hired.personId}/link`;
  assert.match((await owner.fill(path, path)).text, /\/welcome\/[\w-]+/);
  assert.match((await visit.get("/my")).location, /^\/sign-in/);
  const { person } = await manage(gateway, OWNER_TOKEN, "cabinet").get("me");
  const own = `/my/people/${person.person_id}`;
  const { status, text } = await owner.fill(own, own, { role: "none" });
  assert.equal(status, 422, wordsIn(text));
});
