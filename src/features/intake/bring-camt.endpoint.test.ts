// Statements whose moments say how far their clock is from Greenwich, through /manage/imports: what a program and
// a file tell of one instant is money once, wherever the bank's clock stands.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();
beforeEach(() => trade.pass(5 * DAY));
afterEach(() => assertBooksAreRight(gateway));

const REQUISITE = "00000000-0000-4000-8000-000000000101";

/** As a clock so many hours ahead of Greenwich shows it, with what it says of itself. */
const written = (at: Date, hours: number): string => {
  const there = new Date(at.getTime() + hours * HOUR * 1000).toISOString().slice(0, 19);
  return hours === 0 ? `${there}Z` : `${there}+0${hours}:00`;
};

/** One line, told as of this moment. */
const bring = async (amount: number, booked: string, account = "40817810000000000101") => {
  const text = `<Document><BkToCstmrStmt><Stmt><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>
    <Ntry><Amt Ccy="RUB">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
    <BookgDt><DtTm>${booked}</DtTm></BookgDt><AcctSvcrRef>R-${amount}</AcctSvcrRef></Ntry>
    <FrToDt><FrDt>${booked.slice(0, 10)}</FrDt><ToDt>${booked.slice(0, 10)}</ToDt></FrToDt>
    </Stmt></BkToCstmrStmt></Document>`;
  const content = Buffer.from(text).toString("base64");
  const { import_id } = await own.post("imports", { filename: "camt.xml", content });
  await applyImports(gateway);
  return own.get(`imports/${import_id}`);
};

/** Half past one at night in Moscow, the day before. */
const night = (): Date => {
  const today = Math.floor((gateway.app.clock.now().getTime() + 3 * HOUR * 1000) / (DAY * 1000));
  return new Date((today - 1) * DAY * 1000 - 1.5 * HOUR * 1000);
};

const transferOf = async (amount: number) => {
  const { items } = await own.get(`transfers?amount=${amount}`);
  assert.equal(items.length, 1);
  return items[0];
};

it("one instant that a program and a file tell of by different clocks is money once", async () => {
  for (const [amount, hours] of [
    [334.44, 5],
    [334.45, 0],
    [334.46, 3],
  ] as const) {
    const made_at = written(night(), 3);
    const reference = `told ${amount}`;
    await own.post("transfers", { requisite_id: REQUISITE, amount, reference, made_at });
    trade.tick();
    const { new: fresh, duplicate } = await bring(amount, written(night(), hours));
    assert.deepEqual([fresh, duplicate], [0, 1], `${hours} hours ahead`);
    await transferOf(amount);
    await trade.pass(5 * DAY);
  }
});

it("a line's moment is the instant that it says, and its day the one that the bank wrote", async () => {
  const { import_id } = await bring(334.47, written(night(), 5));
  assert.equal((await transferOf(334.47)).made_at, written(night(), 0));
  const [line] = (await own.get(`lines?import_id=${import_id}`)).items;
  assert.equal(line.day, written(night(), 5).slice(0, 10));
});

it("an invoice that was paid just now is paid by a line of a clock that is ahead, also at night", async () => {
  for (const [amount, hours] of [
    [3351, 5],
    [3352, 0],
  ] as const) {
    const untilNight = (45 * HOUR - ((gateway.app.clock.now().getTime() / 1000) % DAY)) % DAY;
    await trade.pass(untilNight + 1.5 * HOUR);
    const order = await trade.order({ amount });
    const { items } = await own.get(`requisites?wallet=${order.wallet.slice(-4)}`);
    const { account } = await own.post(`requisites/${items[0].requisite_id}/reveal`);
    trade.tick();
    const { waiting } = await bring(order.amount, written(gateway.app.clock.now(), hours), account);
    assert.equal(waiting, 0, `${hours} hours ahead`);
    assert.equal((await transferOf(order.amount)).invoice_id, order.id, `${hours} hours ahead`);
  }
});
