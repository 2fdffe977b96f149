// Statements through /manage/imports: a line is money once, whatever files it comes in and whoever else told of
// it; what changed or vanished moves nothing by itself. The numbers are those of the list of nasty cases.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports, failingImport } from "../../../test/imports.ts";
import { OPERATOR_TOKEN } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE, type Order } from "../../../test/orders.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { type Arrival, acceptTransfers } from "../transfers/transfers.ts";

const { gateway, own, trade } = await openOneGateway();
beforeEach(() => trade.pass(3 * DAY));
afterEach(() => assertBooksAreRight(gateway));

const ACCOUNT = "40817810000000000101";
const OTHER = "40817810000000000102";
const REQUISITE = "00000000-0000-4000-8000-000000000101";

/** The day in Moscow, so many days from now. */
const day = (from = 0): string =>
  new Date(gateway.app.clock.now().getTime() + (from * DAY + 3 * HOUR) * 1000)
    .toISOString()
    .slice(0, 10);

const asked = (text: string, more: object = {}) => ({
  filename: "kl_to_1c.txt",
  content: Buffer.from(text).toString("base64"),
  ...more,
});

const bring = async (text: string, more: object = {}) => {
  const { import_id, fresh } = await own.post("imports", asked(text, more));
  await applyImports(gateway);
  return { ...(await own.get(`imports/${import_id}`)), fresh };
};

const transfersOf = async (amount: number) =>
  (await own.get(`transfers?amount=${amount}`)).items.map(
    (one: { state: string; suspense_reason: string | null }) => one.suspense_reason ?? one.state,
  );

/** Details on the one requisite whose statements are imported. */
async function orderOn(amount: number): Promise<Order> {
  for (let times = 0; times < 12; times++) {
    const order = await trade.order({ amount });
    if (order.wallet === "2202200000000007") return order;
  }
  throw new Error("The requisite is never given out.");
}

async function counts(text: string): Promise<object> {
  const { dry_run } = await own.post("imports", asked(text, { dry_run: true }));
  const done = await bring(text);
  for (const name of ["new", "duplicate", "outflow", "charge", "internal", "waiting", "missing"]) {
    assert.equal(dry_run[name], done[name], `${name}: what a dry run says and what becomes of it`);
  }
  const { duplicate, outflow, internal, waiting, missing, known_lines: known } = done;
  return { new: done.new, duplicate, outflow, internal, waiting, missing, known };
}

const NONE = { new: 0, duplicate: 0, outflow: 0, internal: 0, waiting: 0, missing: 0, known: 0 };

it("an own CSV's rows are money by the words that its profile says, and by no others", async () => {
  const columns = { delimiter: ";", date_form: "dd.mm.yyyy", date: "Дата", amount: "Сумма" };
  const own_words = {
    status: "Статус",
    booked: ["Исполнен"],
    pending: ["Ждёт"],
    failed: ["Отказ"],
  };
  const rows = ["01.03.2026;11;Исполнен", "01.03.2026;12;Ждёт", "01.03.2026;13;отказ"];
  const tried = (given: object, ...more: string[]) => {
    const profile = { ...columns, ...given };
    const text = ["Дата;Сумма;Статус", ...rows, ...more, ""].join("\n");
    return asked(text, { filename: "own.csv", profile, requisite_id: REQUISITE, dry_run: true });
  };
  const { dry_run } = await own.post("imports", tried(own_words));
  assert.deepEqual([dry_run.lines, dry_run.new], [1, 1]);
  const { booked: _booked, ...unsaid } = own_words;
  const { status: _status, ...nowhere } = own_words;
  for (const [profile, words, ...more] of [
    [unsaid, /status together with booked/],
    [{ status: "Статус" }, /status together with booked/],
    [nowhere, /status together with booked/],
    [{ ...own_words, booked: [] }, /booked field/],
    [own_words, /^Row 5 .*На проверке/, "01.03.2026;14;На проверке"],
  ] as const) {
    const [status, [said = ""]] = await own.refused("imports", tried(profile, ...more));
    assert.equal(status, 422);
    assert.match(said, words);
  }
});

