// A form that was open while somebody else changed the same thing. Whoever sends it changes what they changed, and
// nothing else; where both changed the same, they are told and decide. All as browsers send it, without a script.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { anna, fieldsIn, invite, wordsIn } from "./people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

type Form = Record<string, string | readonly string[]>;

/** A page that stays open in a tab, and is sent later as a browser sends it: every field of it. */
async function tab(path: string, page = path) {
  const text = await visit.open(page);
  return (changes: Form = {}) => visit.post(path, { ...fieldsIn(text, path), ...changes });
}

const settings = `/my/shops/${SHOP.id}/settings`;
const shop = () => own.get(`shops/${SHOP.id}`);
const requisite = async () => {
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  return { id, path: `/desk/requisites/${id}/change`, now: () => own.get(`requisites/${id}`) };
};

it("a colour saved in an older tab leaves the address of webhooks that a colleague has set since", async () => {
  await own.post(`shops/${SHOP.id}`, { clear: ["hook_url", "support"], title: "Before" });
  const send = await tab(settings);
  await own.post(`shops/${SHOP.id}`, {
    hook_url: "https://new.example/hook",
    support: "+79990000001",
  });
  assert.equal((await send({ color: "#1f6feb" })).status, 303);
  const { hook_url, support, color, title } = await shop();
  assert.deepEqual(
    [hook_url, support, color, title],
    ["https://new.example/hook", "+79990000001", "#1f6feb", "Before"],
  );
});

it("a name saved in an older tab leaves the role that was taken away since", async () => {
  const { person } = await invite(own, "older@tab.example", "operator");
  await own.post(`people/${person.person_id}`, { desk_role: "operator" });
  const send = await tab(`/desk/people/${person.person_id}/change`);
  await own.post(`people/${person.person_id}`, { desk_role: "viewer" });
  assert.equal((await send({ name: "Renamed" })).status, 303);
  const { name, desk_role } = await own.get(`people/${person.person_id}`);
  assert.deepEqual([name, desk_role], ["Renamed", "viewer"]);
  const quarrel = await send({ desk_role: "cashier", once: "" });
  assert.equal(quarrel.status, 409);
  assert.match(wordsIn(quarrel.text), /it is now “Viewer”/i, "a choice is told by its words");
});

it("a receiver's name saved in an older tab leaves the limit that was lowered since, in both languages", async () => {
  const { id, path, now } = await requisite();
  for (const language of ["en", "ru"]) {
    await visit.post("/security/settings", { language, keys: "on" });
    await own.post(`requisites/${id}`, { max_day_sum: 900_000.5, max_sum: 1500.5 });
    const send = await tab(path);
    await own.post(`requisites/${id}`, { max_day_sum: 50_000 });
    assert.equal((await send({ receiver_name: `Иван ${language}` })).status, 303);
    const { max_day_sum, max_sum, receiver_name } = await now();
    assert.deepEqual([max_day_sum, max_sum, receiver_name], [50_000, 1500.5, `Иван ${language}`]);
  }
  await visit.post("/security/settings", { language: "en", keys: "on" });
});

it("a limit that both have changed is not saved before one has seen the other's, and then it is", async () => {
  const { id, path, now } = await requisite();
  await own.post(`requisites/${id}`, { max_day_sum: 900_000, max_day_payments: 300 });
  const send = await tab(path);
  await own.post(`requisites/${id}`, { max_day_sum: 50_000, max_day_payments: 10 });
  const refused = await send({ max_day_sum: "70 000", receiver_name: "Typed" });
  assert.equal(refused.status, 409);
  assert.match(wordsIn(refused.text), /changed this meanwhile: it is now “50000”\. Send again/);
  assert.notEqual((await now()).receiver_name, "Typed");
  const again = fieldsIn(refused.text, path);
  assert.deepEqual(again["max_day_sum"], ["70 000"], "what was typed stays");
  assert.deepEqual(again["receiver_name"], ["Typed"]);
  assert.deepEqual(again["max_day_payments"], ["10"], "what was not typed is as it is now");
  // A third hand meanwhile, on what nobody typed.
  await own.post(`requisites/${id}`, { max_day_payments: 20 });
  assert.equal((await visit.post(path, again)).status, 303);
  const { max_day_sum, max_day_payments, receiver_name } = await now();
  assert.deepEqual([max_day_sum, max_day_payments, receiver_name], [70_000, 20, "Typed"]);
});

