// Texts whose balance did not follow when they came, through /intake/:source_id: what others have told of meanwhile,
// or tell of later, is the same money.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, type Order } from "../../../test/orders.ts";
import { openCard, openPhone } from "../../../test/phone.ts";
import { statement1c } from "../../../test/statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));

const numbers = ["4111111111111111", "5555555555554444", "4012888888881881"];
const OPENING = 51_000.37;

/** On a Sunday at noon: the one card that is in use, and a phone that has heard of it. */
async function openRoom() {
  const { items } = await own.get("requisites?limit=200");
  for (const { requisite_id } of items) {
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  }
  const [wallet = ""] = numbers.splice(0, 1);
  const account = `4081781070000000${wallet.slice(-4)}`;
  const owner = { bank: "sber", receiver_name: "Олег О.", card: wallet, account };
  const { requisite_id } = await own.post("requisites", owner);
  const phone = await openPhone(gateway, { requisite_ids: [requisite_id] });
  const card = openCard(gateway, wallet, OPENING);
  await phone.hears(card.income(1.01));
  const begin = gateway.app.clock.now().getTime();
  return {
    wallet,
    account,
    card,
    phone,
    /** What became of the money of an order, and by whom it was told of first. */
    async fates({ amount }: Order) {
      const filter = `requisite_id=${requisite_id}&amount=${amount}`;
      const { items: told } = await own.get(`transfers?${filter}`);
      type Told = Record<"channel" | "state" | "suspense_reason", string>;
      return told.map(({ channel, state, suspense_reason: why }: Told) =>
        [channel, state === "suspense" ? why : state].join(" "),
      );
    },
    untilNextSunday: () => trade.pass(7 * DAY - (gateway.app.clock.now().getTime() - begin) / 1000),
  };
}

const stateOf = async ({ id }: Order) =>
  (await own.get(`payments?invoice_id=${id}`)).items[0].state;

it("a program that tells the second joins a notification of seconds later that waits for its balance", async () => {
  const room = await openRoom();
  const [order, other] = [await trade.order({ amount: 310 }), await trade.order({ amount: 320 })];
  const late = room.card.income(other.amount);
  const made_at = gateway.app.clock.now().toISOString();
  room.card.income(order.amount);
  await room.phone.hears(room.card.push(order.amount), { channel: "push" });
  assert.deepEqual(await room.fates(order), ["push balance_break"]);
  const told = { wallet: room.wallet, amount: order.amount, reference: "bank-310", made_at };
  const { joined, state } = await own.post("transfers", told);
  assert.deepEqual([joined, state], [true, "matched"]);
  await room.phone.hears(late);
  assert.deepEqual(await room.fates(order), ["push matched"]);
  assert.deepEqual(await room.fates(other), ["sms matched"]);
  await room.untilNextSunday();
});

it("a line of Monday joins a text of Sunday whose balance the same statement puts right", async () => {
  const room = await openRoom();
  const order = await trade.order({ amount: 330 });
  room.card.outflow(50, 0);
  await room.phone.hears(room.card.income(order.amount));
  assert.deepEqual(await room.fates(order), ["sms balance_break"]);
  await trade.pass(30 * HOUR);
  const stranger = await trade.order({ amount: 330 });
  assert.equal(stranger.amount, order.amount, "its slot is somebody else's by now");
  const monday = gateway.app.clock.now().toISOString().slice(0, 10);
  await trade.pass(DAY);
  const moved = [{ sum: 1.01 }, { sum: -50 }, { sum: order.amount }];
  const { account } = room;
  const file = statement1c([{ account, opening: OPENING, days: { [monday]: moved } }]);
  const content = Buffer.from(file).toString("base64");
  await own.post("imports", { filename: "monday.txt", content });
  await applyImports(gateway);
  assert.deepEqual(await room.fates(order), ["sms matched"]);
  assert.deepEqual([await stateOf(order), await stateOf(stranger)], ["paid", "lapsed"]);
  await room.untilNextSunday();
});

it("what a person has told of meanwhile without a moment waits, once the text's balance follows", async () => {
  const room = await openRoom();
  const [order, other] = [await trade.order({ amount: 340 }), await trade.order({ amount: 350 })];
  const late = room.card.income(other.amount);
  await room.phone.hears(room.card.income(order.amount));
  await trade.pass(HOUR);
  const told = { wallet: room.wallet, amount: order.amount, reference: "bank-340" };
  assert.equal((await own.post("transfers", told)).state, "matched");
  await room.phone.hears(late);
  assert.deepEqual(await room.fates(order), ["hand matched", "sms maybe_known"]);
  assert.deepEqual(await room.fates(other), ["sms matched"]);
});