it("an own CSV's columns are those of its header, also of one with quotes; a name that stands twice is refused", async () => {
  const columns = { delimiter: ";", date_form: "yyyy-mm-dd", date: "Дата", amount: "Сумма" };
  const more = { filename: "own.csv", requisite_id: REQUISITE };
  /** Each is of a day of its own: what a file of the same day lacks is missing. */
  const read = async (header: string, from: number, profile: object) => {
    const text = `${header}\n${day(from)};что;728.01;5000.00;\n`;
    const { import_id } = await bring(text, { ...more, profile });
    const { items } = await own.get(`lines?import_id=${import_id}`);
    return items.map((one: { amount: number; purpose: string }) => [one.amount, one.purpose]);
  };
  const quoted = 'Дата;"Описание; примечание";Сумма;Остаток;';
  assert.deepEqual(await read(quoted, -2, columns), [[728.01, null]]);
  const purpose = ["Описание; примечание"];
  assert.deepEqual(await read(quoted, -1, { ...columns, purpose }), [[728.01, "что"]]);
  // What nobody reads may be called as it likes.
  assert.deepEqual(await read("Дата;Прочее;Сумма;Прочее;", 0, columns), [[728.01, null]]);
  const twice = asked(`Дата;Что;Сумма;Сумма\n${day(-1)};что;1.00;2.00\n`, {
    ...more,
    profile: columns,
  });
  assert.deepEqual(await own.refused("imports", twice), [
    422,
    ["Row 1 of the file has a column twice that is to be read: Сумма"],
  ]);
});

it("a text that is cut in the middle of an emoji is a line like any other", async () => {
  const profile = {
    delimiter: ";",
    date_form: "yyyy-mm-dd",
    date: "day",
    amount: "sum",
    party_name: "who",
    purpose: ["what"],
  };
  const long = `${"x".repeat(499)}😀!`;
  const file = `day;sum;who;what\n${day(-1)};727.01;${long};${long}\n`;
  const { import_id } = await own.post(
    "imports",
    asked(file, { filename: "own.csv", profile, requisite_id: REQUISITE }),
  );
  await trade.pass(1);
  assert.equal((await own.get(`imports/${import_id}`)).new, 1);
  const { items } = await own.get(`lines?import_id=${import_id}`);
  const cut = `${"x".repeat(499)}\ufffd`;
  assert.deepEqual([items[0].party, items[0].purpose], [cut, cut]);
});

it("a line pays the payment whose slot it is, and is its evidence", async () => {
  const order = await orderOn(1100);
  const file = statement1c([
    { account: ACCOUNT, days: { [day()]: [{ sum: order.amount }, { sum: -300, number: "9" }] } },
  ]);
  trade.tick();
  const { dry_run } = await own.post("imports", asked(file, { dry_run: true }));
  assert.deepEqual([dry_run.matched, dry_run.suspense, dry_run.outflow], [1, 0, 1]);
  assert.deepEqual(await counts(file), { ...NONE, new: 1, outflow: 1 });
  const { items } = await own.get(`transfers?amount=${order.amount}`);
  const transfer = await own.get(`transfers/${items[0].transfer_id}`);
  assert.equal(transfer.invoice_id, order.id);
  assert.equal(transfer.slot.payment_id, order.paymentId);
  assert.deepEqual(
    transfer.evidence.map((one: { channel: string; teller: string }) => [one.channel, one.teller]),
    [["line", "line:1c"]],
  );
  const [line] = (await own.get(`lines?transfer_id=${transfer.transfer_id}`)).items;
  assert.equal(line.party, "Иван П.");
});

