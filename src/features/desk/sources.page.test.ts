// Phones at the desk: added with a token that is shown once, changed, revoked.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, fieldsIn, wordsIn } from "../../../test/people.ts";

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

const phoneWith = (requisite_ids: readonly string[], more = {}) =>
  own.post("sources", {
    name: "Office",
    adapter: "kopeck",
    banks: ["sber"],
    senders: ["900"],
    requisite_ids,
    ...more,
  });

const sourceNow = async (id: string) =>
  (await own.get("sources")).items.find((one: { source_id: string }) => one.source_id === id);

it("what is unticked to the last, or emptied, is taken away; what it cannot be without is refused", async () => {
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  const { source } = await phoneWith([id], { endings: [`${id}:4006`] });
  const path = `/desk/sources/${source.source_id}`;
  const opened = async () => fieldsIn(await visit.open(path), path);
  /** As a browser sends it with no box ticked. */
  const unticked = (texts: readonly string[] = []) => texts.filter((one) => one === "");
  const form = await opened();
  assert.deepEqual([form["requisite_ids"]?.at(-1), form["endings"]], [id, [`${id}:4006`]]);
  assert.equal((await visit.post(path, { ...form, endings: "" })).status, 303);
  const bare = await sourceNow(source.source_id);
  assert.deepEqual([bare.requisite_ids, bare.endings], [[id], []]);
  const without = await opened();
  const requisite_ids = unticked(without["requisite_ids"]);
  assert.equal((await visit.post(path, { ...without, requisite_ids })).status, 303);
  assert.deepEqual((await sourceNow(source.source_id)).requisite_ids, []);
  const last = await opened();
  const refused = await visit.post(path, { ...last, banks: unticked(last["banks"]) });
  assert.equal(refused.status, 422, wordsIn(refused.text));
  assert.deepEqual((await sourceNow(source.source_id)).banks, ["sber"]);
});

it("a phone of a hundred requisites, older than all that are offered, keeps them when it is renamed", async () => {
  const made: string[] = [];
  const wish = { bank: "sber", receiver_name: "Иван И.", max_sum: 1000 };
  for (let nth = 0; nth < 301; nth += 1) {
    gateway.clock.advance(nth === 100 ? 1 : 0);
    const phone = `+7999${String(2_000_000 + nth)}`;
    made.push((await own.post("requisites", { ...wish, phone })).requisite_id);
  }
  const bound = made.slice(0, 100);
  const { source } = await phoneWith(bound);
  const path = `/desk/sources/${source.source_id}`;
  const page = await visit.open(path);
  assert.doesNotMatch(page, /<span>[0-9a-f]{8}-/, "each by its name");
  const form = fieldsIn(page, path);
  const sent = await visit.post(path, { ...form, name: "Kitchen" });
  assert.equal(sent.status, 303, wordsIn(sent.text));
  const now = await sourceNow(source.source_id);
  assert.deepEqual([now.name, now.requisite_ids.toSorted()], ["Kitchen", bound.toSorted()]);
  const tooMany = { ...form, name: "Cellar", x: Array<string>(1_000).fill("1") };
  const refused = await visit.post(path, tooMany);
  assert.equal(refused.status, 413);
  assert.equal((await sourceNow(source.source_id)).name, "Kitchen");
});
