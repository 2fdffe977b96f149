// Lines that name payouts: what they settle, what waits for a person, what is told as a contradiction.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { ownHand } from "../../../test/manage.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE } from "../../../test/orders.ts";
import { untilFree } from "../../../test/patience.ts";
import { cardEndingIn, pauseRail, payouts } from "../../../test/payouts.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { momentFormat } from "../../domain/moment.ts";
import type { RailAnswer } from "../../domain/payout.ts";
import { documentOf } from "../../domain/payout-file.ts";
import { markAttempts } from "../payouts/attempt-queries.ts";
import { claimPayouts, recordAnswers } from "../payouts/attempts.ts";
import { lockPayouts } from "../payouts/queries.ts";
import { movePayouts } from "../payouts/settle.ts";
import { payoutsShown } from "./line-queries.ts";
import { settlePayoutsJob } from "./settle-payouts.job.ts";

const { gateway, own, trade } = await openQuietGateway();
const { app } = gateway;
const asked = payouts(gateway, trade);
afterEach(() => assertBooksAreRight(gateway));
await pauseRail(gateway);
await asked.earn(5);

const { id: authorId } = await ownHand(gateway, "Anna", "operator");
const DESK = { services: ["card"], limit: 100, leaseSeconds: 1_800, isDispatched: true, authorId };
let files = 0;
const days = new Map<string, (Line & { number: string })[]>();
let sendings = 0;

/** One that a rail has, with what it calls it, and what it has said of it. */
async function sent(answer: RailAnswer | undefined, amount = 100): Promise<string> {
  sendings += 1;
  const wallet_to = cardEndingIn(`${String(1000 + sendings).slice(1)}0`);
  const id = await asked.made({ amount, wallet_to, subtract: 1 });
  await app.db.transaction(async (tx) => {
    await claimPayouts(tx, app, { ...DESK, rail: "desk", payoutIds: [id] });
    if (answer !== undefined) await recordAnswers(tx, app, [{ payoutId: id, number: 1, answer }]);
  });
  return id;
}

const tell = (payoutId: string, number: number, retry: boolean) =>
  app.db.transaction((tx) => {
    const answer = { kind: "not_sent", reason: "busy", retry } as const;
    return recordAnswers(tx, app, [{ payoutId, number, answer }]);
  });
const claimAgain = async (id: string, isDispatched = true): Promise<void> => {
  await trade.pass(MINUTE);
  await app.db.transaction((tx) =>
    claimPayouts(tx, app, { ...DESK, rail: "desk", payoutIds: [id], isDispatched }),
  );
};

const unknown = { kind: "unknown", detail: "no answer" } as const;

/** The lines of a day, as they stand after all of it is applied. */
interface Line {
  readonly sum: number;
  readonly purpose: string;
}
const settleAll = async (): Promise<void> => {
  await settlePayoutsJob.due?.settle(app);
};
async function bring(...all: (Line | typeof settleAll)[]) {
  const lines = all.filter((one) => typeof one !== "function");
  const settle = all.find((one) => typeof one === "function") ?? settleAll;
  files += 1;
  // Of today, told whole: with what earlier files had of it.
  const day = momentFormat(app.config.timeZone).day(app.clock.now());
  const numbered = lines.map((line, index) => ({ ...line, number: `${files}-${index}` }));
  const whole = [...(days.get(day) ?? []), ...numbered];
  days.set(day, whole);
  const text = statement1c([{ account: "40817810000000000101", days: { [day]: whole } }]);
  const content = Buffer.from(text).toString("base64");
  const { import_id } = await own.post("imports", { filename: "out.txt", content });
  await applyImports(gateway);
  await settle();
  const { items } = await own.get(`lines?import_id=${import_id}`);
  return items.toSorted((a: { row: number }, b: { row: number }) => a.row - b.row);
}
const balance = async (account: string): Promise<number> => {
  const { status, body } = await own.ask(`accounts/${account}`);
  return status === 404 ? 0 : Math.round(body.data.balance * 100);
};

