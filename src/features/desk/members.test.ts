// A merchant's people at the desk: invited by a link that is shown once, given another role, let go; not by a viewer.

import assert from "node:assert/strict";
import { it } from "node:test";
import { HOSTILE_TEXTS } from "../../../test/hostile-texts.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("invites, changes, lets go", async () => {
  const { user } = await own.post("users", { name: "Acme" });
  const page = `/desk/merchants/${user.user_id}`;
  assert.match(wordsIn(await visit.open(page)), /Nobody signs in for this merchant yet/);
  const invite = `${page}/people/invite`;
  const [name = ""] = HOSTILE_TEXTS;
  const wish = { name, email: "vera@example.com", role: "owner", language: "ru" };
  const invited = await visit.fill(invite, invite, wish);
  assert.match(invited.text, /<code>http[^<]+\/welcome\//);
  const text = await visit.open(page);
  assert.ok(text.includes("vera@example.com") && !text.includes(name));
  const change = /href="([^"]+\/people\/[\da-f-]{36})"/.exec(text)?.[1] ?? "";
  const last = await visit.fill(change, change, { role: "none" });
  assert.notEqual(last.status, 303, "the last owner stays");
  await visit.fill(invite, invite, { ...wish, name: "Gleb", email: "gleb@example.com" });
  assert.equal((await visit.fill(change, change, { role: "support" })).location, page);
  assert.match(wordsIn(await visit.open(page)), /vera@example\.com Support/);
});
