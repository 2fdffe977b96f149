// Files of payouts for the bank's client: made once, the same bytes for ever, and settled row by row by what the
// bank answers.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { freshAmount, freshReference, openDesk, resultsFile, tokenOf } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, everyRow, MINUTE, NOBODY } from "../../../test/orders.ts";
import { CARD, pauseRail, payouts, resumeRail, SBER } from "../../../test/payouts.ts";

const { gateway, own, trade } = await openOneGateway();
const { anna, boris } = await openDesk(gateway);
const user = payouts(gateway, trade);
await user.earn(6);
afterEach(() => assertBooksAreRight(gateway));

const made = (changes: Record<string, unknown> = {}): Promise<string> => {
  trade.tick();
  return user.made({ amount: freshAmount(), ...changes });
};
const documentOf = (id: string): string => `K${id.slice(-12).toUpperCase()}`;
const fileOf = async (id: string, wish = {}): Promise<Buffer> =>
  Buffer.from((await anna.post(`payout-batches/${id}/file`, wish)).content, "base64");
/** What is said to who asks for a file that is not for the bank any more. */
const kept = async (id: string): Promise<string> => {
  const [status, [said = ""]] = await boris.refused(`payout-batches/${id}/file`, {});
  assert.equal(status, 422, said);
  return said;
};
/** Two payouts in a file of their own. */
const inFile = async (): Promise<[batch: string, one: string, other: string]> => {
  const ids: [string, string] = [await made(), await made()];
  const { batch_id } = await anna.post("payout-batches", { format: "csv", payouts: ids });
  return [batch_id, ...ids];
};
/** Zero width, byte order mark, soft hyphen, joiners, fillers, a variation, an isolate, a tag, an empty braille cell. */
const INVISIBLE = [
  "\u200b",
  "\ufeff",
  "\u00ad",
  "\u200d",
  "\u034f",
  "\u3164",
  "\ufe0f",
  "\u2066",
  "\u{e0041}",
  "\u2800",
];
const results = (...rows: string[]) => ({ content: resultsFile(...rows) });
const states = async (...ids: string[]): Promise<string[]> => Promise.all(ids.map(user.state));

it("case 26: what stands in line is in one file, its bytes never change, and the next file is another", async () => {
  const sbp = { service: "sbp", wallet_to: "89161234567", payoff_data: { sbp_bank_type: SBER } };
  await own.post("sbp-banks", { banks: [{ id: SBER, name: '=cmd|"/c calc"!A1; «Банк»' }] });
  const [card, phone] = [await made({ amount: 100 }), await made({ ...sbp, amount: 200 })];
  const wish = { format: "csv" };
  const { answer, logged } = await trade.audited(() => anna.post("payout-batches", wish));
  const { batch_id, digest, created_at, ...rest } = answer;
  assert.deepEqual(rest, {
    format: "csv",
    currency: "RUB",
    payouts: 2,
    sum: 98 + 189,
    created_by: "Anna",
  });
  assert.deepEqual(logged, ["payout_batch.create", batch_id, null, answer]);
  assert.equal(created_at, trade.now());
  const looked = await trade.audited(() => anna.post(`payout-batches/${batch_id}/file`));
  assert.deepEqual(looked.logged, ["payout_batch.reveal", batch_id, null, null]);
  const bytes = Buffer.from(looked.answer.content, "base64");
  assert.equal(looked.answer.sha256, createHash("sha256").update(bytes).digest("hex"));
  assert.notEqual(looked.answer.sha256, digest, "the digest that everybody sees is keyed");
  assert.equal(
    bytes.toString(),
    [
      "\ufeffnumber;service;wallet;bank_id;bank;amount;currency;purpose",
      `${documentOf(card)};card;${CARD};;;98.00;RUB;Выплата ${documentOf(card)}`,
      `${documentOf(phone)};sbp;79161234567;${SBER};"'=cmd|""/c calc""!A1; «Банк»";189.00;RUB;Выплата ${documentOf(phone)}`,
      "",
    ].join("\r\n"),
  );
  assert.deepEqual(await states(card, phone), ["sending", "sending"]);
  const later = await made();
  assert.deepEqual(await anna.refused("payout-batches", { ...wish, payouts: [later, card] }), [
    422,
    ["The payout is sending: this is no longer, or not yet, possible."],
  ]);
  assert.equal(await user.state(later), "queued", "all or none");
  const next = await boris.post("payout-batches", wish);
  assert.equal(next.payouts, 1);
  const text = (await fileOf(next.batch_id)).toString();
  assert.ok(text.includes(documentOf(later)) && !text.includes(documentOf(card)));
  await trade.pass(DAY);
  assert.deepEqual(await fileOf(batch_id), bytes);
  const { items } = await own.get("payout-batches");
  assert.deepEqual(items.slice(0, 2), [next, answer]);
  const rows = await everyRow(gateway);
  for (const number of [CARD, "79161234567"]) assert.ok(!rows.includes(number));
  const { attempts } = await own.get(`payouts/${card}`);
  assert.deepEqual([attempts[0].rail, attempts[0].batch_id], ["file", batch_id]);
  assert.deepEqual(await anna.refused("payout-batches", wish), [
    422,
    ["No payout stands in line for such a file."],
  ]);
});