it("in Russian; both having chosen the same is no quarrel", async () => {
  await own.post(`shops/${SHOP.id}`, { late_policy: "credit", color: "#111111" });
  await visit.post("/security/settings", { language: "ru", keys: "on" });
  const send = await tab(settings);
  await own.post(`shops/${SHOP.id}`, { late_policy: "hold", color: "#222222" });
  const refused = await send({ late_policy: "hold", color: "#333333", hook_url: "" });
  await visit.post("/security/settings", { language: "en", keys: "on" });
  assert.equal(refused.status, 409);
  assert.match(wordsIn(refused.text), /это изменили: сейчас «#222222»/);
  assert.equal((await visit.post(settings, fieldsIn(refused.text, settings))).status, 303);
  assert.deepEqual([(await shop()).color, (await shop()).hook_url], ["#333333", null]);
});

it("what is wrong beside it changes nothing of that: sent again, only what was typed is saved", async () => {
  const { id, path, now } = await requisite();
  await own.post(`requisites/${id}`, { max_day_sum: 900_000, min_sum: 1, max_sum: 1000 });
  const send = await tab(path);
  await own.post(`requisites/${id}`, { max_day_sum: 60_000 });
  const wrong = await send({ min_sum: "1,000", receiver_name: "Again" });
  assert.equal(wrong.status, 422);
  assert.equal(
    (await visit.post(path, { ...fieldsIn(wrong.text, path), min_sum: "2" })).status,
    303,
  );
  const { max_day_sum, min_sum, receiver_name } = await now();
  assert.deepEqual([max_day_sum, min_sum, receiver_name], [60_000, 2, "Again"]);
});

it("what was emptied is forgotten, a list as well; a preview between keeps to what was shown first", async () => {
  await own.post(`shops/${SHOP.id}`, {
    support: "+79990000001",
    title: "Shown",
    clear: ["fail_url"],
  });
  const text = await visit.open(settings);
  const typed = { ...fieldsIn(text, settings), support: "" };
  await own.post(`shops/${SHOP.id}`, { title: "Since", fail_url: "https://since.example/" });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(typed))
    for (const one of [value].flat()) query.append(name, one);
  const previewed = await visit.open(`${settings}?${query}`);
  assert.equal((await visit.post(settings, fieldsIn(previewed, settings))).status, 303);
  const { support, title, fail_url } = await shop();
  assert.deepEqual([support, title, fail_url], [null, "Since", "https://since.example/"]);
});

it("a whole list that was replaced since is not replaced again unseen", async () => {
  const path = "/desk/sbp-banks/replace";
  const send = await tab(path);
  const { items } = await own.get("sbp-banks");
  const fewer = items.slice(1).map(({ id, name }: { id: string; name: string }) => ({ id, name }));
  await own.post("sbp-banks", { banks: fewer });
  assert.equal((await send()).status, 409);
  assert.equal((await own.get("sbp-banks")).items.length, fewer.length);
});

it("a form from before, which does not say what it showed, is taken as it was", async () => {
  await own.post(`shops/${SHOP.id}`, { title: "Old", color: "#111111" });
  const { was: _was, ...fields } = fieldsIn(await visit.open(settings), settings);
  assert.equal((await visit.post(settings, { ...fields, title: "New", color: "" })).status, 303);
  assert.deepEqual([(await shop()).title, (await shop()).color], ["New", null]);
});
