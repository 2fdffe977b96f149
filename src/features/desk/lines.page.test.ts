// /desk/imports/lines: what one person would book and another approves, by a button; nobody is their own second.

import assert from "node:assert/strict";
import { it } from "node:test";
import { applyImports } from "../../../test/imports.ts";
import { changedLine } from "../../../test/lines.ts";
import { ownHand } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, setAnnasRole, wordsIn } from "../../../test/people.ts";
import { statement1c } from "../../../test/statement-file.ts";

const FROM = 800;
const LIST = "/desk/imports/lines?to_approve=true";
const { gateway, own } = await openOneGateway({ fourEyesFrom: FROM });
const boris = await ownHand(gateway, "Boris");

async function waiting() {
  const { line_id, path } = await changedLine(gateway, FROM);
  const page = `/desk/imports/lines/${line_id}`;
  return { path, decide: `${page}/decide`, approve: `${page}/approve` };
}
const lineAt = async (path: string) =>
  (await own.get("lines")).items.find(({ line_id }: { line_id: string }) => path.includes(line_id));

it("303: what somebody else would book is approved by a button, after who and why were shown", async () => {
  const { path, decide, approve } = await waiting();
  await boris.post(path, { decision: "book", reason: "<b>seen</b>" });
  const visit = await anna(gateway);
  const home = wordsIn(await visit.open("/desk"));
  assert.match(home, /Lines that wait for a second approval .*1 800\.00/);
  const { import_id } = await lineAt(path);
  const file = wordsIn(await visit.open(`/desk/imports/${import_id}`));
  assert.match(file, /Lines that wait for you: 1 /);
  const list = await visit.open(LIST);
  assert.match(wordsIn(list), /Boris: <b>seen<\/b> Approve Decide/);
  assert.ok(list.includes(`href="${approve}"`) && list.includes(`href="${decide}"`));
  assert.match(wordsIn(await visit.open(decide)), /This amount needs a second approval/);
  const form = wordsIn(await visit.open(approve));
  assert.match(form, /This amount needs a second approval.*Boris.*<b>seen<\/b>.*Approve/);
  assert.equal((await visit.fill(approve, approve, { reason: "" })).status, 422, "why?");
  const done = await visit.fill(approve, approve, { reason: "so have I" });
  assert.equal(done.status, 303, wordsIn(done.text));
  const { outcome, settled_by } = await lineAt(path);
  assert.deepEqual([outcome, settled_by], ["new", "Boris + Anna"]);
  assert.doesNotMatch(wordsIn(await visit.open(LIST)), /Boris/);
});

it("303: what one would book oneself is said to wait for somebody else, before and after, and has no button", async () => {
  const { path, decide, approve } = await waiting();
  const visit = await anna(gateway);
  assert.match(wordsIn(await visit.open(decide)), /To book this amount needs two people/);
  const word = { decision: "book", reason: "seen" };
  const done = await visit.fill(decide, decide, word);
  assert.deepEqual([done.status, done.location], [303, LIST]);
  const list = await visit.open(LIST);
  assert.match(
    wordsIn(list),
    /Anna: seen You approved to book it: another person has to approve it/,
  );
  assert.ok(!list.includes(approve));
  const forced = await visit.fill(approve, approve, { reason: "seen" });
  assert.equal(forced.status, 422);
  assert.match(wordsIn(forced.text), /You have approved this already/);
  assert.equal((await lineAt(path)).outcome, "changed");
  assert.equal((await visit.fill(decide, decide, { ...word, decision: "exclude" })).status, 303);
});

it("303: the form shows who and why also where hundreds of its file wait", async () => {
  const day = "2026-02-02";
  const many = Array.from({ length: 202 }, (_, n) => ({ sum: FROM, number: `more ${n}` }));
  for (const days of [[{ sum: 0.01 }], many]) {
    const text = statement1c([{ account: "40817810000000000101", days: { [day]: days } }]);
    const content = Buffer.from(text).toString("base64");
    await own.post("imports", { filename: "day.txt", content });
    await applyImports(gateway);
  }
  const [line] = await gateway.app.db.query<{ id: string }>(
    "select id from statement_lines where day = $1 and outcome = 'changed' order by id limit 1",
    [day],
  );
  await boris.post(`lines/${line?.id}/decide`, { decision: "book", reason: "asked the bank" });
  const visit = await anna(gateway);
  const [, href = ""] = (await visit.open(LIST)).match(/href="([^"]*\/approve[^"]*)"/) ?? [];
  assert.match(wordsIn(await visit.open(href)), /800\.00.*Boris.*asked the bank/);
  const done = await visit.fill(href, href, { reason: "so did I" });
  assert.equal(done.status, 303, wordsIn(done.text));
});

it("403: a viewer sees who would book it and is offered nothing", async () => {
  const { path, decide, approve } = await waiting();
  await boris.post(path, { decision: "book", reason: "seen" });
  await setAnnasRole(own, "viewer");
  const visit = await anna(gateway);
  const list = await visit.open(LIST);
  assert.match(wordsIn(list), /Boris: seen/);
  assert.ok(!list.includes(approve) && !list.includes(decide));
  assert.equal((await visit.get(approve)).status, 403);
});