it("500: a file is stored together with the claims of its payouts, or not at all", async () => {
  const id = await made();
  const { db } = gateway.app;
  await db.query(`create function no_claim() returns trigger language plpgsql as
    $$ begin raise exception 'no claim'; end $$;
    create trigger no_claim before insert on payout_attempts for each row execute function no_claim()`);
  const before = await own.get("payout-batches");
  const wish = { format: "csv", payouts: [id] };
  const { status } = await anna.ask("payout-batches", wish);
  await db.query("drop function no_claim cascade");
  assert.deepEqual([status, await user.state(id)], [500, "queued"]);
  assert.deepEqual(await own.get("payout-batches"), before);
  await anna.post("payout-batches", wish);
});

it("200: 1C's exchange in windows-1251, a document each, with the account that it leaves from", async () => {
  const id = await made({ amount: 50 });
  const wish = { format: "1c", account: "40702810000000000001", service: "card", limit: 1 };
  const { batch_id } = await anna.post("payout-batches", wish);
  const text = new TextDecoder("windows-1251", { fatal: true }).decode(await fileOf(batch_id));
  const lines = text.split("\r\n");
  assert.deepEqual(
    [lines[0], lines[2], lines.at(-2)],
    ["1CClientBankExchange", "Кодировка=Windows", "КонецФайла"],
  );
  const from = lines.indexOf("СекцияДокумент=Платежное поручение");
  const day = trade.now().slice(0, 10).split("-").toReversed().join(".");
  assert.deepEqual(lines.slice(from + 1, lines.indexOf("КонецДокумента")), [
    "Номер=1",
    `Дата=${day}`,
    "Сумма=49.00",
    "ПлательщикСчет=40702810000000000001",
    `ПолучательСчет=${CARD}`,
    "ВидОплаты=01",
    "Очередность=5",
    `НазначениеПлатежа=Выплата ${documentOf(id)}`,
  ]);
  await anna.post(
    `payout-batches/${batch_id}/results`,
    results(`${documentOf(id)};sent;${freshReference()};`),
  );
  assert.equal(await user.state(id), "done");
});

