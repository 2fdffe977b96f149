// What the payment page shows in each state, over HTTP and without a browser.

import assert from "node:assert/strict";
import { beforeEach, it } from "node:test";
import { createH2h, createInvoice, LINK_SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE } from "../../../test/orders.ts";
import { NO_PAGE, pages, wordsOf } from "../../../test/pages.ts";

const { gateway, own, trade } = await openOneGateway();
const { link, choose, simulate, show } = pages(gateway);
// Past every quarantine: each test finds all slots free.
beforeEach(() => trade.pass(2 * DAY));

const words = async (id: string, query = ""): Promise<string> => wordsOf(await show(id, query));
const cardOn = async (id: string): Promise<string> =>
  /data-copy="(\d{16})"/.exec((await show(id)).text)?.[1] ?? "";
const enable = async (enabled: boolean, ...lastDigits: string[]): Promise<void> => {
  const { items } = await own.get("requisites");
  for (const { requisite_id, card } of items) {
    if (lastDigits.includes(card.slice(-4)))
      await own.post(`requisites/${requisite_id}`, { enabled });
  }
};

it("offers the methods with their fees, then the banks of the chosen one", async () => {
  const id = await link();
  const methods = await show(id);
  assert.equal(methods.status, 200);
  assert.match(methods.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(
    wordsOf(methods),
    /Order amount 1,000\.00 ₽ How do you want to pay\? Transfer by phone number \(SBP\) no fee Transfer to a card fee 20\.00 ₽/,
  );
  assert.match(
    await words(id, "?service=p2p_card"),
    /fee 20\.00 ₽, to pay 1,020\.00 ₽ Which bank do you pay from\? Sberbank T-Bank Another bank Another method/,
  );
});

it("skips the choice of a method where there is one", async () => {
  const page = await words(await link({ include_service: ["p2p_sbp"] }));
  assert.match(page, /no fee, to pay 1,000\.00 ₽ Which bank do you pay from\?/);
  assert.doesNotMatch(page, /Another method/);
});

it("a card that was switched off is shown to nobody any more; another one is given instead, and its money is found", async () => {
  const id = await link();
  await choose(id);
  const card = await cardOn(id);
  const before = await words(id);
  await enable(false, card.slice(-4));
  const off = await show(id);
  assert.match(
    wordsOf(off),
    /These details have run out .*If you have sent the money already, say so/,
  );
  assert.ok(!off.text.includes(card));
  // An id may have any four digits.
  assert.doesNotMatch(wordsOf(off), new RegExp(`\\b${card.slice(-4)}\\b`));
  await enable(true, card.slice(-4));
  assert.equal(await words(id), before, "switched on again it is shown again");
  await enable(false, card.slice(-4));
  assert.equal((await choose(id)).status, 303);
  const other = await cardOn(id);
  assert.match(other, /^\d{16}$/);
  assert.notEqual(other, card);
  // Who had seen the first one, and paid to it in the time that was told, has paid.
  const told = await own.post("transfers", { wallet: card, amount: 1020, reference: id });
  assert.deepEqual([told.state, told.invoice_id], ["matched", id]);
  assert.match(await words(id), /Paid/);
  await enable(true, card.slice(-4));
});

it("a card that was switched off leaves the answer to a shop's repetition as it was", async () => {
  const { id } = (await createInvoice(gateway)).body.data;
  const first = await createH2h(gateway, id);
  const digits = first.body.data.wallet.slice(-4);
  await enable(false, digits);
  assert.deepEqual((await createH2h(gateway, id)).body, first.body);
  await enable(true, digits);
});

it("shows the details: exact amount, card, receiver, bank, the end", async () => {
  const id = await link();
  const chosen = await choose(id);
  assert.equal(chosen.headers.get("location"), `/pay/${id}?lang=en`);
  const [page, card] = [await show(id), await cardOn(id)];
  assert.match(
    wordsOf(page),
    /Transfer exactly 1,020\.00 ₽ .*1,000\.00 ₽ for the order \+ 20\.00 ₽ fee\. .*Card number 2202 2000 0000 00\d\d .*Bank Sberbank Receiver .*Valid until \d+ March, 12:20 \(MSK\) 20:00 /,
  );
  // Only what one copies has a button, and what it copies is what a bank's app takes.
  const copied = [...page.text.matchAll(/data-copy="([^"]+)"/g)].map(([, value]) => value);
  assert.deepEqual(copied, ["1020.00", card]);
  assert.doesNotMatch(page.text, /<mark>/);
  // The same choice again is the same details; another bank is another card.
  await choose(id);
  assert.equal(await cardOn(id), card);
  await choose(id, "p2p_sbp", "tinkoff");
  assert.match(
    await words(id),
    /Phone number \+7 999 000-00-0\d .*choose this bank in your app T-Bank .*Choose T-Bank and send/,
  );
});

it("marks the kopecks where the amount was nudged", async () => {
  await enable(false, "0015", "0023");
  const [first, second] = [await link(), await link()];
  await choose(first);
  await choose(second);
  const page = await show(second);
  assert.match(page.text, /1,020<mark>\.01<\/mark>/);
  assert.match(wordsOf(page), /\+ 20\.00 ₽ fee \+ 0\.01 ₽ to tell your payment from others/);
  await enable(true, "0015", "0023");
});

it("says when details have run out, and gives new ones with one form", async () => {
  const id = await link();
  await choose(id);
  await trade.pass(20 * MINUTE);
  const { text } = await show(id);
  assert.match(text, /These details have run out/);
  assert.doesNotMatch(text, /\d{16}/);
  assert.match(text, /name="service" value="p2p_card".*name="bank" value="sber".*Get new details/);
  await choose(id);
  assert.match(await words(id), /Transfer exactly/);
});

it("is a receipt once paid, with the way back; also for late money", async () => {
  for (const late of [false, true]) {
    const id = await link();
    await choose(id);
    const wallet = await cardOn(id);
    await trade.pass(late ? 6 * HOUR : 0);
    if (late) assert.match(await words(id), /The time for this order is over/);
    await own.post("transfers", { wallet, amount: 1020, reference: id });
    const page = await show(id);
    assert.match(
      wordsOf(page),
      /Paid Your transfer has arrived.*Received 1,020\.00 ₽.*Back to Tea and Spoon \( shop\.example \)/,
    );
    assert.match(page.text, /<a class="button" data-return href="https:\/\/shop\.example\/ok"/);
    assert.doesNotMatch(page.text, /\d{16}/);
  }
});

it("lets a receipt that is looked at again stay", async () => {
  const id = await link();
  await choose(id);
  await simulate(id);
  await trade.pass(59);
  assert.match((await show(id)).text, /data-return href.*data-soon>/);
  await trade.pass(1);
  assert.doesNotMatch((await show(id)).text, /data-return|data-soon/);
});

it("lets the payer choose again, also where nothing is left of the first choice", async () => {
  const id = await link();
  await choose(id);
  const CHANGE = /href="\/pay\/[^"?]+\?change=1&amp;lang=en">Another bank or method/;
  assert.match((await show(id)).text, CHANGE);
  const again = await show(id, "?change=1");
  assert.match(wordsOf(again), /How do you want to pay\?/);
  assert.match(again.text, /href="\/pay\/[^"?]+\?change=1&amp;service=p2p_sbp&amp;lang=en"/);
  await trade.pass(20 * MINUTE);
  assert.match((await show(id)).text, CHANGE);
  const banks = await show(id, "?change=1&service=p2p_sbp");
  assert.match(banks.text, /action="\/pay\/[^"?]+\?change=1&amp;service=p2p_sbp&amp;lang=en"/);
  await choose(id, "p2p_sbp", "tinkoff");
  assert.match(await words(id), /Phone number/);
  await simulate(id);
  assert.match(await words(id, "?change=1"), /Your transfer has arrived/);
});

