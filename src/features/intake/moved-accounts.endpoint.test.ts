// The account of a requisite through /manage/requisites, once statements have named it: it stays, because another
// requisite that got it would be told the same lines again, and have their money.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import pg from "pg";
import { assertBooksAreRight } from "../../../test/books.ts";
import { onPostgres } from "../../../test/gateway.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { eventually } from "../../../torture/eventually.ts";

const { gateway, own, trade } = await openOneGateway();
beforeEach(() => trade.pass(DAY));
afterEach(() => assertBooksAreRight(gateway));

const [SLIP, RIGHT, FREE] = ["2701", "2702", "2703"].map((end) => `4081781070000000${end}`);

const today = (): string =>
  new Date(gateway.app.clock.now().getTime() + 3 * HOUR * 1000).toISOString().slice(0, 10);

const bring = async (filename: string, text: string, more: object = {}) => {
  const content = Buffer.from(text).toString("base64");
  const { import_id } = await own.post("imports", { filename, content, ...more });
  await applyImports(gateway);
  return own.get(`imports/${import_id}`);
};

const statement = (account: string | undefined, sum: number) =>
  statement1c([{ account: account ?? "", days: { [today()]: [{ sum }] } }]);

it("an account that statements have named stays; a slip of the pen before them can be corrected", async () => {
  const added = await own.post("requisites", {
    bank: "sber",
    receiver_name: "Вера С.",
    card: "2200000000000053",
    account: SLIP,
  });
  const path = `requisites/${added.requisite_id}`;
  // A file that names no account says nothing of it.
  const profile = { delimiter: ";", date_form: "yyyy-mm-dd", date: "day", amount: "sum" };
  const more = { profile, requisite_id: added.requisite_id };
  assert.equal((await bring("own.csv", `day;sum\n${today()};727.11\n`, more)).new, 1);
  await own.post(path, { account: RIGHT });
  const text = statement(RIGHT, 727.12);
  assert.equal((await bring("1c.txt", text)).new, 1);
  const words = /statements that were imported are of this account/;
  const [status, [said = ""]] = await own.refused(path, { account: FREE });
  assert.equal(status, 422);
  assert.match(said, words);
  await trade.refusedWithoutTrace(422, [[path, { account: FREE }]]);
  await own.post(path, { account: RIGHT, receiver_name: "Вера Сергеевна С." });
  const other = {
    bank: "sber",
    receiver_name: "Пётр К.",
    card: "2200000000000061",
    account: RIGHT,
  };
  assert.equal((await own.refused("requisites", other))[0], 422);
  await trade.pass(DAY);
  const again = await bring("1c.txt", text.replace("1.03", "1.02"));
  assert.deepEqual([again.new, again.known_lines], [0, 1]);
});

it("while a file that names it waits to be applied, an account stays as well", async () => {
  const added = await own.post("requisites", {
    bank: "sber",
    receiver_name: "Вера С.",
    card: "2200000000000079",
    account: FREE,
  });
  const content = Buffer.from(statement(FREE, 727.13)).toString("base64");
  await own.post("imports", { filename: "1c.txt", content });
  const [status] = await own.refused(`requisites/${added.requisite_id}`, { account: SLIP });
  assert.equal(status, 422);
  await applyImports(gateway);
});

it("an account that a CSV of one's own has named stays, though its requisite was said beside it", async () => {
  const account = "40817810700000002704";
  const { requisite_id } = await own.post("requisites", {
    bank: "sber",
    receiver_name: "Вера С.",
    card: "2200000000000087",
    account,
  });
  const columns = { date: "day", amount: "sum", account: "account" };
  const profile = { delimiter: ";", date_form: "yyyy-mm-dd", ...columns };
  const text = `day;sum;account\n${today()};727.14;${account}\n`;
  assert.equal((await bring("own.csv", text, { profile, requisite_id })).new, 1);
  const change: [string, unknown] = [`requisites/${requisite_id}`, { account: SLIP }];
  await trade.refusedWithoutTrace(422, [change]);
});

it("a CSV of one's own that names an account in some of its lines is refused: of the others nobody could tell that it stays", async () => {
  const account = "40817810700000002705";
  const { requisite_id } = await own.post("requisites", {
    bank: "sber",
    receiver_name: "Вера С.",
    card: "2200000000000103",
    account,
  });
  const columns = { date: "day", amount: "sum", account: "account" };
  const profile = { delimiter: ";", date_form: "yyyy-mm-dd", ...columns };
  const text = `day;sum;account\n${today()};727.15;${account}\n${today()};727.16;\n`;
  const content = Buffer.from(text).toString("base64");
  const file = { filename: "own.csv", content, profile, requisite_id };
  await trade.refusedWithoutTrace(422, [["imports", file]]);
  const [, [said = ""]] = await own.refused("imports", file);
  assert.match(said, /^Row 3 names no account/);
});

onPostgres("an account that is corrected while a file that names it is read", () => {
  it("is looked at once more: the file is refused, and taken for the requisite that has the account since", async () => {
    const [account, right] = ["40817810700000002706", "40817810700000002707"];
    const added = await own.post("requisites", {
      bank: "sber",
      receiver_name: "Вера С.",
      card: "2200000000000111",
      account,
    });
    const content = Buffer.from(statement(account, 727.17)).toString("base64");
    const file = { filename: "1c.txt", content };
    // It has been read, and is not stored yet.
    const holder = new pg.Client({ connectionString: gateway.app.config.databaseUrl });
    await holder.connect();
    await holder.query("begin; set local idle_in_transaction_session_timeout = 0");
    await holder.query("lock table imports in share row exclusive mode");
    const bringing = own.refused("imports", file);
    await eventually("the file waits", async () => {
      const text = `select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%into imports%'`;
      return (await gateway.app.db.query(text)).length > 0;
    });
    await own.post(`requisites/${added.requisite_id}`, { account: right });
    await holder.end();
    const [status, [said = ""]] = await bringing;
    assert.equal(status, 422);
    assert.match(said, /is no requisite's/);
    const other = await own.post("requisites", {
      bank: "sber",
      receiver_name: "Пётр К.",
      card: "2200000000000129",
      account,
    });
    await own.post("imports", file);
    await applyImports(gateway);
    const { items } = await own.get(`transfers?requisite_id=${other.requisite_id}`);
    assert.deepEqual([items.length, items[0].amount], [1, 727.17]);
  });
});
