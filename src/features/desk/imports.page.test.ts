// /desk/imports: what a file would do, then the same for real without choosing it again; and a word on its lines.

import assert from "node:assert/strict";
import { it } from "node:test";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { anna, hiddenIn, setAnnasRole, type Visitor, wordsIn } from "../../../test/people.ts";
import { statement1c } from "../../../test/statement-file.ts";

const { gateway, own } = await openOneGateway();
const ACCOUNT = "40817810000000000101";
const PATH = "/desk/imports/new";
const day = gateway.app.clock.now().toISOString().slice(0, 10);

function upload(visit: Visitor, text: string, more: Record<string, string> = {}) {
  const body = new FormData();
  body.append("file", new Blob([text]), "kl_to_1c.txt");
  for (const [name, value] of Object.entries(more)) body.append(name, value);
  return visit.send(PATH, { method: "POST", body });
}

it("200: shown first and stored not at all; 303: then for real", async () => {
  const visit = await anna(gateway);
  const file = statement1c([
    { account: ACCOUNT, days: { [day]: [{ sum: 390.01, purpose: "<b>x</b>" }, { sum: -5 }] } },
  ]);
  const shown = await upload(visit, file);
  assert.equal(shown.status, 200, wordsIn(shown.text));
  assert.match(
    wordsIn(shown.text),
    /Nothing is stored yet\. Read as 1C; lines of money: 2,.*New money 1.*wait in suspense 1/,
  );
  assert.deepEqual((await own.get("imports")).items, []);
  const carried = hiddenIn(shown.text, PATH);
  const done = await visit.post(PATH, carried);
  assert.equal(done.status, 303, wordsIn(done.text));
  await applyImports(gateway);
  const page = wordsIn(await visit.open(done.location));
  assert.match(page, /kl_to_1c\.txt All of it is applied\..*New money 1.*Left 1/);
  const lines = await visit.open("/desk/imports/lines");
  assert.match(wordsIn(lines), /390\.01.*<b>x<\/b>/);
  assert.ok(!lines.includes("<b>x"));
  assert.match(wordsIn(await visit.open("/desk/imports")), /kl_to_1c\.txt 1C 2/);
});

it("422: what is no statement is said beside the form; a line is decided; neither by a viewer", async () => {
  const visit = await anna(gateway);
  const refused = await upload(visit, "hello");
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert".*type="file"/s);
  const { items } = await own.get("lines?outcome=outflow");
  const path = `/desk/imports/lines/${items[0].line_id}/decide`;
  const done = await visit.fill(path, path, {
    decision: "book",
    kind: "charge",
    reason: "The bank's fee",
  });
  assert.equal(done.status, 303, wordsIn(done.text));
  assert.equal((await own.get("lines?outcome=charge")).items[0].settled_by, "Anna");
  await setAnnasRole(own, "viewer");
  assert.doesNotMatch(await visit.open("/desk/imports"), /imports\/new/);
  assert.equal((await upload(visit, "hello")).status, 403);
});

it("303: a proof is asked for when the form is opened, and a file that comes too late is not booked", async () => {
  await setAnnasRole(own, "operator");
  const visit = await anna(gateway);
  gateway.clock.advance(11 * MINUTE);
  assert.match((await visit.get(PATH)).location, /^\/prove\?then=/);
  const before = (await own.get("imports")).items.length;
  const file = statement1c([{ account: ACCOUNT, days: { [day]: [{ sum: 391.02 }] } }]);
  const late = await upload(visit, file, { sure: "true" });
  assert.match(late.location, /^\/prove\?then=/);
  assert.equal((await own.get("imports")).items.length, before);
  const then = new URLSearchParams(late.location.split("?")[1]).get("then") ?? "";
  assert.equal((await visit.post("/prove/sandbox", { then })).location, then);
  assert.match(wordsIn(await visit.open(then)), /was not carried out/);
  assert.equal((await upload(visit, file, { sure: "true" })).status, 303);
});
