// What a payer says to have done: what the page says then, what operators see of it, and that it is bounded,
// holds no card number and moves nothing.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { NO_PAGE, pages, wordsOf } from "../../../test/pages.ts";

const { gateway, own, trade } = await openOneGateway();
const { link, choose, simulate, show, say, post } = pages(gateway);
// Past every quarantine: each test finds all slots free.
beforeEach(() => trade.pass(2 * DAY));
afterEach(() => assertBooksAreRight(gateway));

const words = async (id: string, query = ""): Promise<string> => wordsOf(await show(id, query));
const issued = async (): Promise<string> => {
  const id = await link();
  assert.equal((await choose(id)).status, 303);
  return id;
};
const paymentOf = async (id: string) => (await own.get(`payments?invoice_id=${id}`)).items[0];
const ASKED = /Not recognised yet\? Tell us what you have sent/;

it("says what happens now, asks after two minutes what was sent, and writes it down", async () => {
  const id = await issued();
  const before = await show(id);
  assert.match(
    wordsOf(before),
    /bank&#39;s app, .* to this card Press “I have paid” I have paid We are waiting/,
  );
  assert.match(before.text, new RegExp(`method="post" action="/pay/${id}/paid\\?lang=en"`));
  assert.doesNotMatch(before.text, /data-again/);
  const said_at = trade.now();
  const said = await say(id);
  assert.deepEqual([said.status, said.headers.get("location")], [303, `/pay/${id}?lang=en`]);
  const now = await show(id);
  assert.match(wordsOf(now), /Transfer exactly.*Thank you\. We are looking for your transfer\./);
  assert.match(now.text, /data-again="30"/);
  assert.match(now.text, /<noscript><meta http-equiv="refresh"/);
  await trade.pass(2 * MINUTE - 1);
  assert.doesNotMatch(await words(id), ASKED);
  await trade.pass(1);
  // Said again it is not said later.
  await say(id);
  const asking = await show(id);
  assert.match(wordsOf(asking), ASKED);
  const [, seconds] = /http-equiv="refresh" content="(\d+)"/.exec(asking.text) ?? [];
  assert.ok(Number(seconds) > 60, "nothing but the end of the details takes away what one writes");
  const told_at = trade.now();
  await say(id, { amount: "1 500,5 ₽", bank: " Альфа\u0000\n ", when: "15.11.2026 20:58" });
  const told = { amount: 1500.5, bank: "Альфа", sent_when: "15.11.2026 20:58" };
  assert.deepEqual((await paymentOf(id)).payer_word, { said_at, told_at, ...told });
  assert.match(await words(id), /Noted: whoever looks for your transfer sees it\. Correct it/);
  const { timeline } = await own.get(`invoices/${id}`);
  const steps = timeline.filter(({ what }: { what: string }) => what.startsWith("payer"));
  assert.deepEqual(
    steps.map(({ at, what, detail }: Record<string, string>) => [at, what, detail]),
    [
      [said_at, "payer says paid", "not proven"],
      [told_at, "payer tells", "1500.50 RUB, Альфа, 15.11.2026 20:58"],
    ],
  );
});

it("may be mended five times, keeps no card number, and takes what is no amount for none", async () => {
  const id = await issued();
  assert.equal((await paymentOf(id)).payer_word, null);
  for (const amount of ["abc", "0", "-5", "2202200000000007", "1e3", "1 or 2", "1".repeat(70)]) {
    const refused = await say(id, { amount });
    assert.equal(refused.status, 422, amount);
    assert.match(await refused.text(), /role="alert">Please write the amount in digits/);
  }
  assert.equal((await paymentOf(id)).payer_word, null);
  const written = [
    ["1,519.80", 1519.8],
    ["1519", 1519],
    ["1.519", 1519],
    ["7,5 руб.", 7.5],
  ] as const;
  for (const [amount, wanted] of written) {
    assert.equal((await say(id, { amount, bank: "my card 4111 1111 1111 1111" })).status, 303);
    const { payer_word: word } = await paymentOf(id);
    assert.deepEqual([word.amount, word.bank], [wanted, "my card 411111******1111"]);
  }
  await say(id, { when: `${"х".repeat(63)}\u{1f375}y`.repeat(9) });
  await trade.pass(2 * MINUTE);
  for (let turn = 0; turn < 3; turn += 1) await say(id, { amount: "1" });
  const { payer_word: last } = await paymentOf(id);
  assert.deepEqual([last.amount, last.sent_when], [null, `${"х".repeat(63)}\u{1f375}`]);
  assert.match(await words(id), /Noted/);
  assert.doesNotMatch((await show(id)).text, /name="amount"/);
  assert.equal((await own.get(`invoices/${id}`)).invoice.state, "pending");
});

it("keeps no card number however it is written, and no character that turns a line round", async () => {
  const id = await issued();
  const written = [
    ["bank", "card 4111 1111  1111 1111 x", "card 411111******1111 x"],
    ["when", "sber4111111111111111", "sber411111******1111"],
    ["when", "4111-1111 1111-1111", "411111******1111"],
    ["when", "карта4111 1111\u00a01111 1111", "карта411111******1111"],
    ["when", "15.11.2026 12:05:33", "15.11.2026 12:05:33"],
    ["when", "\u202e2026-11-15\n12:05 по Москве", "2026-11-15 12:05 по Москве"],
  ] as const;
  for (const [field, text, kept] of written) {
    await gateway.app.db.query("update payer_words set times = 0", []);
    await say(id, { [field]: text });
    const { payer_word: word } = await paymentOf(id);
    assert.equal(field === "bank" ? word.bank : word.sent_when, kept);
  }
});