it("a line that names an unknown payout settles it as done, once, and clears what left", async () => {
  const before = await balance("bank_out.RUB");
  const id = await sent({ kind: "accepted", railId: "RAIL-00012345" });
  const other = await sent(unknown);
  const [line, mine] = await bring(
    { sum: -100, purpose: "Перевод RAIL-00012345, без НДС" },
    { sum: -100, purpose: `Выплата ${documentOf(other)}` },
  );
  assert.deepEqual([line.outcome, line.payout_id, mine.payout_id], ["outflow", id, other]);
  assert.deepEqual([await asked.state(id), await asked.state(other)], ["done", "done"]);
  assert.equal(await balance("bank_out.RUB"), before);
  const { items } = await own.get(`lines?payout_id=${id}`);
  assert.equal(items.length, 1);
  const { timeline } = await own.get(`payouts/${other}`);
  const { what, detail } = timeline.at(-1);
  assert.deepEqual([what, detail], ["done", `proven by line ${mine.line_id}`]);
});

it("a line of another amount, of several payouts, or that shows one a second time waits; nothing is settled", async () => {
  const [one, two] = [await sent(unknown), await sent(unknown)];
  const before = await balance("bank_out.RUB");
  const lines = await bring(
    { sum: -99.99, purpose: `Выплата ${one}` },
    { sum: -100, purpose: `Выплата ${one} и ${two}` },
    { sum: -100, purpose: `Выплата ${two}` },
    { sum: -100, purpose: `Выплата ${two} ещё раз` },
    { sum: -100, purpose: `Выплата ${one}x и RAIL-0001234` },
  );
  assert.deepEqual(
    lines.map((line: { outcome: string; payout_id: string }) => [line.outcome, line.payout_id]),
    [
      ["payout", null],
      ["payout", null],
      ["outflow", two],
      ["payout", null],
      ["outflow", null],
    ],
  );
  assert.deepEqual([await asked.state(one), await asked.state(two)], ["unknown", "done"]);
  assert.equal(await balance("bank_out.RUB"), before - 10_000);
  const decide = { decision: "book", kind: "outflow", reason: "the bank was asked" };
  const done = await own.post(`lines/${lines[0].line_id}/decide`, decide);
  assert.deepEqual([done.outcome, done.payout_id], ["outflow", null]);
});

it("28. failed, and a line shows that it left: unexplained, told as an error, and a person's to recover", async () => {
  const id = await sent({ kind: "not_sent", reason: "recipient_not_found", retry: false });
  assert.equal(await asked.state(id), "failed");
  const [line] = await bring({ sum: -100, purpose: `Выплата ${id}` });
  assert.deepEqual([line.outcome, line.payout_id], ["outflow", id]);
  assert.equal(await asked.state(id), "failed");
  const found = async () => (await own.get("lines?unexplained=true")).items.length;
  assert.equal(await found(), 1);
  assert.match((await gateway.call("/metrics")).text, /kopeck_lines_unexplained_total\S* 1\n/);
  await app.db.transaction(async (tx) => {
    const [payout] = await lockPayouts(tx, [id]);
    assert.ok(payout);
    await movePayouts(tx, app, [{ payout, to: "done" }]);
  });
  assert.equal(await found(), 0);
  assert.equal(await asked.state(id), "done");
});

it("what a rail said not to have left, and did, while another attempt may have: no attempt is settled by it", async () => {
  const id = await sent({ kind: "accepted", railId: "FIRST-0001" });
  await tell(id, 1, true);
  await claimAgain(id);
  await bring({ sum: -100, purpose: "FIRST-0001" });
  assert.equal(await asked.state(id), "sending");
  assert.equal((await own.get("lines?unexplained=true")).items[0].payout_id, id);
  const answer = { kind: "sent", reference: "proof-of-second" } as const;
  await app.db.transaction((tx) => recordAnswers(tx, app, [{ payoutId: id, number: 2, answer }]));
  assert.equal((await own.get("lines?unexplained=true")).items.length, 1, "it left twice");
});

it("of the first of two attempts, while the second is out: once that one has not left either, it is done and not given back", async () => {
  const id = await sent({ kind: "accepted", railId: "FIRST-0002" });
  await tell(id, 1, true);
  await claimAgain(id);
  await bring({ sum: -100, purpose: "FIRST-0002" });
  assert.equal(await asked.state(id), "sending");
  await tell(id, 2, false);
  assert.equal(await asked.state(id), "unknown");
  await settleAll();
  assert.equal(await asked.state(id), "done");
});