it("39. the same file twice, and 20 at once, is applied once", async () => {
  const file = statement1c([{ account: ACCOUNT, days: { [day()]: [{ sum: 390.01 }] } }]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => own.post("imports", asked(file))),
  );
  assert.equal(new Set(answers.map(({ import_id }) => import_id)).size, 1);
  assert.equal(answers.filter(({ fresh }) => fresh).length, 1);
  await Promise.all([1, 2, 3].map(() => applyImports(gateway)));
  assert.deepEqual((await bring(file)).fresh, false);
  assert.deepEqual(await transfersOf(390.01), ["nobody_expected"]);
});

it("40. a day's file at noon and again in the evening: only the new lines are money", async () => {
  const noon = [{ sum: 400.01 }, { sum: 400.02 }];
  const evening = [...noon, { sum: 400.03 }];
  const file = (movements: { sum: number }[]) =>
    statement1c([{ account: ACCOUNT, days: { [day()]: movements } }]);
  assert.deepEqual(await counts(file(noon)), { ...NONE, new: 2 });
  assert.deepEqual(await counts(file(evening)), { ...NONE, new: 1, known: 2 });
  // The noon's file with another name of its first row is older, and takes nothing for lost.
  const again = file(noon).replace("ВерсияФормата=1.03", "ВерсияФормата=1.02");
  assert.deepEqual(await counts(again), { ...NONE, known: 2 });
});

it("40. a file that tells one balance only, as of a day that is not over, is read without it", async () => {
  for (const [place, left] of ["НачальныйОстаток", "КонечныйОстаток"].entries()) {
    const movements = [{ sum: 40.1 + place, number: left }];
    const rows = statement1c([{ account: ACCOUNT, days: { [day(-place)]: movements } }]).split(
      "\r\n",
    );
    const text = rows.filter((row) => !row.startsWith(left)).join("\r\n");
    assert.deepEqual(await counts(text), { ...NONE, new: 1 });
  }
});

it("40. a file whose last day is before its first is refused", async () => {
  const text = statement1c([{ account: ACCOUNT, days: { [day()]: [] } }]);
  const swapped = text.replace(/ДатаКонца=.*/, "ДатаКонца=01.01.2026");
  const [status, error] = await own.refused("imports", asked(swapped));
  assert.equal(status, 422);
  assert.match(String(error), /date or time that cannot be: 2026-01-01/);
});

it("41. two equal lines in one file are two transfers, and stay two when the file comes again", async () => {
  const two = { sum: 410.01, number: "5" };
  const file = statement1c([{ account: ACCOUNT, days: { [day()]: [two, two] } }]);
  assert.deepEqual(await counts(file), { ...NONE, new: 2 });
  assert.deepEqual(await counts(file.replace("1.03", "1.02")), { ...NONE, known: 2 });
  assert.equal((await transfersOf(410.01)).length, 2);
});

it("42. a line that changed by a kopeck waits, and the ledger is untouched until a person decides", async () => {
  const file = (sum: number) =>
    statement1c([{ account: ACCOUNT, days: { [day()]: [{ sum, number: "7" }, { sum: 420.5 }] } }]);
  assert.deepEqual(await counts(file(420.01)), { ...NONE, new: 2 });
  assert.deepEqual(await counts(file(420.02)), { ...NONE, waiting: 1, missing: 1, known: 1 });
  assert.deepEqual(await transfersOf(420.02), []);
  const { items } = await own.get("lines?waiting=true");
  const changed = items.find(({ outcome }: { outcome: string }) => outcome === "changed");
  const gone = items.find(({ outcome }: { outcome: string }) => outcome === "missing");
  assert.deepEqual([changed.amount, gone.amount], [420.02, 420.01]);
  const reason = "the bank has corrected it";
  const decide = (id: string, decision: string) =>
    own.post(`lines/${id}/decide`, { decision, reason });
  assert.equal((await decide(gone.line_id, "exclude")).outcome, "new");
  const booked = await decide(changed.line_id, "book");
  assert.deepEqual([booked.outcome, booked.settled_by], ["new", "sandbox"]);
  assert.deepEqual(await transfersOf(420.02), ["nobody_expected"]);
  assert.equal(
    (await own.refused(`lines/${changed.line_id}/decide`, { decision: "book", reason }))[0],
    422,
  );
  assert.deepEqual((await own.get("lines?waiting=true")).items, []);
});