it("of a canceled order says to send nothing, and still takes down what was sent", async () => {
  const id = await issued();
  await own.post(`invoices/${id}/cancel`, { reason: "the shop has asked for it" });
  assert.match(
    await words(id),
    /This order was canceled Please send no money for it\..* say so: it is not lost,.* I have paid.*№/,
  );
  // Pressed on a page that was open when it was canceled, or on this one.
  await say(id);
  const said_at = trade.now();
  const asking = await show(id);
  assert.match(wordsOf(asking), /Tell us what you have sent.* Amount sent/);
  assert.doesNotMatch(wordsOf(asking), /is recognised|We are looking|Not recognised yet/);
  await say(id, { amount: "1020", bank: "Альфа" });
  const told = { amount: 1020, bank: "Альфа", sent_when: null };
  assert.deepEqual((await paymentOf(id)).payer_word, { said_at, told_at: said_at, ...told });
  assert.match(await words(id), /Noted: whoever looks for your transfer sees it\./);
});

it("of those who said so, and of nobody else, the page tells that another amount has come", async () => {
  // All of them share one card.
  const { items } = await own.get("requisites?bank=sber");
  for (const { requisite_id } of items.slice(1))
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  const [id, neighbour] = [await issued(), await issued()];
  const OTHER = /A transfer of another amount has arrived; the operator has been told/;
  const { requisite_id, to_pay } = await paymentOf(id);
  const tell = (amount: number) =>
    own.post("transfers", { requisite_id, amount, reference: `${id} ${amount}` });
  await say(id);
  assert.doesNotMatch(await words(id), OTHER);
  // Whose money is known tells others nothing.
  await simulate(neighbour);
  const again = { requisite_id, amount: (await paymentOf(neighbour)).to_pay, reference: "again" };
  assert.equal((await own.post("transfers", again)).suspense_reason, "paid_already");
  assert.doesNotMatch(await words(id), OTHER);
  // Nor does an amount that no slip explains.
  assert.equal((await tell(41_234.56)).state, "suspense");
  assert.doesNotMatch(await words(id), OTHER);
  const before = (await show(id, "/standing")).text;
  assert.equal((await tell(to_pay + 100)).state, "suspense");
  assert.equal((await show(id, "/standing")).text, `${before}!`, "an open page hears of it");
  const page = await show(id);
  assert.match(wordsOf(page), OTHER);
  assert.doesNotMatch(wordsOf(page), new RegExp(`\\b${to_pay + 100}\\b|1,120`));
  assert.doesNotMatch(await words(neighbour), OTHER);
  // Who was given details after that has not sent it.
  await trade.pass(1);
  const later = await issued();
  assert.equal((await paymentOf(later)).requisite_id, requisite_id);
  await say(later);
  assert.doesNotMatch(await words(later), OTHER);
  const { items: waiting } = await own.get(`transfers?state=suspense&amount=${to_pay + 100}`);
  const { transfer_id } = waiting[0];
  await own.post(`transfers/${transfer_id}/return`, { reason: "not ours" });
  assert.doesNotMatch(await words(id), OTHER);
  for (const { requisite_id } of items)
    await own.post(`requisites/${requisite_id}`, { enabled: true });
});

it("is as loud as new details where these have run out, and is told after the order's end, too", async () => {
  const id = await issued();
  await trade.pass(20 * MINUTE);
  const lapsed = await show(id);
  assert.match(wordsOf(lapsed), /Get new details .*say so: we go on watching for it\. I have paid/);
  assert.equal(lapsed.text.match(/<button( class="")?>/g)?.length, 2);
  await say(id);
  assert.match(await words(id), /These details have run out .*We are looking for your transfer/);
  await trade.pass(6 * 60 * MINUTE);
  const over = await words(id);
  assert.match(over, /time for this order is over .*on its way is still recognised/);
  await own.post("transfers", { ...(await moneyFor(id)), reference: id });
  assert.match(await words(id), /Your transfer has arrived/);
});

it("promises nothing after the time in which money is recognised by itself", async () => {
  const id = await issued();
  await say(id);
  await trade.pass(8 * 24 * 60 * MINUTE);
  const over = await words(id);
  assert.match(over, /not recognised by itself any more\. Your transfer has not been found/);
  assert.doesNotMatch(over, /still recognised|looking for your transfer/);
});

const moneyFor = async (id: string) => {
  const { requisite_id, to_pay: amount } = await paymentOf(id);
  return { requisite_id, amount };
};

it("says nothing about what is paid or was never issued, and nothing from another site", async () => {
  const [fresh, paid, asked] = [await link(), await issued(), await issued()];
  await simulate(paid);
  for (const id of [fresh, paid]) assert.equal((await say(id, { amount: "1" })).status, 303);
  const cross = { "sec-fetch-site": "cross-site" };
  assert.equal((await post(`/pay/${asked}/paid`, {}, cross)).status, 400);
  assert.deepEqual(
    await gateway.app.db.query("select from payer_words where paid_said_at = $1", [
      gateway.clock.now(),
    ]),
    [],
  );
  for (const nothing of NO_PAGE) assert.equal((await say(nothing)).status, 404);
  // What a browser loads again after a form that did not get through.
  const again = await fetch(`${gateway.url}/pay/${paid}/paid?lang=ru`, { redirect: "manual" });
  assert.deepEqual([again.status, again.headers.get("location")], [303, `/pay/${paid}?lang=ru`]);
});