it("of the first of two attempts, in files of two formats: the others are settled all the same", async () => {
  const id = await sent({ kind: "accepted", railId: "FIRST-0004" });
  await tell(id, 1, true);
  await claimAgain(id);
  await bring({ sum: -100, purpose: "FIRST-0004" });
  const shown = app.db.transaction(async (tx) => {
    await tx.query("update payout_attempts set reopened_at = null where payout_id = $1", [id]);
    const copied = await tx.query(
      `insert into statement_lines select (jsonb_populate_record(line,
         jsonb_build_object('id', gen_random_uuid(), 'format', 'csv'))).*
       from statement_lines line where payout_id = $1 returning id`,
      [id],
    );
    assert.equal(copied.length, 1);
    const rows = await payoutsShown(tx, 10);
    throw new Error(rows.map(({ payoutId, number }) => `${payoutId}.${number}`).join());
  });
  await assert.rejects(shown, { message: `${id}.1` });
  await tell(id, 2, false);
  await settleAll();
  assert.equal(await asked.state(id), "done");
});

it("of the first of two attempts, while it stands in line for a third: it is not sent again, and done", async () => {
  const id = await sent({ kind: "accepted", railId: "FIRST-0003" });
  await tell(id, 1, true);
  await claimAgain(id);
  await tell(id, 2, true);
  assert.equal(await asked.state(id), "queued");
  await bring({ sum: -100, purpose: "FIRST-0003" });
  assert.equal(await asked.state(id), "done");
});

it("a line that names a payout in small letters names it: by its fast payment's number, and as files call it", async () => {
  const reference = "B60721203517031F0B10110011700501";
  const done = await sent({ kind: "sent", reference }, 113);
  const [rails, named] = [
    await sent({ kind: "accepted", railId: `A${reference.slice(1)}` }, 114),
    await sent(unknown, 115),
  ];
  const lines = await bring(
    { sum: -113, purpose: `Перевод СБП ${reference.toLowerCase()}` },
    { sum: -114, purpose: `Перевод СБП a${reference.slice(1).toLowerCase()}` },
    { sum: -115, purpose: `выплата ${documentOf(named).toLowerCase()}` },
  );
  assert.deepEqual(
    lines.map((line: { payout_id: string }) => line.payout_id),
    [done, rails, named],
  );
  for (const id of [rails, named]) assert.equal(await asked.state(id), "done");
});

it("27. money that comes back with a payout's name pays nobody by itself, and becomes its return, once", async () => {
  const id = await sent({ kind: "sent", reference: "SBP-REFERENCE-77" }, 102);
  const order = await trade.order({ amount: 100 });
  const [came] = await bring({ sum: 102, purpose: "Возврат SBP-REFERENCE-77" });
  assert.equal(came.payout_id, id);
  const transferId: string = came.transfer_id;
  const shown = (await own.get("transfers?state=suspense")).items[0];
  assert.deepEqual([shown.transfer_id, shown.suspense_reason], [transferId, "payout_return"]);
  assert.equal((await own.get(`invoices/${order.id}`)).invoice.state, "pending");
  const [before, out] = [await trade.balance(), await balance("bank_out.RUB")];
  const back = (of: string) =>
    own.ask(`payouts/${of}/return`, { reason: "it came back", transfer_id: transferId });
  const smaller = await sent({ kind: "sent", reference: "SBP-REFERENCE-78" }, 50);
  assert.deepEqual((await back(smaller)).body.error, [
    "The transfer is not of the amount and currency that the payout sent.",
  ]);
  assert.equal((await back(id)).status, 200);
  assert.equal(await asked.state(id), "returned");
  assert.equal((await back(id)).status, 422);
  const [after = 0] = await trade.balance();
  assert.equal(after - (before[0] ?? 0), 10_200 - 5_000 - 100);
  assert.equal(await balance("bank_out.RUB"), out + 5_000);
  assert.equal((await own.get(`transfers?state=cleared`)).items[0].transfer_id, transferId);
});

it("a return by word and then by its line, or by its line alone: bank_out ends where it began, once", async () => {
  for (const isWordFirst of [true, false]) {
    const out = await balance("bank_out.RUB");
    const id = await sent(unknown, 102);
    const words = { reason: "the bank called" };
    const [left] = await bring({ sum: -102, purpose: `Выплата ${documentOf(id)}` });
    assert.equal(left.payout_id, id);
    if (isWordFirst) await own.post(`payouts/${id}/return`, words);
    const [, available] = await trade.balance();
    const lines = await bring(
      { sum: 102, purpose: `Возврат ${documentOf(id)}` },
      { sum: 102, purpose: `Возврат ещё раз ${documentOf(id)}` },
    );
    const [transfer_id, other] = lines.map((line: { transfer_id: string }) => line.transfer_id);
    await own.post(`payouts/${id}/return`, { ...words, transfer_id });
    assert.equal(await asked.state(id), "returned");
    assert.equal(await balance("bank_out.RUB"), out);
    if (isWordFirst) assert.equal((await trade.balance())[1], available);
    const again = await own.refused(`payouts/${id}/return`, { ...words, transfer_id: other });
    assert.deepEqual([again[0], /^The payout is returned/.test(String(again[1]))], [422, true]);
    await own.post(`transfers/${other}/return`, words);
    await trade.pass(2 * DAY);
  }
});

