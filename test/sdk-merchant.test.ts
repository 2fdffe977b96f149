// Every call of the SDK's merchant client on a real gateway, and what a refusal looks like to it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { KopeckError, type MerchantOptions, merchantClient } from "../sdk/src/index.ts";
import { EMPTY_SHOP, LINK_SHOP, SHOP, USER } from "./cast.ts";
import { openTestGateway, type TestGateway } from "./gateway.ts";

describe("the SDK's merchant client", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway("embedded");
  });
  after(() => gateway.stop());

  const shop = (changes: Partial<MerchantOptions> = {}) =>
    merchantClient({
      baseUrl: gateway.url,
      shopId: SHOP.id,
      shopKey: SHOP.key,
      userId: USER.id,
      userSecret: USER.secret,
      ...changes,
    });
  const order = () => ({
    amount: 1000,
    order_id: `order ${randomUUID()}`,
    include_service: ["p2p_card"],
    type: "direct" as const,
    success_url: "https://shop.example/ok",
  });

  it("createInvoice: the same order again gives the first answer again", async () => {
    const wish = order();
    const invoice = await shop().createInvoice(wish);
    assert.deepEqual([invoice.amount, invoice.currency, invoice.url], ["1000.00", "RUB", null]);
    assert.deepEqual(await shop().createInvoice(wish), invoice);
  });

  it("createInvoice: for the payment page", async () => {
    const link = shop({ shopId: LINK_SHOP.id, shopKey: LINK_SHOP.key });
    const { id, url } = await link.createInvoice({ ...order(), type: "link" });
    assert.equal(url, `http://kopeck.test/pay/${id}`);
  });

  it("createH2hPayment: the same details again", async () => {
    const { id } = await shop().createInvoice(order());
    const wish = { invoice_id: id, payment_data: { bank: "sber" as const }, ip: "203.0.113.7" };
    const details = await shop().createH2hPayment(wish);
    assert.match(details.wallet, /^\d{16}$/);
    assert.match(details.amount, /^10\d\d\.\d\d$/);
    assert.deepEqual(await shop().createH2hPayment(wish), details);
  });

  it("invoiceInfo: by the invoice and by the order", async () => {
    const wish = { ...order(), custom_fields: { ключ: [1] } };
    const { id } = await shop().createInvoice(wish);
    const info = await shop().invoiceInfo({ invoice_id: id });
    assert.equal(info.status, "created");
    assert.deepEqual(info.custom_field, { ключ: [1] });
    assert.deepEqual(await shop().invoiceInfo({ order_id: wish.order_id }), info);
  });

  it("paymentTariffs", async () => {
    const { tariffs } = await shop().paymentTariffs();
    const found = tariffs.map(({ service, status }) => [service, status]);
    assert.deepEqual(found, [
      ["card", "disabled"],
      ["p2p_card", "enabled"],
      ["p2p_sbp", "enabled"],
    ]);
  });

  it("balance: in the usual currency, or in another one", async () => {
    const nothing = { balance: 0, active_balance: 0, freeze_balance: 0 };
    assert.deepEqual(await shop().balance(), nothing);
    assert.deepEqual(await shop().balance({ currency: "RUB" }), nothing);
    await assert.rejects(shop().balance({ currency: "USD" }), { kind: "refusal", status: 404 });
  });

  it("sbpBanks", async () => {
    const { banks } = await shop().sbpBanks();
    assert.equal(banks.length, 192);
    assert.ok(banks.every(({ id, name }) => id !== "" && name !== ""));
  });

  describe("a refusal", () => {
    it("has a status and its messages, in the language that was asked for", async () => {
      const wish = { ...order(), amount: 1 };
      const english = await shop()
        .createInvoice(wish)
        .catch((error: unknown) => error);
      const russian = await shop({ language: "ru" })
        .createInvoice(wish)
        .catch((one: unknown) => one);
      assert.ok(english instanceof KopeckError && russian instanceof KopeckError);
      assert.deepEqual([english.kind, english.status], ["refusal", 422]);
      assert.match(english.messages.join(), /^[\w .,]*amount[\w .,]*$/);
      assert.match(russian.messages.join(), /[а-я]{4}/);
      assert.equal(english.message, english.messages[0]);
    });

    it("has all messages where the gateway gives all", async () => {
      const wish = {
        invoice_id: "no id",
        payment_data: { bank: "sber" as const },
        ip: "no address",
      };
      const failure = await shop()
        .createH2hPayment(wish)
        .catch((error: unknown) => error);
      assert.ok(failure instanceof KopeckError);
      assert.equal(failure.messages.length, 2);
    });

    it("of a secret, or of what is not there", async () => {
      await assert.rejects(shop({ shopKey: "wrong" }).paymentTariffs(), { status: 401 });
      await assert.rejects(shop({ userSecret: USER.id }).balance(), { status: 401 });
      const empty = shop({ shopId: EMPTY_SHOP.id, shopKey: EMPTY_SHOP.key });
      await assert.rejects(empty.paymentTariffs(), { status: 404 });
      await assert.rejects(shop().invoiceInfo({ invoice_id: randomUUID() }), { status: 404 });
    });
  });

  it("says that nobody answers where nobody is", async () => {
    const nobody = shop({ baseUrl: "http://127.0.0.1:9", wait: async () => {} });
    await assert.rejects(nobody.paymentTariffs(), { kind: "network", status: undefined });
  });
});
