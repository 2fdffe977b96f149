// Merchants at the desk: made with secrets that are shown once, renamed, their keys replaced and revoked.

import assert from "node:assert/strict";
import { it } from "node:test";
import { HOSTILE_TEXTS } from "../../../test/hostile-texts.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("makes a merchant whose secrets are shown once, whatever it is called", async () => {
  const [name = ""] = HOSTILE_TEXTS;
  const path = "/desk/merchants/new";
  const page = await visit.open(path);
  const once = /name="once" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const made = await visit.post(path, { once, name });
  assert.match(made.text, /whsec_/);
  const again = await visit.post(path, { once, name });
  assert.doesNotMatch(again.text, /whsec_/);
  const [{ user_id: id, name: called }] = (await own.get("users")).items;
  assert.equal(called, name);
  const detail = await visit.open(`/desk/merchants/${id}`);
  assert.doesNotMatch(detail, /<script>window/);
  assert.match(wordsIn(detail), /No money yet.*No shop yet/);
});

it("renames, replaces and revokes", async () => {
  const [{ user_id: id }] = (await own.get("users")).items;
  const page = `/desk/merchants/${id}`;
  await visit.fill(page, `${page}/rename`, { name: "Acme" });
  assert.match(await visit.open(page), /<h1>Acme<\/h1>/);
  const fresh = await visit.fill(page, `${page}/rotate-keys`, { overlap_hours: "0" });
  assert.match(fresh.text, /only now/);
  const { key_id: key } = (await own.get(`keys?user_id=${id}`)).items.find(
    ({ ends_at: at }: { ends_at: string | null }) => at === null,
  );
  const revoked = await visit.fill(page, `/desk/keys/${key}/revoke`);
  assert.equal(revoked.location, page);
  assert.ok(
    (await own.get(`keys?user_id=${id}`)).items.every(
      ({ ends_at: at }: { ends_at: string | null }) => at !== null,
    ),
  );
});
