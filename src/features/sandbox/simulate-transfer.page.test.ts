// The sandbox's button that plays the bank: once however often it is pressed.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pages } from "../../../test/pages.ts";

const { gateway, own } = await openOneGateway();
const { link, choose, simulate, post } = pages(gateway);
afterEach(() => assertBooksAreRight(gateway));

it("pays what the page asks for, once", async () => {
  const id = await link();
  // Before there are details there is nothing to pay.
  assert.equal((await simulate(id)).status, 303);
  await choose(id);
  const pressed = await Promise.all(Array.from({ length: 5 }, () => simulate(id)));
  assert.deepEqual(new Set(pressed.map(({ status }) => status)), new Set([303]));
  const rows = await gateway.app.db.query("select state, amount_minor from transfers");
  assert.deepEqual(rows, [{ state: "matched", amount_minor: 102_000n }]);
  assert.equal((await simulate("nonsense")).status, 404);
});

it("says so where its reference was used for another amount, and pays nothing", async () => {
  const id = await link();
  await choose(id);
  const [{ payment_id, requisite_id }] = (await own.get(`payments?invoice_id=${id}`)).items;
  const reference = `simulated ${payment_id}`;
  await own.post("transfers", { requisite_id, amount: 5, reference });
  const pressed = await simulate(id);
  assert.equal(pressed.status, 422);
  assert.match(await pressed.text(), /belongs to another transfer, with another amount/);
  assert.equal((await own.get("transfers?amount=1020")).items.length, 1, "that of the test before");
  assert.equal((await own.get(`invoices/${id}`)).invoice.state, "pending");
});

it("plays the ending that the form names, each once; an unknown one is refused", async () => {
  const id = await link();
  await choose(id);
  const play = (ending: string) => post(`/pay/${id}/simulate`, { ending });
  const before = (await own.get("transfers")).items.length;
  const counts = async (): Promise<number> => (await own.get("transfers")).items.length - before;
  for (const [ending, count, state] of [
    ["nothing", 0, "pending"],
    ["too_little", 1, "pending"],
    ["too_little", 1, "pending"],
    ["late", 2, "paid"],
    ["late", 2, "paid"],
    ["twice", 4, "paid"],
  ] as const) {
    assert.equal((await play(ending)).headers.get("location"), `/pay/${id}?lang=en`);
    assert.deepEqual(
      [await counts(), (await own.get(`invoices/${id}`)).invoice.state],
      [count, state],
    );
  }
  assert.equal((await own.get(`payments?invoice_id=${id}`)).items[0].late, true);
  assert.equal((await play("all")).status, 400);
  assert.equal(await counts(), 4);
});
