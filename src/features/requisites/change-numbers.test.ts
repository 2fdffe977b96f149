// Another card or phone of a requisite, through /manage/requisites: payers see the new one, and what is told by the
// former one is the requisite's still.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import pg from "pg";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { type Answer, onPostgres } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";
import { cardEndingIn } from "../../../test/payouts.ts";
import { openCard, openPhone } from "../../../test/phone.ts";
import { eventually } from "../../../torture/eventually.ts";

const { gateway, own, trade } = await openOneGateway({
  shares: { shop: 100, user: 100, payer: 100 },
});
const db = gateway.app.db;
afterEach(async () => {
  await assertBooksAreRight(gateway);
  const { items } = await own.get("requisites?bank=sber&enabled=true");
  for (const { requisite_id } of items) await own.post(`requisites/${requisite_id}`, OFF);
});

const OFF = { enabled: false };
const TAKEN = [422, ["The card, the phone or the account belongs to a requisite already."]];
let cards = 0;

const newCard = (): string => {
  cards += 1;
  return cardEndingIn(String(7000 + cards));
};

const masked = (card: string): string =>
  `${card.slice(0, 6)}${"*".repeat(card.length - 10)}${card.slice(-4)}`;

/** The only one of its bank that is given out. */
const only = async (card: string, changes: object = {}): Promise<string> => {
  const { items } = await own.get("requisites?bank=sber&enabled=true");
  for (const { requisite_id } of items) await own.post(`requisites/${requisite_id}`, OFF);
  const wish = { bank: "sber", receiver_name: "Олег О.", card, ...changes };
  return (await own.post("requisites", wish)).requisite_id;
};

it("a card that was issued anew: payers see the new number, also in details that are open; money told by either is found", async () => {
  const [former, present] = [newCard(), newCard()];
  const id = await only(former);
  const open = await trade.order();
  assert.equal(open.wallet, former);
  const { answer, logged } = await trade.audited(() =>
    own.post(`requisites/${id}`, { card: present }),
  );
  assert.equal(answer.card, masked(present));
  assert.deepEqual(
    [logged[0], logged[2].card, logged[3].card, logged[3].card_changed],
    ["requisite.update", masked(former), answer.card, true],
  );
  const again = await createH2h(gateway, open.id);
  assert.deepEqual([again.status, again.body.data.wallet], [200, present]);
  assert.equal((await trade.order()).wallet, present);
  // The program that reads the bank's words may know the former one alone.
  const byFormer = await trade.pay(open, { reference: "told once" });
  assert.deepEqual([byFormer.state, byFormer.invoice_id], ["matched", open.id]);
  const { amount } = open;
  const byPresent = { wallet: present, amount, reference: "told once" };
  assert.equal((await own.post("transfers", byPresent)).transfer_id, byFormer.transfer_id);
  const fresh = await trade.order();
  assert.equal((await trade.pay(fresh)).state, "matched");
  for (const digits of [former.slice(-4), present.slice(-4)]) {
    const { items } = await own.get(`requisites?wallet=${digits}`);
    assert.ok(
      items.some((one: { requisite_id: string }) => one.requisite_id === id),
      digits,
    );
  }
});

it("a bank's text that prints the former digits is the requisite's", async () => {
  const former = newCard();
  const id = await only(former);
  const phone = await openPhone(gateway, { requisite_ids: [id] });
  const order = await trade.order();
  await own.post(`requisites/${id}`, { card: newCard() });
  const card = openCard(gateway, former);
  assert.deepEqual(await phone.hears(card.income(order.amount)), ["accepted"]);
  const { items } = await own.get(`transfers?requisite_id=${id}`);
  assert.deepEqual([items.length, items[0].state], [1, "matched"]);
});

it("a former card that its bank has blocked stops nothing, unless the account is meant; the present one does", async () => {
  const [former, present] = [newCard(), newCard()];
  const id = await only(former);
  const phone = await openPhone(gateway, { requisite_ids: [id] });
  await trade.order();
  await own.post(`requisites/${id}`, { card: present });
  const isGivenOutAfter = async (text: string): Promise<boolean> => {
    await phone.hears(text);
    const { enabled } = await own.get(`requisites/${id}`);
    await own.post(`requisites/${id}`, { enabled: true });
    return enabled;
  };
  const blocked = (card: string) => `Ваша карта VISA${card.slice(-4)} заблокирована. Звоните 900`;
  const [four, law] = [former.slice(-4), "приостановлены по 115-ФЗ"];
  assert.equal(await isGivenOutAfter(blocked(former)), true);
  assert.equal(await isGivenOutAfter(blocked(present)), false);
  assert.equal(await isGivenOutAfter(`Карта ${four}: операции ${law}`), false);
  assert.equal(await isGivenOutAfter(`Карта ${four} арестована`), false);
  assert.equal(await isGivenOutAfter(`Карта ${four} заблокирована по 161-ФЗ`), false);
  assert.equal(await isGivenOutAfter("Ваша карта заблокирована"), false);
});

