// Links for screens, at the desk: seen once, with when they were used, revoked by who may.

import assert from "node:assert/strict";
import { it } from "node:test";
import { HOSTILE_TEXTS } from "../../../test/hostile-texts.ts";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, visitor, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { withPasskey } = newcomers(gateway, own);
const visit = await anna(gateway);
const HERE = "/desk/wall-links";

it("makes one that is seen once, for a day of the gateway's own zone, whatever it is called", async () => {
  const [name = ""] = HOSTILE_TEXTS;
  const page = await visit.open(`${HERE}/new`);
  const once = /name="once" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const made = await visit.post(`${HERE}/new`, { once, name, ends_at: "2030-01-01" });
  const [link = ""] = /http:\/\/kopeck\.test\/wall#[\w-]{32}/.exec(made.text) ?? [];
  const again = await visit.post(`${HERE}/new`, { once, name, ends_at: "2030-01-01" });
  for (const text of [again.text, await visit.open(HERE), await visit.open(`${HERE}.csv`)]) {
    assert.doesNotMatch(text, /\/wall#[\w-]{32}/);
  }
  const [{ ends_at, wall_link_id: id }, ...more] = (await own.get("wall-links")).items;
  // Midnight in Moscow.
  assert.deepEqual([ends_at, more], ["2029-12-31T21:00:00.000Z", []]);
  assert.doesNotMatch(await visit.open(HERE), /<script>window/);
  const screen = visitor(gateway);
  // As by who has no script, and pastes it.
  assert.equal((await screen.post("/wall", { key: link })).location, "/desk/wall");
  const revoked = await visit.fill(`${HERE}/${id}/revoke`, `${HERE}/${id}/revoke`);
  assert.equal(revoked.location, HERE);
  assert.match(wordsIn(await visit.open(HERE)), /Revoked/);
  assert.match((await screen.get("/desk/wall")).location, /^\/sign-in/);
});

it("says beside the field that a day is over", async () => {
  const form = { name: "late", ends_at: "2020-01-01" };
  const { status, text } = await visit.fill(`${HERE}/new`, `${HERE}/new`, form);
  assert.deepEqual([status, /choose a later day/.test(wordsIn(text))], [422, true]);
  assert.match(wordsIn(text), /with one it ends as that day begins/);
});

it("is a list without acts for who only looks", async () => {
  const { wall_link } = await own.post("wall-links", { name: "Hall" });
  const words = wordsIn(await visit.open(HERE));
  // Both are of one moment, and in either order.
  assert.match(words, /Hall Active [^A]* sandbox /);
  assert.match(words, /Revoked [^H]* Anna /);
  const { visit: viewer } = await withPasskey("viewer");
  assert.doesNotMatch(await viewer.open(HERE), /\/new"|\/revoke"/);
  assert.doesNotMatch(await viewer.open("/desk/wall"), /wall-links/);
  for (const path of [`${HERE}/new`, `${HERE}/${wall_link.wall_link_id}/revoke`]) {
    assert.deepEqual(
      [(await viewer.get(path)).status, (await viewer.post(path)).status],
      [403, 403],
    );
  }
});
