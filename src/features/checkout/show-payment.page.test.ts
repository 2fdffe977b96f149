// What the payment page shows in each state, over HTTP and without a browser.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { createH2h, createInvoice, LINK_SHOP, SHOP } from "../../../test/cast.ts";
import {
  type Answer,
  onEachEngine,
  openTestGateway,
  type TestGateway,
} from "../../../test/gateway.ts";
import { manage } from "../../../test/manage.ts";

const DAY_SECONDS = 24 * 60 * 60;
const OPERATOR = { authorization: "Bearer sandbox_operator_token" };

onEachEngine("GET /pay/{invoice}", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());
  // Past every quarantine: each test finds all slots free.
  beforeEach(() => pass(2 * DAY_SECONDS));

  const pass = (advance_seconds: number): Promise<Answer> =>
    gateway.call("/sandbox/clock", { body: { advance_seconds }, headers: OPERATOR });
  const link = async (changes: Record<string, unknown> = {}): Promise<string> => {
    const services = { include_service: ["p2p_card", "p2p_sbp"], type: "link" };
    const { body, text } = await createInvoice(gateway, { ...services, ...changes }, LINK_SHOP);
    assert.equal(body.status, 200, text);
    return body.data.id;
  };
  const show = (id: string, query = ""): Promise<Answer> => gateway.call(`/pay/${id}${query}`);
  const choose = (id: string, service = "p2p_card", bank = "sber"): Promise<Response> =>
    fetch(`${gateway.url}/pay/${id}`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ service, bank }),
    });
  /** The words of the page, without its tags. */
  const words = ({ text }: Answer): string =>
    text
      .replace(/<style>.*?<\/style>/gs, "")
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ");

  it("offers the methods with their fees, then the banks of the chosen one", async () => {
    const id = await link();
    const methods = await show(id);
    assert.equal(methods.status, 200);
    assert.match(methods.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(
      words(methods),
      /1 000\.00 ₽ How do you want to pay\? Transfer to a card fee 20\.00 ₽ Transfer by phone number \(SBP\) no fee/,
    );
    const banks = await show(id, "?service=p2p_card");
    assert.match(
      words(banks),
      /fee 20\.00 ₽, to pay 1 020\.00 ₽ Which bank do you pay from\? Сбербанк Т-Банк Another method/,
    );
  });

  it("skips the choice of a method where there is one", async () => {
    const page = words(await show(await link({ include_service: ["p2p_sbp"] })));
    assert.match(page, /no fee, to pay 1 000\.00 ₽ Which bank do you pay from\?/);
    assert.doesNotMatch(page, /Another method/);
  });

  describe("a card that was switched off", () => {
    const cardOf = (page: Answer): string => /data-copy="(\d{16})"/.exec(page.text)?.[1] ?? "";
    const own = () => manage(gateway);
    const requisiteOf = async (card: string): Promise<string> => {
      const { items } = await own().get("requisites");
      const last = card.slice(-4);
      return items.find((one: { card: string }) => one.card.endsWith(last)).requisite_id;
    };

    it("is shown to nobody any more; another one is given instead, and its money is found", async () => {
      const id = await link();
      await choose(id);
      const card = cardOf(await show(id));
      const path = `requisites/${await requisiteOf(card)}`;
      await own().post(path, { enabled: false });
      const off = await show(id);
      assert.match(
        words(off),
        /These details have run out .*If you have sent it already, just wait/,
      );
      assert.doesNotMatch(off.text, new RegExp(`${card}|${card.slice(-4)}`));
      assert.equal((await choose(id)).status, 303);
      const other = cardOf(await show(id));
      assert.match(other, /^\d{16}$/);
      assert.notEqual(other, card);
      // Who had seen the first one, and paid to it in the time that was told, has paid.
      const told = await own().post("transfers", { wallet: card, amount: 1020, reference: id });
      assert.deepEqual([told.state, told.invoice_id], ["matched", id]);
      assert.match(words(await show(id)), /Paid/);
      await own().post(path, { enabled: true });
    });

    it("is shown again once it is switched on again", async () => {
      const id = await link();
      await choose(id);
      const before = words(await show(id));
      const path = `requisites/${await requisiteOf(cardOf(await show(id)))}`;
      await own().post(path, { enabled: false });
      assert.equal(cardOf(await show(id)), "");
      await own().post(path, { enabled: true });
      assert.equal(words(await show(id)), before);
    });

    it("leaves the answer to a shop's repetition as it was", async () => {
      const { id } = (await createInvoice(gateway)).body.data;
      const first = await createH2h(gateway, id);
      const path = `requisites/${await requisiteOf(first.body.data.wallet)}`;
      await own().post(path, { enabled: false });
      assert.deepEqual((await createH2h(gateway, id)).body, first.body);
      await own().post(path, { enabled: true });
    });
  });

  it("shows the details: exact amount, card, receiver, bank, the end", async () => {
    const id = await link();
    const chosen = await choose(id);
    assert.equal(chosen.status, 303);
    assert.equal(chosen.headers.get("location"), `/pay/${id}?lang=en`);
    const page = await show(id);
    assert.match(
      words(page),
      /Transfer exactly 1 020\.00 ₽ .*Card number 2202 2000 0000 00\d\d .*Receiver .*Bank Сбербанк .*Time left 20:00 /,
    );
    assert.match(page.text, /data-copy="1020\.00"/);
    assert.match(page.text, /data-copy="22022000000000\d\d"/);
    assert.doesNotMatch(page.text, /<mark>/);
    // The same choice again is the same details; another bank is another card.
    await choose(id);
    assert.deepEqual(
      (await show(id)).text.match(/data-copy="\d{16}"/g),
      page.text.match(/data-copy="\d{16}"/g),
    );
    await choose(id, "p2p_sbp", "tinkoff");
    assert.match(words(await show(id)), /Phone number \+7999000000\d .*Т-Банк/);
  });

  it("marks the kopecks where the amount was nudged", async () => {
    await manage(gateway).post("requisites/00000000-0000-4000-8000-000000000102", {
      enabled: false,
    });
    await manage(gateway).post("requisites/00000000-0000-4000-8000-000000000103", {
      enabled: false,
    });
    const [first, second] = [await link(), await link()];
    await choose(first);
    await choose(second);
    const page = await show(second);
    assert.match(page.text, /1\u00a0020<mark>\.01<\/mark>/);
    assert.match(words(page), /The kopecks matter/);
    await manage(gateway).post("requisites/00000000-0000-4000-8000-000000000102", {
      enabled: true,
    });
    await manage(gateway).post("requisites/00000000-0000-4000-8000-000000000103", {
      enabled: true,
    });
  });

  it("says when details have run out, and gives new ones with one form", async () => {
    const id = await link();
    await choose(id);
    await pass(20 * 60);
    const page = await show(id);
    assert.match(words(page), /These details have run out/);
    assert.doesNotMatch(page.text, /\d{16}/);
    assert.match(
      page.text,
      /name="service" value="p2p_card".*name="bank" value="sber".*Get new details/,
    );
    await choose(id);
    assert.match(words(await show(id)), /Transfer exactly/);
  });

  it("is a receipt once paid, with the way back; also for late money", async () => {
    for (const late of [false, true]) {
      const id = await link();
      await choose(id);
      const wallet = /data-copy="(\d{16})"/.exec((await show(id)).text)?.[1];
      await pass(late ? 6 * 60 * 60 : 0);
      if (late) assert.match(words(await show(id)), /The time for this order is over/);
      const body = { wallet, amount: 1020 };
      await gateway.call("/sandbox/transfers", { body, headers: OPERATOR });
      const page = await show(id);
      assert.match(
        words(page),
        /Paid Your transfer has arrived.*Received 1 020\.00 ₽.*Back to Payment page \( shop\.example \)/,
      );
      assert.match(page.text, /<a class="button" data-return href="https:\/\/shop\.example\/ok"/);
      assert.doesNotMatch(page.text, /\d{16}/);
    }
  });

  it("lets a receipt that is looked at again stay", async () => {
    const id = await link();
    await choose(id);
    await fetch(`${gateway.url}/pay/${id}/simulate`, { method: "POST", redirect: "manual" });
    await pass(59);
    assert.match((await show(id)).text, /data-return href.*data-soon>/);
    await pass(1);
    assert.doesNotMatch((await show(id)).text, /data-return|data-soon/);
  });

  it("lets the payer choose again, also where nothing is left of the first choice", async () => {
    const id = await link();
    await choose(id);
    const CHANGE = /href="\?change=1&amp;lang=en">Another bank or method/;
    assert.match((await show(id)).text, CHANGE);
    const again = await show(id, "?change=1");
    assert.match(words(again), /How do you want to pay\?/);
    assert.match(again.text, /href="\?change=1&amp;service=p2p_sbp&amp;lang=en"/);
    await pass(20 * 60);
    assert.match((await show(id)).text, CHANGE);
    const banks = await show(id, "?change=1&service=p2p_sbp");
    assert.match(banks.text, /action="\/pay\/[^"?]+\?change=1&amp;service=p2p_sbp&amp;lang=en"/);
    await choose(id, "p2p_sbp", "tinkoff");
    assert.match(words(await show(id)), /Phone number/);
    await fetch(`${gateway.url}/pay/${id}/simulate`, { method: "POST", redirect: "manual" });
    assert.match(words(await show(id, "?change=1")), /Your transfer has arrived/);
  });

  it("says expired and refunded", async () => {
    const forgotten = await link({ fail_url: "https://shop.example/no" });
    const paid = await link();
    await choose(paid);
    await fetch(`${gateway.url}/pay/${paid}/simulate`, { method: "POST", redirect: "manual" });
    await pass(DAY_SECONDS);
    const page = await show(forgotten);
    assert.match(words(page), /The time for this order is over/);
    assert.match(page.text, /<a href="https:\/\/shop\.example\/no" rel="noreferrer">/);
    assert.match(words(page), /Back to Payment page \( shop\.example \)/);
    await manage(gateway).post("refunds", { invoice_id: paid, amount: 960, reason: "all of it" });
    assert.match(words(await show(paid)), /The money was sent back/);
  });

  it("says failed, and sends the payer back to the shop", async () => {
    const id = await link();
    await gateway.app.db.query("update invoices set state = 'failed' where id = $1", [id]);
    const page = words(await show(id));
    assert.match(
      page,
      /This order was not paid Please order again in the shop\. .*Back to Payment page/,
    );
  });

  it("speaks Russian to whoever prefers it, and to whoever switches", async () => {
    const id = await link();
    const russian = await gateway.call(`/pay/${id}`, { headers: { "accept-language": "ru" } });
    assert.match(words(russian), /Как вы хотите оплатить\? Перевод на карту комиссия 20\.00 ₽/);
    assert.match(russian.text, /^<!doctype html>\n<html lang="ru">/);
    assert.match(words(await show(id, "?lang=ru")), /Как вы хотите оплатить/);
    assert.match(words(russian), /English/);
    const banks = await show(id, "?service=p2p_card&lang=ru");
    assert.match(banks.text, /<a href="\?service=p2p_card&amp;lang=en" lang="en">English/);
  });

  it("wears the shop's title, logo and colour", async () => {
    const settings = {
      title: "Чайная «У моста»",
      logo_url: "https://img.example/l.png",
      color: "#ffd400",
    };
    await manage(gateway).post(`shops/${LINK_SHOP.id}`, settings);
    const page = await show(await link());
    assert.match(words(page), /Чайная «У моста»/);
    assert.match(page.text, /<img src="https:\/\/img\.example\/l\.png" alt="">/);
    assert.match(page.text, /--brand:#ffd400;--on:#000/);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /img-src 'self' https:\/\/img\.example;/);
    const clear = ["title", "logo_url", "color"];
    await manage(gateway).post(`shops/${LINK_SHOP.id}`, { clear });
    assert.match(words(await show(await link())), /Payment page/);
  });

  it("has a strict policy, and nothing about another invoice", async () => {
    const [id, other] = [await link({ order_id: "mine-1" }), await link({ order_id: "theirs-1" })];
    await choose(other);
    const page = await show(id);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.doesNotMatch(page.text, /theirs-1|<script>|onclick|style="/);
  });

  describe("404, as a page", () => {
    it("for wrong ids and for invoices that have no page", async () => {
      const direct = (await createInvoice(gateway, {}, SHOP)).body.data.id;
      const unknown = "019a3f00-0000-7000-8000-000000000009";
      for (const id of [direct, unknown, "nonsense", "%00", "..%2f..%2fetc", "x".repeat(500)]) {
        const page = await show(id);
        assert.equal(page.status, 404, id);
        assert.match(words(page), /There is no such payment/);
      }
    });
  });
});