it("43. pending, then booked with another text: one transfer", async () => {
  const header =
    "operationDate,transactionDate,accountName,accountNumber,cardName,cardNumber,merchant,amount," +
    "currency,status,category,mcc,type,comment,bonusValue,bonusTitle";
  const date = day().split("-").toReversed().join(".");
  const row = (status: string, comment: string) =>
    `${date},${date},Счёт,${ACCOUNT},,,,430.01,RUR,${status},,,Пополнение,${comment},,`;
  const file = (text: string) => `${header}\n${text}\n`;
  const pending = await bring(file(row("В обработке", "перевод")));
  assert.deepEqual([pending.lines, pending.pending_lines, pending.new], [0, 1, 0]);
  assert.equal((await bring(file(row("Выполнен", "Перевод от Ивана")))).new, 1);
  assert.equal((await transfersOf(430.01)).length, 1);
});

it("44. a line of yesterday whose slot is a stranger's now pays yesterday's payment", async () => {
  const order = await orderOn(1200);
  const paid = day();
  await trade.pass(2 * DAY);
  const stranger = await orderOn(1200);
  assert.equal(stranger.amount, order.amount);
  const file = statement1c([{ account: ACCOUNT, days: { [paid]: [{ sum: order.amount }] } }]);
  assert.deepEqual(await counts(file), { ...NONE, new: 1 });
  const { items } = await own.get(`transfers?amount=${order.amount}`);
  assert.equal(items[0].invoice_id, order.id);
});

it("44. a line's time is of the clocks of its day, also where they are changed on it", async () => {
  const berlin = await openOneGateway({ timeZone: "Europe/Berlin" });
  const noon = new Date("2026-03-29T12:00:00Z").getTime();
  const { now } = berlin.gateway.app.clock;
  await berlin.trade.pass((noon - now().getTime()) / 1000);
  const order = await berlin.trade.order();
  const told = "2026-03-29T12:00Z";
  await berlin.trade.pay(order, { made_at: told });
  const last4 = order.wallet.slice(-4);
  const { items } = await berlin.own.get(`requisites?wallet=${last4}`);
  const { account } = await berlin.own.post(`requisites/${items[0].requisite_id}/reveal`);
  const movement = { sum: order.amount, time: "14:00:30" };
  const late = { sum: 77.01, time: "23:30:00", number: "2" };
  await berlin.trade.pass(DAY);
  const file = statement1c([{ account, days: { "2026-03-29": [movement, late] } }]);
  await berlin.own.post("imports", asked(file));
  await applyImports(berlin.gateway);
  const madeAt = async (amount: number) =>
    (await berlin.own.get(`transfers?amount=${amount}`)).items.map(
      (one: { made_at: string }) => one.made_at,
    );
  assert.deepEqual(await madeAt(order.amount), [told]);
  assert.deepEqual(await madeAt(late.sum), ["2026-03-29T21:30:00Z"]);
  await assertBooksAreRight(berlin.gateway);
});

it("45. a line that knows only its day, with two payments of that slot on it, waits with both named", async () => {
  const first = await orderOn(4500);
  await trade.pass(DAY + 21 * MINUTE);
  const second = await orderOn(4500);
  assert.equal(second.amount, first.amount);
  await bring(statement1c([{ account: ACCOUNT, days: { [day()]: [{ sum: first.amount }] } }]));
  const [transfer] = (await own.get(`transfers?amount=${first.amount}`)).items;
  assert.equal(transfer.suspense_reason, "several_expected");
  const { items } = await own.get(`transfers/${transfer.transfer_id}/candidates`);
  const named = items.map(({ payment_id }: { payment_id: string }) => payment_id);
  assert.ok(named.includes(first.paymentId) && named.includes(second.paymentId));
});