/** What left and came back, by one file; and whether whoever waits for just that sum on that card was paid by it. */
async function leftAndCameBack(id: string, isCreditFirst: boolean) {
  await trade.pass(2 * DAY);
  let order = await trade.order({ amount: 100 });
  while (!(order.amount === 102 && order.wallet.endsWith("0007")))
    order = await trade.order({ amount: 100 });
  const lines = [
    { sum: -102, purpose: `Выплата ${documentOf(id)}` },
    { sum: 102, purpose: `Возврат, выплата ${documentOf(id)}` },
  ];
  await bring(...(isCreditFirst ? lines.toReversed() : lines));
  const { items } = await own.get(`lines?payout_id=${id}`);
  const came = items.find((line: { direction: string }) => line.direction === "in");
  const { state: payer } = (await own.get(`invoices/${order.id}`)).invoice;
  const transfer = came === undefined ? {} : await own.get(`transfers/${came.transfer_id}`);
  return { payer, reason: transfer.suspense_reason, transferId: transfer.transfer_id };
}

it("left and came back on one day: what came back pays nobody, and becomes the payout's return", async () => {
  for (const isCreditFirst of [false, true]) {
    const id = await sent(unknown, 102);
    const { transferId, ...found } = await leftAndCameBack(id, isCreditFirst);
    assert.deepEqual(found, { payer: "pending", reason: "payout_return" });
    assert.equal(await asked.state(id), "done");
    await own.post(`payouts/${id}/return`, { reason: "it came back", transfer_id: transferId });
    assert.equal(await asked.state(id), "returned");
  }
});

it("what came back with the names of two payouts pays nobody: it is as much as one of them sent", async () => {
  const ids = [await sent(unknown, 103), await sent(unknown, 102)];
  await trade.pass(2 * DAY);
  let order = await trade.order({ amount: 100 });
  while (!(order.amount === 102 && order.wallet.endsWith("0007")))
    order = await trade.order({ amount: 100 });
  const purpose = `Возврат, выплаты ${ids.map(documentOf).join(" ")}`;
  const [line] = await bring({ sum: 102, purpose });
  assert.equal((await own.get(`invoices/${order.id}`)).invoice.state, "pending");
  const { suspense_reason } = await own.get(`transfers/${line.transfer_id}`);
  assert.deepEqual([suspense_reason, line.payout_id], ["payout_return", ids[1]]);
  await trade.pass(2 * DAY);
});

it("left and came back on one day, and is said not to have left: what came back pays nobody either", async () => {
  for (const retry of [true, false]) {
    const out = await balance("bank_out.RUB");
    const id = await sent({ kind: "not_sent", reason: "given back", retry }, 102);
    const { transferId, ...found } = await leftAndCameBack(id, false);
    assert.deepEqual(found, { payer: "pending", reason: "payout_return" });
    assert.equal(await asked.state(id), retry ? "done" : "failed");
    const back = retry ? { transfer_id: transferId } : {};
    const path = retry ? `payouts/${id}/return` : `transfers/${transferId}/return`;
    await own.post(path, { reason: "it came back", ...back });
    assert.equal(await balance("bank_out.RUB"), out);
  }
  await trade.pass(2 * DAY);
});

it("27. of a day to come, and booked by a person on its day: it pays nobody who waits for that sum either", async () => {
  const id = await sent({ kind: "sent", reference: "SBP-REFERENCE-99" }, 102);
  assert.equal(await asked.state(id), "done");
  const tomorrow = new Date(app.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10);
  const line = { sum: 102, purpose: "Возврат SBP-REFERENCE-99", number: "r-78" };
  const text = statement1c([{ account: "40817810000000000101", days: { [tomorrow]: [line] } }]);
  const content = Buffer.from(text).toString("base64");
  const { import_id } = await own.post("imports", { filename: "back.txt", content });
  await applyImports(gateway);
  const [ahead] = (await own.get(`lines?import_id=${import_id}`)).items;
  assert.deepEqual([ahead.outcome, ahead.payout_id], ["ahead", id]);
  await trade.pass(86_400);
  // Who waits for just that sum on that card.
  let order = await trade.order({ amount: 100 });
  while (!(order.amount === 102 && order.wallet.endsWith("0007")))
    order = await trade.order({ amount: 100 });
  const decided = await own.post(`lines/${ahead.line_id}/decide`, {
    decision: "book",
    reason: "it came",
  });
  const shown = await own.get(`transfers/${decided.transfer_id}`);
  assert.deepEqual([shown.state, shown.suspense_reason], ["suspense", "payout_return"]);
});