it("says expired, refunded and failed, and sends the payer back to the shop", async () => {
  const forgotten = await link({ fail_url: "https://shop.example/no" });
  const [paid, failed] = [await link(), await link()];
  await choose(paid);
  await simulate(paid);
  await own.post(`invoices/${failed}/cancel`, { reason: "sold out" });
  assert.match(
    await words(failed),
    /This order was canceled Please send no money for it\. .*order again in the shop\. /,
  );
  // Nobody who has not paid is led to where the shop says thank you.
  assert.doesNotMatch((await show(failed)).text, /shop\.example/);
  await trade.pass(DAY);
  const page = await show(forgotten);
  assert.match(
    wordsOf(page),
    /The time for this order is over.*Back to Tea and Spoon \( shop\.example \)/,
  );
  assert.match(page.text, /<a href="https:\/\/shop\.example\/no" rel="noreferrer">/);
  await own.post("refunds", { invoice_id: paid, amount: 960, reason: "all of it" });
  assert.match(
    await words(paid),
    /recorded a refund of 960\.00 ₽ on \d+ March, 18:41 \(MSK\)\. The bank/,
  );
});

it("a receipt says what went back of it, and ends there where the shop has no address", async () => {
  const id = await link();
  await choose(id);
  await simulate(id);
  await gateway.app.db.query("update invoices set success_url = null where id = $1", [id]);
  await trade.pass(DAY);
  await own.post("refunds", { invoice_id: id, amount: 100.5, reason: "a part" });
  const page = await show(id, "?lang=ru");
  assert.match(wordsOf(page), /Оплачено .*Платёж № [0-9a-f]{8} \d+ марта, .*возврат 100,50 ₽\./);
  assert.doesNotMatch(page.text, new RegExp(`shop\\.example|data-soon|>[^<]*${id}`));
});