it("200: the bank's answer settles row by row, in several files, and the same again changes nothing", async () => {
  const [batch, one, other] = await inFile();
  const [reference, path] = [freshReference(), `payout-batches/${batch}/results`];
  const first = results(`${documentOf(one)};sent;${reference.toLowerCase()};`);
  const { answer, logged } = await trade.audited(() => anna.post(path, first));
  const none = { rows: 1, settled: 0, known: 0, conflicts: 0, to_approve: 0 };
  assert.deepEqual(answer, { ...none, settled: 1 });
  assert.deepEqual(logged, ["payout_batch.settle", batch, null, answer]);
  const row = await own.lastAudit();
  trade.tick();
  assert.deepEqual(await boris.post(path, first), { ...none, known: 1 });
  assert.deepEqual(await own.lastAudit(), row, "the same again leaves no row");
  const second = results(
    `${documentOf(one)};not_sent;;Отказ банка`,
    `${documentOf(other)};retry;;"Лимит; завтра"`,
  );
  assert.deepEqual(await anna.post(path, second), { ...none, rows: 2, settled: 1, conflicts: 1 });
  assert.deepEqual(await states(one, other), ["done", "queued"]);
  const against = results(`${documentOf(one)};not_sent;;Отказ банка`);
  const conflict = await trade.audited(() => boris.post(path, against));
  assert.deepEqual(conflict.logged[3], { ...none, conflicts: 1 }, "what contradicts leaves a row");
  const { payout } = await own.get(`payouts/${one}`);
  assert.equal(payout.bank_reference, reference, "what has left stays so");
  // In line again, it enters another file; what is said of the first says nothing of this one.
  await trade.pass(60);
  const { batch_id } = await anna.post("payout-batches", { format: "csv", payouts: [other] });
  assert.deepEqual(await anna.post(path, results(`${documentOf(other)};not_sent;;Отказ`)), {
    ...none,
    known: 1,
  });
  assert.equal(await user.state(other), "sending");
  const last = results(`${documentOf(other)};not_sent;;Счёт закрыт ${CARD}`);
  await anna.post(`payout-batches/${batch_id}/results`, last);
  const { state, error_message } = (await user.info(other)).body.data;
  assert.deepEqual([state, error_message], ["failed", "Счёт закрыт 220000******0400"]);
});

it("200: no answer for three days: unknown, and then a file that says not_sent takes two people", async () => {
  const [batch, one, other] = await inFile();
  await trade.pass(3 * DAY - 1);
  assert.deepEqual(await states(one, other), ["sending", "sending"]);
  await trade.pass(1);
  assert.deepEqual(await states(one, other), ["unknown", "unknown"]);
  const file = results(
    `${documentOf(one)};sent;${freshReference()};`,
    `${documentOf(other)};not_sent;;Отказ`,
  );
  const path = `payout-batches/${batch}/results`;
  const said = { rows: 2, settled: 1, known: 0, conflicts: 0, to_approve: 1 };
  assert.deepEqual(await anna.post(path, file), said);
  assert.deepEqual(await states(one, other), ["done", "unknown"]);
  assert.deepEqual(await anna.post(path, file), { ...said, settled: 0, to_approve: 0, known: 2 });
  const hers = await tokenOf(gateway, anna);
  const hersToo = { ...said, settled: 0, to_approve: 0, known: 2 };
  assert.deepEqual(await hers.post(path, file), hersToo, "her own token is her hand");
  assert.deepEqual(await boris.post(path, file), { ...said, known: 1, to_approve: 0 });
  assert.deepEqual(await states(one, other), ["done", "failed"]);
});

