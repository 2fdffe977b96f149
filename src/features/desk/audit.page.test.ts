// The log at the desk says which fields changed, from what to what.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("shows a change as the fields that differ, escaped", async () => {
  await own.post(`shops/${SHOP.id}`, { title: "<b>one" });
  await own.post(`shops/${SHOP.id}`, { title: "two" });
  const page = await visit.open(`/desk/audit?subject=${SHOP.id}`);
  assert.match(page, /<del>&lt;b&gt;one<\/del> → <ins>two<\/ins>/);
  const nobody = await visit.open(`/desk/audit?subject=${gateway.app.newId()}`);
  assert.match(nobody, /Nothing fits/, "not that nobody has changed anything");
  const { text } = await visit.get(`/desk/audit.csv?subject=${SHOP.id}`);
  assert.match(text, /title: <b>one -> two/);
});
