// /desk/imports/lines/several: many lines with one word, by ticks; what is refused is told line by line.

import assert from "node:assert/strict";
import { it } from "node:test";
import { applyImports } from "../../../test/imports.ts";
import { ownHand } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, setAnnasRole, wordsIn } from "../../../test/people.ts";
import { statement1c } from "../../../test/statement-file.ts";

const SEVERAL = "/desk/imports/lines/several";
const FROM = 800;
const ACCOUNT = "40817810000000000101";
const { gateway, own } = await openOneGateway({ fourEyesFrom: FROM });

/** A day that the bank has rewritten: all its lines wait. */
async function rewritten(day: string, sums: readonly number[]): Promise<string> {
  let last = "";
  const first = { sum: Number(day.slice(-2)) / 100 };
  const days = [[first], sums.map((sum, n) => ({ sum, number: `${day} ${n}` }))];
  for (const lines of days) {
    const content = Buffer.from(statement1c([{ account: ACCOUNT, days: { [day]: lines } }]));
    const file = { filename: `${day}.txt`, content: content.toString("base64") };
    ({ import_id: last } = await own.post("imports", file));
    await applyImports(gateway);
  }
  return last;
}
const boxesIn = (page: string): string[] =>
  [...page.matchAll(/name="line_ids" value="([\w-]{36})"/g)].map(([, id = ""]) => id);
const outcomesOf = async (id: string): Promise<string[]> =>
  (await own.get(`lines?import_id=${id}`)).items
    .map(({ outcome }: { outcome: string }) => outcome)
    .sort();

it("303: three lines of a rewritten day are put aside by one form, and the fourth stays", async () => {
  const id = await rewritten("2026-02-03", [5, 6, 7, 8]);
  const visit = await anna(gateway);
  const list = await visit.open(`/desk/imports/lines?import_id=${id}&waiting=true`);
  const [, href = ""] = list.match(/href="([^"]*\/several[^"]*)"/) ?? [];
  assert.equal(href, `${SEVERAL}?import_id=${id}&amp;waiting=true`);
  const path = href.replace("&amp;", "&");
  const page = await visit.open(path);
  assert.equal(boxesIn(page).length, 4);
  assert.doesNotMatch(page, /checked/, "nothing is ticked by itself");
  assert.match(wordsIn(page), /2026-02-03 · \+5\.00 ₽ · [^·]+ · A line changed/);
  const [, , ...three] = [...boxesIn(page), boxesIn(page)[0] ?? ""];
  const word = { decision: "exclude", reason: "the bank renamed them" };
  const done = await visit.fill(path, path, { ...word, line_ids: three });
  assert.equal(done.status, 200, wordsIn(done.text));
  assert.match(wordsIn(done.text), /Decided 3 Go on/);
  assert.ok(done.text.includes(`href="${href}"`), "and on with what is left of the same");
  assert.deepEqual(await outcomesOf(id), ["changed", "excluded", "excluded", "excluded"]);
  assert.equal(boxesIn(await visit.open(path)).length, 1, "of those that waited");
});

it("200: what one alone may not book waits for a second person, and what somebody decided meanwhile is refused by name", async () => {
  const id = await rewritten("2026-02-04", [10, FROM, 12]);
  const visit = await anna(gateway);
  const path = `${SEVERAL}?import_id=${id}`;
  const all = await visit.open(`${path}&all=true`);
  assert.equal(all.match(/ checked/g)?.length, 3);
  const [small = "", , third = ""] = boxesIn(all);
  await (await ownHand(gateway, "Boris")).post(`lines/${third}/decide`, {
    decision: "exclude",
    reason: "a copy",
  });
  const word = { decision: "book", reason: "asked the bank" };
  const done = await visit.fill(path, path, { ...word, line_ids: boxesIn(all) });
  assert.match(wordsIn(done.text), /Decided 1 Wait for a second approval 1 Refused 1/);
  assert.match(wordsIn(done.text), new RegExp(`${third.slice(-12)} : The line does not wait`));
  const [, refused = ""] = done.text.match(/href="([^"]*\?ids=[^"]*)"/) ?? [];
  const alone = await visit.open(refused);
  assert.equal(alone.match(/<tr\b/g)?.length, 2, "it alone, below the names of the columns");
  assert.match(wordsIn(alone), /Boris: a copy/);
  assert.equal(boxesIn(await visit.open(`${SEVERAL}?ids=${third}`))[0], third);
  assert.deepEqual(await outcomesOf(id), ["changed", "excluded", "new"]);
  const [booked] = (await own.get(`lines?ids=${small}`)).items;
  assert.deepEqual([booked.settled_by, booked.settled_reason], ["Anna", "asked the bank"]);
  assert.match(wordsIn(await visit.open("/desk/imports/lines?to_approve=true")), /Anna: asked/);
});

it("422: without a reason nothing is decided, and what was ticked stays so", async () => {
  const id = await rewritten("2026-02-05", [20, 21]);
  const visit = await anna(gateway);
  const path = `${SEVERAL}?import_id=${id}`;
  const [one = ""] = boxesIn(await visit.open(path));
  const sent = await visit.fill(path, path, { decision: "exclude", line_ids: [one] });
  assert.equal(sent.status, 422);
  assert.match(sent.text, new RegExp(`value="${one}" checked`));
  assert.equal(sent.text.match(/ checked/g)?.length, 1);
  const none = await visit.fill(path, path, { decision: "exclude", reason: "all", line_ids: [] });
  assert.equal(none.status, 422);
  assert.deepEqual(await outcomesOf(id), ["changed", "changed"]);
});

it("200: of each it says whose card it is of, that the file has it no more, and who has said to book it already", async () => {
  const id = await rewritten("2026-02-07", [FROM + 1, FROM + 2]);
  const { items } = await own.get(`lines?import_id=${id}&waiting=true`);
  const [large, next] = items;
  const word = { decision: "book", reason: "asked the bank" };
  await (await ownHand(gateway, "Vera")).post(`lines/${large.line_id}/decide`, word);
  const visit = await anna(gateway);
  const path = `${SEVERAL}?import_id=${id}`;
  await visit.fill(path, path, { ...word, line_ids: [next.line_id] });
  const { receiver_name } = await own.get(`requisites/${large.requisite_id}`);
  const told = wordsIn(await visit.open(`${SEVERAL}?requisite_id=${large.requisite_id}`));
  const said = (sum: string, rest: string) =>
    new RegExp(`2026-02-07 · \\+${sum}\\.\\d\\d ₽ · [^·]*${receiver_name}[^·]*· ${rest}`);
  assert.match(told, said("80\\d", "A line changed · Vera approved to book it: asked the bank · "));
  assert.match(told, said("80\\d", "A line changed · you approved to book it · "));
  assert.match(told, said("0", "Gone from the file · "));
});

it("200: where nothing is left to decide, it says so, and there is no form", async () => {
  const id = await rewritten("2026-02-06", [30]);
  const visit = await anna(gateway);
  const path = `${SEVERAL}?import_id=${id}&waiting=true`;
  const line_ids = boxesIn(await visit.open(path));
  await visit.fill(path, path, { decision: "exclude", reason: "a copy", line_ids });
  const page = await visit.open(path);
  assert.match(wordsIn(page), /Nothing of this can be decided Lines that wait/);
  assert.doesNotMatch(page, /name="reason"/);
});

it("403: a viewer has no way to it", async () => {
  await setAnnasRole(own, "viewer");
  const visit = await anna(gateway);
  assert.ok(!(await visit.open("/desk/imports/lines")).includes(SEVERAL));
  assert.equal((await visit.get(SEVERAL)).status, 403);
});
