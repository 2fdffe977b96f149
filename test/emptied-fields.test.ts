// A field that had a value and comes back empty, where its door can neither forget the value nor keep an empty one:
// said beside the field, and not passed over as if it had been saved.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { anna, fieldsIn, invite } from "./people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

async function forms(): Promise<readonly (readonly [path: string, fields: readonly string[]])[]> {
  const { person } = await invite(own, "emptied@desk.example", "cashier");
  await own.post(`people/${person.person_id}`, { desk_role: "cashier" });
  const [{ requisite_id }] = (await own.get("requisites")).items;
  const { source } = await own.post("sources", {
    name: "Kept",
    adapter: "kopeck",
    banks: ["sber"],
    senders: ["900"],
  });
  return [
    [`/desk/people/${person.person_id}/change`, ["name", "desk_role"]],
    [
      `/desk/requisites/${requisite_id}/change`,
      ["receiver_name", "min_sum", "max_sum", "max_day_sum", "max_live_payments"],
    ],
    [
      `/desk/shops/${SHOP.id}/settings`,
      ["name", "h2h_enabled", "nudge_max_kopecks", "late_policy"],
    ],
    [`/my/shops/${SHOP.id}/settings`, ["nudge_max_kopecks", "late_policy"]],
    ["/desk/methods/p2p_card", ["label", "freeze_seconds"]],
    [`/desk/sources/${source.source_id}`, ["name", "needs_statement"]],
    ["/desk/rails/sandbox", ["paused"]],
  ];
}

it("422: what was emptied and cannot be forgotten is required, and asked for as such", async () => {
  for (const [path, names] of await forms()) {
    const shown = await visit.open(path);
    for (const name of names) {
      const sent = { ...fieldsIn(shown, path), once: "" };
      for (const empty of ["", "  "]) {
        const { status, text } = await visit.post(path, { ...sent, [name]: empty });
        const label = `${path} ${name} ${JSON.stringify(empty)}`;
        assert.equal(status, 422, label);
        assert.match(text, new RegExp(`id="p-${name}">The “[^”]+” field is required`), label);
      }
      assert.match(shown, new RegExp(` name="${name}" required`), `${path} ${name}`);
      const [, select = ""] =
        new RegExp(`<select[^>]* name="${name}".*?>(.*?)</select>`, "s").exec(shown) ?? [];
      assert.doesNotMatch(select, /value=""/, `${path} ${name}`);
    }
  }
});

it("what was emptied is forgotten, also after a preview, which shows what was typed", async () => {
  const path = `/my/shops/${SHOP.id}/settings`;
  await own.post(`shops/${SHOP.id}`, { support: "+79990000001", title: "Shown" });
  const typed = { ...fieldsIn(await visit.open(path), path), support: "", title: "Typed" };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(typed))
    for (const one of [value].flat()) query.append(name, one);
  const previewed = await visit.open(`${path}?${query}`);
  assert.equal((await visit.post(path, fieldsIn(previewed, path))).status, 303);
  const { support, title } = await own.get(`shops/${SHOP.id}`);
  assert.deepEqual([support, title], [null, "Typed"]);
});