it("says what is bought and whom to ask, as text and as a link that says where it leads", async () => {
  const comment = `Tea <b>&</b> "a cup" \u202e`;
  const id = await link({ comment });
  for (const [support, href, text] of [
    ["https://tea.example/help?q=1", "https://tea.example/help?q=1", "tea.example/help"],
    ["help+1@tea.example", "mailto:help%2B1@tea.example", "help+1@tea.example"],
    ["+79991234567", "tel:+79991234567", "+79991234567"],
  ]) {
    await own.post(`shops/${LINK_SHOP.id}`, { support });
    const { text: page } = await show(id);
    assert.ok(page.includes(`<a href="${href}" rel="noreferrer"><bdi>${text}</bdi></a>`), page);
    assert.ok(page.includes("<bdi>Tea &lt;b&gt;&amp;&lt;/b&gt; &quot;a cup&quot; \u202e</bdi>"));
  }
  await own.post(`shops/${LINK_SHOP.id}`, { clear: ["support"] });
  assert.doesNotMatch(await words(id), /Questions/);
});

it("asks nothing where there is nothing to choose, and issues nothing before a form asks for it", async () => {
  const { items } = await own.get("requisites?bank=tinkoff");
  const switchOff = async (off: boolean): Promise<void> => {
    for (const { requisite_id } of items)
      await own.post(`requisites/${requisite_id}`, { enabled: !off });
  };
  await switchOff(true);
  const [one, two] = [await link({ include_service: ["p2p_card"] }), await link()];
  const only = await show(one);
  assert.match(
    wordsOf(only),
    /to pay 1,020\.00 ₽ Transfer to a card Get payment details Payment №/,
  );
  const form =
    /name="service" value="p2p_card"><input type="hidden" name="bank" value="any"><button/;
  assert.match(only.text, form);
  // Of several methods each is one press.
  assert.match((await show(two)).text, form);
  for (const id of [one, two]) assert.match((await show(id, "/standing")).text, /^created$/);
  await choose(one, "p2p_card", "any");
  assert.match(await words(one), /Transfer exactly/);
  await switchOff(false);
});

it("leads back to details that are valid, and offers no change where none is left", async () => {
  const id = await link();
  for (let turn = 0; turn < 6; turn += 1) {
    assert.match(await words(id, "?change=1"), /How do you want to pay\?/);
    await choose(id, "p2p_card", turn % 2 === 0 ? "sber" : "tinkoff");
    const back = new RegExp(`href="/pay/${id}\\?lang=en">Back to the payment details`);
    assert.match((await show(id, "?change=1")).text, back);
  }
  assert.doesNotMatch(await words(id), /Another bank or method/);
  const spent = await show(id, "?change=1");
  assert.match(wordsOf(spent), /had new details too often.*Back to the payment details/);
  assert.doesNotMatch(spent.text, /<form|class="button choice"/);
  await trade.pass(20 * MINUTE);
  const lapsed = await show(id);
  assert.match(wordsOf(lapsed), /These details have run out .*had new details too often/);
  assert.doesNotMatch(lapsed.text, /Get new details|change=1/);
});

it("wears the shop's title, logo and colour", async () => {
  const look = { title: "Чайная «У моста»", logo_url: "https://img.example/l.png" };
  await own.post(`shops/${LINK_SHOP.id}`, { ...look, color: "#ffd400" });
  const page = await show(await link());
  assert.match(wordsOf(page), /Чайная «У моста»/);
  assert.match(page.text, /<img src="https:\/\/img\.example\/l\.png" alt="">/);
  assert.match(page.text, /--brand:#ffd400;--on:#000/);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /img-src 'self' https:\/\/img\.example;/);
  await own.post(`shops/${LINK_SHOP.id}`, { clear: ["title", "logo_url", "color"] });
  assert.match(await words(await link()), /Tea and Spoon/);
});

it("has a strict policy, and nothing about another invoice", async () => {
  const [id, other] = [await link({ order_id: "mine-1" }), await link({ order_id: "theirs-1" })];
  await choose(other);
  const { headers, text } = await show(id);
  assert.match(
    headers.get("content-security-policy") ?? "",
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.doesNotMatch(text, /theirs-1|<script>|onclick|style="/);
});

it("404, as a page, for wrong ids and for invoices that have no page", async () => {
  const direct = (await createInvoice(gateway)).body.data.id;
  for (const id of [direct, ...NO_PAGE, "%00", "..%2f..%2fetc", "x".repeat(500)]) {
    const page = await show(id);
    assert.equal(page.status, 404, id);
    assert.match(wordsOf(page), /There is no such payment/);
    for (const part of ["/standing", "/code.svg", "/changes"]) {
      assert.equal((await show(id, part)).status, 404, `${id}${part}`);
    }
  }
  const asked = await gateway.call(`/pay/${direct}`);
  assert.equal(
    asked.headers.get("x-kopeck-error"),
    "path_not_found",
    "a program gets the envelope",
  );
});