it("422: a file whose payouts nobody knows of any more, or have left by another way, is not for the bank", async () => {
  const [batch, one, other] = await inFile();
  const path = `payout-batches/${batch}/file`;
  await trade.pass(3 * DAY - 1);
  const bytes = await fileOf(batch);
  await trade.pass(1);
  assert.match(await kept(batch), /^2 payouts of this file/, "nobody knows of them");
  // Nothing is found at the bank, and one of them is sent by hand.
  const said = { outcome: "not_sent", reason: "Nothing at the bank", retry: true };
  for (const who of [anna, boris])
    for (const id of [one, other]) await who.post(`payouts/${id}/resolve`, said);
  await trade.pass(MINUTE);
  assert.deepEqual(await states(one, other), ["queued", "queued"]);
  assert.match(await kept(batch), /^2 payouts of this file/);
  await anna.post(`payouts/${one}/take`);
  await anna.post(`payouts/${one}/sent`, { bank_reference: freshReference() });
  const words = await kept(batch);
  for (const id of [one, other]) assert.ok(words.includes(documentOf(id)), words);
  await trade.refusedWithoutTrace(422, [[path, {}]]);
  const looked = await trade.audited(() => boris.post(path, { not_for_bank: true }));
  assert.deepEqual(Buffer.from(looked.answer.content, "base64"), bytes, "to look at it");
  assert.match(looked.answer.filename, /-not-for-bank\.csv$/);
  const over = { not_for_bank: [one, other].map(documentOf) };
  assert.deepEqual(looked.logged, ["payout_batch.reveal", batch, null, over]);
  // The other one goes into a file of its own, which is for the bank until it is answered.
  const { batch_id } = await anna.post("payout-batches", { format: "csv", payouts: [other] });
  assert.ok((await fileOf(batch_id)).includes(documentOf(other)));
  const named = await boris.post(`payout-batches/${batch_id}/file`, { not_for_bank: true });
  assert.match(named.filename, /^payouts-\w{12}\.csv$/);
  assert.match(await kept(batch), /^2 payouts of this file/, "by another file");
  const sent = results(`${documentOf(other)};sent;${freshReference()};`);
  await anna.post(`payout-batches/${batch_id}/results`, sent);
  assert.match(await kept(batch_id), /^1 payouts of this file/, "the bank has sent it");
});

it("422: a file with a payout of which an earlier file is said to have sent it is not for the bank", async () => {
  const [first, one, other] = await inFile();
  const again = [one, other].map((id) => `${documentOf(id)};retry;;Лимит банка`);
  await anna.post(`payout-batches/${first}/results`, results(...again));
  await trade.pass(MINUTE);
  const { batch_id } = await anna.post("payout-batches", { format: "csv", payouts: [one, other] });
  await fileOf(batch_id);
  const late = results(`${documentOf(other)};sent;by-the-first;`);
  assert.equal((await anna.post(`payout-batches/${first}/results`, late)).conflicts, 1);
  assert.deepEqual(await states(one, other), ["sending", "sending"]);
  const words = await kept(batch_id);
  assert.ok(words.includes(documentOf(other)) && !words.includes(documentOf(one)), words);
});

it("422: one row that cannot be refuses the whole file, by its row", async () => {
  const [batch, one, other] = await inFile();
  const [, stranger] = await inFile();
  const proven = freshReference();
  const done = await made();
  await anna.post(`payouts/${done}/take`);
  await anna.post(`payouts/${done}/sent`, { bank_reference: proven });
  const good = `${documentOf(one)};sent;${freshReference()};`;
  const twice = `${documentOf(other)};sent;${good.split(";")[2]};`;
  const wrong: [row: string, words: RegExp][] = [
    [`${documentOf(stranger)};sent;${freshReference()};`, /^Row 3 .* no payout of this batch/],
    [`${documentOf(other)};done;${freshReference()};`, /^Row 3 .* state must be/],
    // A reason for each of 500 payouts is more than most doors take.
    [`${documentOf(other)};done;;${"ж".repeat(100_000)}`, /^Row 3 .* state must be/],
    [`${documentOf(other)};sent;;`, /^Row 3 .* needs a reference/],
    [`${documentOf(other)};not_sent;;`, /^Row 3 .* needs a reference/],
    [`${documentOf(other)};sent;${proven};`, /^Row 3 .* needs a reference/],
    [`${documentOf(other)};sent;${CARD};`, /^Row 3 .* needs a reference/],
    [good, /^Row 3 .* second time/],
    [twice, /^Row 3 .* second time/],
    [good.toLowerCase(), /^Row 3 .* second time/],
    [twice.toLowerCase(), /^Row 3 .* second time/],
    [`${documentOf(other)};sent`, /^Row 3 .* 2 columns instead of 4/],
    [`${documentOf(other)};sent;"x`, /cut/],
  ];
  const path = `payout-batches/${batch}/results`;
  for (const [row, words] of wrong) {
    const [status, [said = ""]] = await anna.refused(path, results(good, row));
    assert.equal(status, 422, row);
    assert.match(said, words, row);
  }
  await trade.refusedWithoutTrace(422, [
    ...wrong.map(([row]) => [path, results(good, row)] as const),
    ...["", "no base64!", 7, null].map((content) => [path, { content }] as const),
  ]);
  assert.deepEqual(await states(one, other), ["sending", "sending"]);
});