it("a former number becomes no other requisite's, by no door and not in the database; its own may have it back", async () => {
  const [former, present] = [newCard(), newCard()];
  const id = await only(former);
  await trade.order();
  await own.post(`requisites/${id}`, { card: present, phone: "+79161112233" });
  const another = { bank: "sber", receiver_name: "Пётр К." };
  const other = (await own.post("requisites", { ...another, card: newCard() })).requisite_id;
  for (const card of [former, present]) {
    assert.deepEqual(await own.refused("requisites", { ...another, card }), TAKEN);
    assert.deepEqual(await own.refused(`requisites/${other}`, { card }), TAKEN);
  }
  const copy = `insert into requisite_numbers (requisite_id, kind, digest, sealed)
    select $1, kind, digest, sealed from requisite_numbers where requisite_id = $2 and until is not null`;
  await assert.rejects(db.query(copy, [other, id]), /requisite_numbers_pkey/);
  const back = await own.post(`requisites/${id}`, { card: former });
  assert.equal(back.card, masked(former));
  assert.equal(back.phone, "79*****2233");
  assert.deepEqual(await own.refused("requisites", { ...another, card: present }), TAKEN);
});

it("a slip of the pen that no payer has seen is free again; the same number changes nothing", async () => {
  const [slip, right] = [newCard(), newCard()];
  const id = await only(slip);
  await own.post(`requisites/${id}`, { card: right });
  assert.equal((await trade.order()).wallet, right);
  const last = await own.lastAudit();
  trade.tick();
  await own.post(`requisites/${id}`, { card: right });
  assert.deepEqual(await own.lastAudit(), last);
  const added = await own.post("requisites", {
    bank: "sber",
    receiver_name: "Пётр К.",
    card: slip,
  });
  assert.equal(added.card, masked(slip));
});

it("a number that somebody has told of money by is no slip, though no payer has seen it: told again it is no money of another requisite", async () => {
  const number = newCard();
  const id = await only(number);
  const telling = { wallet: number, amount: 321.5, reference: "before anybody paid" };
  const { transfer_id } = await own.post("transfers", telling);
  await own.post(`requisites/${id}`, { card: newCard() });
  const another = { bank: "sber", receiver_name: "Пётр К.", card: number };
  assert.deepEqual(await own.refused("requisites", another), TAKEN);
  assert.equal((await own.post("transfers", telling)).transfer_id, transfer_id);
});

it("a slip of the pen is free again on a card that was used before, unless somebody's details were open", async () => {
  const [former, slip, seen, right] = [newCard(), newCard(), newCard(), newCard()];
  const id = await only(former);
  await trade.pay(await trade.order());
  await trade.pass(DAY);
  await own.post(`requisites/${id}`, { card: slip });
  trade.tick();
  await own.post(`requisites/${id}`, { card: right });
  const another = { bank: "sber", receiver_name: "Пётр К." };
  const added = await own.post("requisites", { ...another, card: slip });
  assert.equal(added.card, masked(slip));
  await own.post(`requisites/${added.requisite_id}`, OFF);
  await trade.order();
  trade.tick();
  await own.post(`requisites/${id}`, { card: seen });
  await trade.pass(HOUR);
  await own.post(`requisites/${id}`, { card: former });
  for (const card of [seen, right]) {
    assert.deepEqual(await own.refused("requisites", { ...another, card }), TAKEN);
  }
});

