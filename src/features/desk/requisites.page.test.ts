// Requisites at the desk: meters, held amounts, on and off, whole numbers; and a viewer, who only looks.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

it("shows how much of each limit is used, and which amount is held", async () => {
  const order = await trade.order({ amount: 1500 });
  const [{ requisite_id: id }] = (await own.get(`payments?invoice_id=${order.id}`)).items;
  await own.post(`requisites/${id}`, { max_day_payments: 40, max_day_sum: 50_000 });
  const list = wordsIn(await visit.open("/desk/requisites")).replaceAll("\u00a0", " ");
  assert.match(list, /1 \/ 40/);
  assert.match(list, /1\u2009?.?530 \/ 50.000 ₽/);
  const page = await visit.open(`/desk/requisites/${id}?amount=${order.amount}`);
  assert.match(page, new RegExp(order.id));
  assert.match(wordsIn(page), /1.530\.00 ?: 2 Mar, 12:20/);
});

it("is switched off and on, and its limits change", async () => {
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  const page = `/desk/requisites/${id}`;
  const off = await visit.fill(page, `${page}/off`);
  assert.deepEqual([off.status, off.location], [303, page]);
  assert.equal((await own.get(`requisites/${id}`)).enabled, false);
  await visit.fill(page, `${page}/on`);
  await visit.fill(page, `${page}/change`, { max_sum: "1 234,50", receiver_name: "<b>Иван</b>" });
  const { enabled, max_sum, receiver_name } = await own.get(`requisites/${id}`);
  assert.deepEqual([enabled, max_sum, receiver_name], [true, 1234.5, "<b>Иван</b>"]);
  assert.doesNotMatch(await visit.open(page), /<b>Иван/);
  const crossed = await visit.fill(page, `${page}/change`, { max_sum: "1", min_sum: "2" });
  assert.equal(crossed.status, 422);
});

it("offers a viewer nothing to change, and refuses it", async () => {
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  const me = (await own.get("people")).items[0].person_id;
  await own.post(`people/${me}`, { desk_role: "viewer" });
  const page = `/desk/requisites/${id}`;
  assert.doesNotMatch(await visit.open(page), /<form[^>]*method="post"[^>]*\/desk\//);
  assert.equal((await visit.post(`${page}/off`)).status, 403);
  assert.equal((await visit.get("/desk/requisites/new")).status, 403);
  await own.post(`people/${me}`, { desk_role: "operator" });
});

it("shows whole numbers once, to who has just proven who they are", async () => {
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  const path = `/desk/requisites/${id}/reveal`;
  const shown = await visit.fill(path, path);
  assert.match(shown.text, /<code>\d{16}<\/code>/);
  await trade.pass(30 * MINUTE);
  assert.match((await visit.post(path)).location, /^\/prove\?then=/);
});

it("the file has what the page shows: nothing that was counted yesterday, and how each stands", async () => {
  const order = await trade.order();
  await trade.pay(order);
  const { items } = await own.get(`payments?invoice_id=${order.id}`);
  const { receiver_name } = await own.get(`requisites/${items[0].requisite_id}`);
  const file = async (): Promise<string[]> => {
    const { text } = await (await anna(gateway)).get("/desk/requisites.csv");
    const rows = text.split("\r\n").map((line) => line.split(","));
    const used = rows.find(([name]) => name?.replace(/^"/, "") === receiver_name);
    return used?.slice(-6, -2) ?? [];
  };
  assert.deepEqual(await file(), ["on", "0", "1", "1020"]);
  await trade.pass(DAY);
  await own.post(`requisites/${items[0].requisite_id}`, { enabled: false });
  assert.deepEqual(await file(), ["off", "0", "0", "0"]);
});