it("422: one receipt proves one payout, whatever invisible letters it is written with, in files and by hand", async () => {
  const [batch, one, other] = await inFile();
  const done = await made();
  await anna.post(`payouts/${done}/take`);
  await anna.post(`payouts/${done}/sent`, { bank_reference: "REF-\u00ad 1\u200b" });
  const { bank_reference } = (await own.get(`payouts/${done}`)).payout;
  assert.equal(bank_reference, "REF- 1", "kept as everybody sees it");
  const path = `payout-batches/${batch}/results`;
  const taken = await made();
  await anna.post(`payouts/${taken}/take`);
  for (const hidden of [...INVISIBLE, "\u00a0", "\u3000"]) {
    for (const written of [`REF- 1${hidden}`, `${hidden}REF- 1`, `REF-${hidden} 1`]) {
      const [status, [said = ""]] = await anna.refused(
        path,
        results(`${documentOf(one)};sent;${written};`),
      );
      assert.deepEqual([status, said.slice(0, 5)], [422, "Row 2"], encodeURIComponent(written));
      const byHand = await anna.refused(`payouts/${taken}/sent`, { bank_reference: written });
      assert.equal(byHand[0], 422, encodeURIComponent(written));
    }
    const twice = [`${documentOf(one)};sent;new- 1;`, `${documentOf(other)};sent;new-${hidden} 1;`];
    assert.match((await anna.refused(path, results(...twice)))[1][0] ?? "", /second time/);
    const nothing = results(`${documentOf(one)};sent;${hidden};`);
    assert.match((await anna.refused(path, nothing))[1][0] ?? "", /needs a reference/);
    assert.equal((await anna.refused(`payouts/${taken}/sent`, { bank_reference: hidden }))[0], 422);
  }
  assert.deepEqual(await states(one, other, taken), ["sending", "sending", "sending"]);
});

it("413: an answer of 2.3 MB is read, as the manual says, and one of 2.4 MB is not", async () => {
  const [batch] = await inFile();
  const path = `payout-batches/${batch}/results`;
  const statusOf = async (bytes: number): Promise<number> =>
    (await anna.refused(path, { content: Buffer.alloc(bytes, "x").toString("base64") }))[0];
  assert.deepEqual([await statusOf(2_300_000), await statusOf(2_400_000)], [422, 413]);
});

it("404 and 422: what is not there, not so, and not said, without a trace", async () => {
  const id = await made();
  const good = { format: "csv", payouts: [id] };
  await trade.refusedWithoutTrace(404, [
    [`payout-batches/${NOBODY}/file`, {}],
    [`payout-batches/${NOBODY}/results`, results("K1;sent;B1;")],
    ["payout-batches", { ...good, payouts: [NOBODY, id] }],
  ]);
  await trade.refusedWithoutTrace(
    422,
    [
      { format: "xls" },
      { payouts: [] },
      { payouts: [id, id] },
      { limit: 0 },
      { limit: 501 },
      { service: "sbp" },
      { currency: "USD" },
      { account: "1" },
      { service: "qiwi" },
      { format: "1c" },
    ].map((wrong) => ["payout-batches", { ...good, ...wrong }] as const),
  );
  await pauseRail(gateway, "file");
  assert.deepEqual(await anna.refused("payout-batches", good), [422, ["The rail file is paused."]]);
  await resumeRail(gateway, "file");
  await anna.post("payout-batches", good);
});
