// Phones at the desk: added with a token that is shown once, changed, revoked.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("adds a phone, ticks its requisites, revokes it", async () => {
  const ids = (await own.get("requisites")).items
    .slice(0, 2)
    .map((one: { requisite_id: string }) => one.requisite_id);
  const phone = {
    name: "Office <i>",
    adapter: "kopeck",
    banks: ["sber"],
    senders: "900\nSBERBANK",
    requisite_ids: ids,
  };
  const added = await visit.fill("/desk/sources/new", "/desk/sources/new", phone);
  assert.match(added.text, /<code>kop_/);
  const [source] = (await own.get("sources")).items;
  assert.deepEqual(
    [source.senders, source.requisite_ids.toSorted()],
    [["900", "SBERBANK"], ids.toSorted()],
  );
  const path = `/desk/sources/${source.source_id}`;
  assert.equal((await visit.open(path)).match(/ checked>/g)?.length, 3);
  assert.doesNotMatch(await visit.open("/desk/sources"), /Office <i>/);
  await visit.fill(path, `${path}/revoke`);
  assert.match(wordsIn(await visit.open("/desk/sources")), /Revoked/);
  assert.match(wordsIn(await visit.open("/desk/messages")), /No message yet/);
});