it("a slip of the pen is free again beside a phone that was used before", async () => {
  const [slip, right] = [newCard(), newCard()];
  const phone = "+79161112244";
  const id = await only(newCard());
  await own.post(`requisites/${id}`, OFF);
  const wish = { bank: "sber", receiver_name: "Олег О.", phone };
  const { requisite_id } = await own.post("requisites", wish);
  await trade.pay(await trade.order({ include_service: ["p2p_sbp"] }));
  await trade.pass(DAY);
  await own.post(`requisites/${requisite_id}`, { card: slip });
  trade.tick();
  await own.post(`requisites/${requisite_id}`, { card: right });
  const other = { bank: "sber", receiver_name: "Пётр К.", card: slip };
  assert.equal((await own.post("requisites", other)).card, masked(slip));
  // Whoever pays by the phone now has been given it beside the card that is there.
  await trade.pay(await trade.order({ include_service: ["p2p_sbp"] }));
  await own.post(`requisites/${requisite_id}`, { card: newCard() });
  const another = { bank: "sber", receiver_name: "Пётр К." };
  assert.deepEqual(await own.refused("requisites", { ...another, card: right }), TAKEN);
  assert.deepEqual(await own.refused("requisites", { ...another, phone }), TAKEN);
});

it("a number that somebody has told of known money by is no slip either: told again it is no money of another requisite", async () => {
  const [former, number] = [newCard(), newCard()];
  const id = await only(former);
  const phone = await openPhone(gateway, { requisite_ids: [id] });
  const { amount } = await trade.order();
  const made_at = trade.now();
  trade.tick();
  await phone.hears(openCard(gateway, former).income(amount));
  const { items } = await own.get(`transfers?requisite_id=${id}`);
  await trade.pass(HOUR);
  await own.post(`requisites/${id}`, { card: number });
  trade.tick();
  const telling = { wallet: number, amount, made_at, reference: "told by its new number" };
  assert.equal((await own.post("transfers", telling)).transfer_id, items[0].transfer_id);
  await own.post(`requisites/${id}`, { card: newCard() });
  const another = { bank: "sber", receiver_name: "Пётр К.", card: number };
  assert.deepEqual(await own.refused("requisites", another), TAKEN);
});

it("a former number that its own had back is no slip of the pen: it stays its own when it is changed again", async () => {
  const [former, between, present] = [newCard(), newCard(), newCard()];
  const id = await only(former);
  await trade.pay(await trade.order());
  await own.post(`requisites/${id}`, { card: between });
  await trade.pay(await trade.order());
  await trade.pass(DAY);
  await own.post(`requisites/${id}`, { card: former });
  trade.tick();
  await own.post(`requisites/${id}`, { card: present });
  const another = { bank: "sber", receiver_name: "Пётр К." };
  for (const card of [former, between]) {
    assert.deepEqual(await own.refused("requisites", { ...another, card }), TAKEN);
  }
});

it("a number that one requisite gives up while another asks for it stays with the first", async () => {
  const numbers = [newCard(), newCard()];
  const id = await only(numbers[0] ?? "");
  await trade.order();
  for (const [from, to] of [numbers, numbers.toReversed(), numbers]) {
    const wish = { bank: "sber", receiver_name: "Пётр К.", card: from };
    const asks = Array.from({ length: 4 }, () => own.refused("requisites", wish));
    const [, ...answers] = await Promise.all([own.post(`requisites/${id}`, { card: to }), ...asks]);
    for (const answer of answers) assert.deepEqual(answer, TAKEN);
  }
});

onPostgres("a number that is changed while its first payer asks", () => {
  for (const first of ["the payer", "the change"]) {
    it(`stays its own where the payer has seen it, and is shown to nobody after that; ${first} is first`, async () => {
      const [former, present] = [newCard(), newCard()];
      const id = await only(former);
      const { body } = await createInvoice(gateway);
      const works = [
        () => createH2h(gateway, body.data.id),
        () => own.ask(`requisites/${id}`, { card: present }),
      ];
      // Who waits for a requisite stands in line.
      const inLine = (many: number) =>
        eventually(`${many} wait`, async () => {
          const text = `select from pg_stat_activity where datname = current_database()
            and wait_event_type = 'Lock'`;
          return (await db.query(text)).length >= many;
        });
      const holder = new pg.Client({ connectionString: gateway.app.config.databaseUrl });
      await holder.connect();
      await holder.query("begin; set local idle_in_transaction_session_timeout = 0");
      await holder.query("select from requisite_usage where requisite_id = $1 for update", [id]);
      const done: Promise<Answer>[] = [];
      for (const work of first === "the payer" ? works : works.toReversed()) {
        done.push(work());
        await inLine(done.length);
      }
      await holder.end();
      const answers = await Promise.all(done);
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const shown = answers.map((one) => one.body.data.wallet).find((wallet) => wallet);
      assert.equal(shown, first === "the payer" ? former : present);
      const another = { bank: "sber", receiver_name: "Пётр К.", card: former };
      const { status } = await own.ask("requisites", another);
      assert.equal(status, first === "the payer" ? 422 : 200);
    });
  }
});