it("a line and the rail's own answer at the same moment: one posting, whoever is first", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1) ids.push(await sent(unknown, 10));
  const rail = (payoutId: string, index: number) =>
    untilFree(() =>
      app.db.transaction((tx) => {
        const answer = { kind: "sent", reference: `rail-proof-${index}` } as const;
        return recordAnswers(tx, app, [{ payoutId, number: 1, answer }]);
      }),
    );
  await bring(...ids.map((id) => ({ sum: -10, purpose: `Выплата ${id}` })), async () => {
    await Promise.all([
      ...ids.map(rail),
      ...[1, 2, 3].map(() => untilFree(() => settlePayoutsJob.run(app))),
      ...ids.toReversed().map(rail),
    ]);
  });
  const done = await app.db.query<{ postings: number; told: number }>(
    `select (select count(*)::integer from ledger_postings
             where source_id = payouts.id and kind = 'payout_done') as postings, sequence as told
     from payouts where id = any($1::uuid[]) and state = 'done'`,
    [ids],
  );
  assert.deepEqual(
    done,
    ids.map(() => ({ postings: 1, told: 1 })),
  );
});

it("a line shows that it left while it stands in line again: it is not sent a second time, and done", async () => {
  const id = await sent({ kind: "not_sent", reason: "busy", retry: true }, 105);
  assert.equal(await asked.state(id), "queued");
  await bring({ sum: -105, purpose: `Выплата ${documentOf(id)}` });
  assert.equal(await asked.state(id), "done");
  assert.equal((await asked.cancel(id)).status, 422);
});

it("a line shows that it left while it stands in line again after a claim that sent nothing: done, and so are the others", async () => {
  const id = await sent({ kind: "not_sent", reason: "busy", retry: true }, 107);
  await claimAgain(id, false);
  const never = await asked.made({ amount: 108, subtract: 1 });
  await claimAgain(never, false);
  await trade.pass(HOUR);
  assert.deepEqual([await asked.state(id), await asked.state(never)], ["queued", "queued"]);
  const other = await sent(unknown, 109);
  await bring(
    { sum: -107, purpose: `Выплата ${documentOf(id)}` },
    { sum: -108, purpose: `Выплата ${documentOf(never)}` },
    { sum: -109, purpose: `Выплата ${documentOf(other)}` },
  );
  for (const one of [id, never, other]) assert.equal(await asked.state(one), "done");
  const { attempts } = await own.get(`payouts/${id}`);
  assert.deepEqual(
    attempts.map(({ state }: { state: string }) => state),
    ["sent", "not_sent"],
  );
});

it("a line shows that it left while it is claimed again, and not marked: nobody sends it, and it is done", async () => {
  const id = await sent({ kind: "not_sent", reason: "busy", retry: true }, 111);
  await claimAgain(id, false);
  await bring({ sum: -111, purpose: `Выплата ${documentOf(id)}` });
  const marked = await markAttempts(app.db, [{ payoutId: id, number: 2 }], app.clock.now());
  assert.deepEqual([marked.size, await asked.state(id)], [0, "sending"]);
  await trade.pass(HOUR);
  await settleAll();
  assert.equal(await asked.state(id), "done");
});

it("two banks that show one payout: the second line waits for a person", async () => {
  const id = await sent(unknown, 106);
  await bring({ sum: -106, purpose: `Выплата ${documentOf(id)}` });
  const day = app.clock.now().toISOString().slice(0, 10);
  const line = { sum: -106, purpose: `Выплата ${documentOf(id)}`, number: "other" };
  const text = statement1c([{ account: "40817810000000000105", days: { [day]: [line] } }]);
  const content = Buffer.from(text).toString("base64");
  const { import_id } = await own.post("imports", { filename: "other.txt", content });
  await applyImports(gateway);
  const [second] = (await own.get(`lines?import_id=${import_id}`)).items;
  assert.deepEqual([second.outcome], ["payout"]);
});
