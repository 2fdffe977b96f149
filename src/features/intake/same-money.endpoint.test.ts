// Money that perhaps was known, through /manage/transfers/:transfer_id/return: where a person says that it is the same,
// the books have it once, and what it proves is proven.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";
import { openCard, openPhone } from "../../../test/phone.ts";
import { statement1c } from "../../../test/statement-file.ts";

const one = await openOneGateway();
const { gateway, own, trade } = one;
const careful = await openOneGateway({ fourEyesFrom: 500 });
afterEach(() => assertBooksAreRight(gateway));
afterEach(() => assertBooksAreRight(careful.gateway));

const numbers = ["4111111111111111", "5555555555554444", "4012888888881881"];

/** The one card that is in use, and a phone that hears of it. */
async function openRoom({ gateway, own }: Pick<typeof one, "gateway" | "own"> = one) {
  const { items } = await own.get("requisites?limit=200");
  for (const { requisite_id } of items) {
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  }
  const [wallet = ""] = numbers.splice(0, 1);
  const account = `4081781070000000${wallet.slice(-4)}`;
  const owner = { bank: "sber", receiver_name: "Олег О.", card: wallet, account };
  const { requisite_id } = await own.post("requisites", owner);
  const phone = await openPhone(gateway, { requisite_ids: [requisite_id] });
  /** One that nothing was booked on is not there. */
  const balanceOf = async (id: string) => (await own.ask(`accounts/${id}`)).body.data?.balance ?? 0;
  return {
    phone,
    card: openCard(gateway, wallet),
    async bring(filename: string, text: string, more: object = {}) {
      const content = Buffer.from(text).toString("base64");
      await own.post("imports", { filename, content, ...more });
      await applyImports(gateway);
    },
    statement: (day: string, sum: number) => statement1c([{ account, days: { [day]: [{ sum }] } }]),
    requisite_id,
    told: async (state: string) =>
      (await own.get(`transfers?requisite_id=${requisite_id}&state=${state}`)).items,
    /** What the books have on the card, and on its way out. */
    balances: async () => [
      await balanceOf(`bank.RUB.${requisite_id}`),
      await balanceOf("bank_out.RUB"),
    ],
  };
}

const today = (): string =>
  new Date(gateway.app.clock.now().getTime() + 3 * HOUR * 1000).toISOString().slice(0, 10);
const reason = "it is the same";

it("a line of after the holidays that is the text's money proves it, and is in the books once", async () => {
  const room = await openRoom();
  const { id, amount } = await trade.order({ amount: 700 });
  await room.phone.hears(room.card.income(amount));
  await trade.pass(5 * DAY);
  await room.bring("after.txt", room.statement(today(), amount));
  const [line] = await room.told("suspense");
  assert.equal(line.suspense_reason, "maybe_known");
  const refund = { invoice_id: id, amount: 10, reason: "a cup broke", reference: "cup" };
  const [status, words] = await own.refused("refunds", refund);
  assert.deepEqual([status, words], [422, ["No statement shows this money yet."]]);
  await own.post(`transfers/${line.transfer_id}/return`, { reason });
  const [paid] = await room.told("matched");
  assert.deepEqual([paid.needs_proof, paid.channel], [false, "sms"]);
  assert.deepEqual(await room.balances(), [amount, 0]);
  await trade.pass(2 * DAY);
  await own.post("refunds", refund);
});

it("what was given back, and what another format says of it, left once", async () => {
  const room = await openRoom();
  const day = today();
  const [, before] = await room.balances();
  await room.bring("given-back.txt", room.statement(day, 41));
  const [first] = await room.told("suspense");
  await own.post(`transfers/${first.transfer_id}/return`, { reason: "nobody's" });
  assert.deepEqual(await room.balances(), [41, before + 41]);
  const profile = { delimiter: ";", date_form: "yyyy-mm-dd", date: "day", amount: "sum" };
  const more = { profile, requisite_id: room.requisite_id };
  await room.bring("own.csv", `day;sum\n${day};41\n`, more);
  const [again] = await room.told("suspense");
  assert.equal(again.suspense_reason, "maybe_known");
  await own.post(`transfers/${again.transfer_id}/return`, { reason });
  assert.deepEqual(await room.balances(), [41, before + 41]);
});

it("of so much that a match by hand takes two, one person's word proves nothing that a text has told of", async () => {
  const room = await openRoom(careful);
  const { amount } = await careful.trade.order({ amount: 700 });
  await room.phone.hears(room.card.income(amount));
  await careful.trade.pass(5 * DAY);
  const day = careful.gateway.app.clock.now().toISOString().slice(0, 10);
  await room.bring("after.txt", room.statement(day, amount));
  const [line] = await room.told("suspense");
  await careful.own.post(`transfers/${line.transfer_id}/return`, { reason });
  const [paid] = await room.told("matched");
  assert.equal(paid.needs_proof, true);
  assert.deepEqual(await room.balances(), [amount, 0]);
});
