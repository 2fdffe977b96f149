// Messages through /manage, and what a text would be read as.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { printOf } from "../../../test/orders.ts";
import { openCard, openPhone } from "../../../test/phone.ts";

const CARD = "00000000-0000-4000-8000-000000000101";
const { gateway, own, trade } = await openOneGateway();
const phone = await openPhone(gateway);

it("200: messages are found by source, requisite, fate and period, the newest first", async () => {
  const from = trade.now();
  await phone.hears("VISA0007 12:00 Перевод 500р от Иван П. Баланс: 1500р «спасибо»");
  const heard = trade.now();
  trade.tick();
  await phone.hears("VISA9999 12:00 Перевод 500р от Иван П. Баланс: 1500р");
  trade.tick();
  await phone.hears("VISA0007 12:00 перевод 5р Баланс: 1495р");
  const other = await openPhone(gateway);
  trade.tick();
  await other.hears("VISA0007 12:00 Перевод 700р от Иван П. Баланс: 99р");
  const found = async (query: string) =>
    (await own.get(`messages?${query}`)).items.map((one: { fate: string }) => one.fate);
  assert.deepEqual(await found(""), ["broken", "noted", "unclear", "accepted"]);
  assert.deepEqual(await found(`source_id=${phone.id}`), ["noted", "unclear", "accepted"]);
  assert.deepEqual(await found(`requisite_id=${CARD}`), ["broken", "noted", "accepted"]);
  assert.deepEqual(await found(`requisite_id=${CARD}&fate=noted`), ["noted"]);
  assert.deepEqual(await found(`to=${from}`), []);
  const [message] = (await own.get("messages?fate=accepted")).items;
  const [transfer] = (await own.get("transfers?state=suspense")).items.slice(-1);
  assert.deepEqual(message, {
    message_id: message.message_id,
    source_id: phone.id,
    sender: "900",
    channel: "sms",
    text: "VISA0007 12:00 Перевод 500р от Иван П. Баланс: 1500р",
    kind: "income",
    fate: "accepted",
    requisite_id: CARD,
    amount: 500,
    balance: 1500,
    made_at: "2026-03-01T09:00Z",
    transfer_id: transfer.transfer_id,
    received_at: heard,
  });
  const rows = await gateway.app.db.query<{ line: string }>(
    "select messages::text as line from messages",
  );
  assert.doesNotMatch(JSON.stringify(rows), /Иван|Перевод/);
  assert.equal((await own.refused("messages?fate=lost"))[0], 422);
});

it("200: a text is read, and nothing is kept of it", async () => {
  const before = await printOf(gateway);
  const text = "СЧЁТ4006 09:00 Перевод 7000р от Сардорбек Ж. Баланс: 51 110.2р";
  const none = { role: null, amount: null, fee: null, balance: null, last4: null, payer: null };
  assert.deepEqual(await own.post("templates/try", { text }), {
    kind: "income",
    role: "primary",
    amount: 7000,
    fee: null,
    balance: 51110.2,
    last4: "4006",
    payer: "Сардорбек Ж.",
    made_at: "2026-03-01T06:00:00.000Z",
  });
  const nothing = { kind: "nothing", ...none, made_at: null };
  assert.deepEqual(await own.post("templates/try", { text, banks: ["tinkoff"] }), nothing);
  assert.equal((await own.post("templates/try", { text: "Код 1234" })).kind, "code");
  const left = await own.post("templates/try", {
    text: "MIR-9550 13:35 перевод 400р Комиссия 2р TINKOFF Баланс: 18 062.43р",
  });
  assert.deepEqual([left.kind, left.fee, left.role], ["outflow", 2, null]);
  assert.equal((await own.post("templates/try", { text: "x".repeat(200_000) })).kind, "nothing");
  assert.equal((await own.refused("templates/try", { banks: ["sber"] }))[0], 422);
  assert.deepEqual(await printOf(gateway), before);
});

it("the same amount that comes, leaves and comes again is money twice", async () => {
  const phone = await openPhone(gateway);
  const card = openCard(gateway, "2202200000000015");
  const outcomes: string[] = [];
  for (const told of [card.income, () => card.outflow(50.05, 0), card.income]) {
    gateway.clock.advance(60);
    outcomes.push(...(await phone.hears(told(50.05))));
  }
  assert.deepEqual(outcomes, ["accepted", "accepted", "accepted"]);
  assert.equal((await own.get("transfers?amount=50.05")).items.length, 2);
});