it("46. a line of a day before the payment was there waits", async () => {
  const before = day(-1);
  const order = await orderOn(1600);
  await bring(statement1c([{ account: ACCOUNT, days: { [before]: [{ sum: order.amount }] } }]));
  assert.deepEqual(await transfersOf(order.amount), ["nobody_expected"]);
});

it("47. a file of a foreign account is refused, and nothing of it is kept", async () => {
  const foreign = statement1c([
    { account: ACCOUNT, days: { [day()]: [{ sum: 470.01 }] } },
    { account: "40817810555555555555", days: { [day()]: [{ sum: 470.02 }] } },
  ]);
  await trade.refusedWithoutTrace(422, [["imports", asked(foreign)]]);
  const [, words] = await own.refused("imports", asked(foreign));
  assert.match(String(words), /^Row \d+: the account 408178\*+5555 is no requisite's/);
});

it("48. money between two own accounts is no credit on either", async () => {
  const within = { number: "4", from: OTHER, to: ACCOUNT };
  const file = statement1c([
    { account: ACCOUNT, days: { [day()]: [{ sum: 480.01, ...within }] } },
    { account: OTHER, days: { [day()]: [] }, opening: 1000 },
  ]);
  const closing = file.replace(
    "НачальныйОстаток=1000.00\r\nВсегоПоступило=0.00\r\nВсегоСписано=0.00\r\nКонечныйОстаток=1000.00",
    "НачальныйОстаток=1000.00\r\nВсегоПоступило=0.00\r\nВсегоСписано=480.01\r\nКонечныйОстаток=519.99",
  );
  assert.deepEqual(await counts(closing), { ...NONE, internal: 2 });
  assert.deepEqual(await transfersOf(480.01), []);
});

it("51. a body that is too large is not read; 8 MiB of one line, and a large file that is cut, are refused", async () => {
  const token = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const body = JSON.stringify(asked("1".repeat(9 * 1024 * 1024)));
  const sent = { body, headers: { ...token, "content-type": "application/json" } };
  const answer = await fetch(`${gateway.url}/manage/imports`, { method: "POST", ...sent });
  assert.equal(answer.status, 413);
  const long = Array.from({ length: 2_000 }, (_, index) => ({ sum: 1 + index / 100 }));
  const whole = statement1c([{ account: ACCOUNT, days: { [day()]: long } }]);
  const refused: [string, RegExp][] = [
    [`1CClientBankExchange\r\n${"я".repeat(4 * 1024 * 1024 - 20)}`, /row|Row|cut/],
    [whole.slice(0, -20), /The file is cut: it ends in row \d+/],
    [whole.replace("КонечныйОстаток=", "КонечныйОстаток=1"), /does not add up/],
    ["1CClientBankExchange", /cut/],
  ];
  for (const [text, words] of refused) {
    const [status, said] = await own.refused("imports", asked(text));
    assert.equal(status, 422);
    assert.match(String(said), words);
  }
  for (const content of ["###", "abc", "a=bc", "абв"]) {
    const wrong = await own.refused("imports", { filename: "one.txt", content });
    assert.deepEqual(wrong, [422, ["The content is not the base64 of a file."]]);
  }
});

it("a file's name and a refusal hold no whole number, and a day of another age is refused", async () => {
  const file = (days: string) =>
    statement1c([{ account: ACCOUNT, days: { [days]: [{ sum: 5.05 }] } }]);
  const named = await own.post("imports", { ...asked(file(day())), filename: `${ACCOUNT}.txt` });
  assert.equal(named.filename, "408178**********0101.txt");
  const [status, words] = await own.refused("imports", asked(file("0001-01-01")));
  assert.equal(status, 422);
  assert.match(String(words), /date or time that cannot be: 01\.01\.0001/);
  const [, other] = await own.refused("imports", asked(`${ACCOUNT} 2202200000000007\n`));
  assert.doesNotMatch(String(other), /2202200000000007|40817810000000000101/);
});

it("where more equal money is told of than can be counted, a line waits for a person", async () => {
  const items = Array.from({ length: 300 }, (_, index) => {
    return { requisite_id: REQUISITE, amount: 3.33, reference: `equal ${index}` };
  });
  await own.post("transfers", { items });
  trade.tick();
  await bring(statement1c([{ account: ACCOUNT, days: { [day()]: [{ sum: 3.33 }] } }]));
  assert.equal((await transfersOf(3.33))[0], "maybe_known");
});

/** What a phone tells, as its source would. */
const phone = (amountMinor: bigint, channel: "sms" | "push", key: string): Arrival => ({
  requisiteId: REQUISITE,
  currency: "RUB",
  amountMinor,
  payer: null,
  madeAt: gateway.app.clock.now().toISOString(),
  told: { channel, teller: `${channel}:phone`, key, needsProof: channel === "sms", hold: null },
});
const tell = (...arrivals: Arrival[]) =>
  gateway.app.db.transaction((tx) => acceptTransfers(tx, gateway.app, arrivals));

it("57. SMS, push and a line next day are one transfer, and one event", async () => {
  const order = await orderOn(1700);
  const minor = BigInt(Math.round(order.amount * 100));
  trade.tick();
  const [sms] = await tell(phone(minor, "sms", "a"));
  const [push] = await tell(phone(minor, "push", "b"));
  assert.ok(sms && "fresh" in sms && sms.fresh && push && "joined" in push && push.joined);
  const paid = day();
  await trade.pass(DAY);
  const file = statement1c([{ account: ACCOUNT, days: { [paid]: [{ sum: order.amount }] } }]);
  assert.deepEqual(await counts(file), { ...NONE, duplicate: 1 });
  const shown = await own.get(`transfers/${sms.transfer.id}`);
  const channels = shown.evidence.map(({ channel }: { channel: string }) => channel);
  assert.deepEqual(channels, ["sms", "push", "line"]);
  assert.equal((await own.get(`events?invoice_id=${order.id}`)).items.length, 1);
});

it("58. a line first, and the SMS of it six hours later: joined, no second credit", async () => {
  const order = await orderOn(1800);
  const minor = BigInt(Math.round(order.amount * 100));
  trade.tick();
  const late = phone(minor, "sms", "c");
  const file = statement1c([{ account: ACCOUNT, days: { [day()]: [{ sum: order.amount }] } }]);
  await trade.pass(MINUTE);
  assert.deepEqual(await counts(file), { ...NONE, new: 1 });
  await trade.pass(6 * HOUR);
  const [sms] = await tell(late);
  assert.ok(sms && "joined" in sms && sms.joined);
  assert.equal((await transfersOf(order.amount)).length, 1);
});

it("67. money of an SMS that the statement of its day lacks stays frozen; the line that proves it releases it", async () => {
  const before = await trade.balance();
  const order = await orderOn(1900);
  const minor = BigInt(Math.round(order.amount * 100));
  trade.tick();
  await tell(phone(minor, "sms", "d"));
  const paid = day();
  await trade.pass(5 * DAY);
  const lacking = statement1c([{ account: ACCOUNT, days: { [paid]: [{ sum: 670.01 }] } }]);
  await bring(lacking);
  const [unproven] = (await own.get("transfers?needs_proof=true")).items;
  assert.equal(unproven.invoice_id, order.id);
  const frozen = (await trade.balance()).map((sum, index) => sum - (before[index] ?? 0));
  assert.equal(frozen[1], 0);
  assert.ok((frozen[2] ?? 0) > 0);
  const whole = [{ sum: 670.01 }, { sum: order.amount, number: "77" }];
  const proving = statement1c([{ account: ACCOUNT, days: { [paid]: whole } }]);
  assert.deepEqual(await counts(proving), { ...NONE, duplicate: 1, known: 1 });
  await trade.pass(1);
  const free = (await trade.balance()).map((sum, index) => sum - (before[index] ?? 0));
  assert.deepEqual([free[1], free[2]], [frozen[2], 0]);
  assert.deepEqual((await own.get("transfers?needs_proof=true")).items, []);
});

it("an import that keeps failing can be dropped; not what was applied, or has seen a line", async () => {
  const drop = (id: string) => [`imports/${id}/drop`, {}] as const;
  const import_id = await failingImport(gateway);
  const { answer, row } = await trade.audited(() => own.post(...drop(import_id)));
  assert.equal(answer.import_id, import_id);
  assert.deepEqual([row.act, row.subject, row.after], ["import.drop", import_id, null]);
  assert.equal((await own.refused(...drop(import_id)))[0], 404);
  assert.deepEqual(await gateway.app.db.query("select from failing_rows"), []);
  const file = statement1c([{ account: ACCOUNT, days: { [day()]: [{ sum: 710.01 }] } }]);
  const done = await bring(file);
  const seeing = await failingImport(gateway);
  await gateway.app.db.query(
    `insert into statement_sections
     select $1, number, place, requisite_id, format, from_day, to_day, opening_minor, closing_minor,
            in_minor, out_minor
     from statement_sections where import_id = $2`,
    [seeing, done.import_id],
  );
  const sight = (last: string) =>
    gateway.app.db.query("update statement_lines set seen_in = $1 where import_id = $2", [
      last,
      done.import_id,
    ]);
  await sight(seeing);
  await trade.refusedWithoutTrace(422, [drop(done.import_id), drop(seeing)]);
  await sight(done.import_id);
  await own.post(...drop(seeing));
});

it("an import that can be read no longer stops no other, is told of, and can be dropped", async () => {
  const sql = (text: string) => gateway.app.db.query(text);
  const file = (of: string, sum: number) =>
    statement1c([{ account: of, days: { [day()]: [{ sum }] } }]);
  const failing = async () =>
    (await own.get("waiting")).items
      .filter((one: { kind: string }) => one.kind === "imports_failing")
      .map((one: { first_id: string }) => one.first_id);
  // It waits: its first try fails.
  await sql(`create function refuse_lines() returns trigger language plpgsql as $$
    begin raise exception 'planted'; end $$;
    create trigger planted before insert on statement_lines execute function refuse_lines()`);
  const { import_id } = await own.post("imports", asked(file(ACCOUNT, 726.01)));
  await trade.pass(1);
  await sql("drop function refuse_lines cascade");
  assert.deepEqual(await failing(), [import_id]);
  // By no door: once a statement has named an account it stays.
  const [{ sealed, digest } = {}] = await gateway.app.db.query<Record<string, Buffer>>(
    `delete from requisite_numbers where requisite_id = $1 and kind = 'account'
     returning sealed, digest`,
    [REQUISITE],
  );
  await trade.pass(MINUTE);
  const other = await own.post("imports", asked(file(OTHER, 726.02)));
  await trade.pass(1);
  assert.equal((await own.get(`imports/${other.import_id}`)).new, 1);
  assert.equal((await own.get(`imports/${import_id}`)).applied_at, null);
  assert.deepEqual(await failing(), [import_id]);
  await own.post(`imports/${import_id}/drop`, {});
  assert.deepEqual(await failing(), []);
  await gateway.app.db.query(
    `insert into requisite_numbers (requisite_id, kind, sealed, digest)
     values ($1, 'account', $2, $3)`,
    [REQUISITE, sealed, digest],
  );
  assert.equal((await bring(file(ACCOUNT, 726.01))).new, 1);
});
