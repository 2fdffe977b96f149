// The operator's own money through /manage: what was there, what came, what is taken, each once, and never more
// than there is.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import fc from "fast-check";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";
import { SEED_VARIABLE } from "../../../test/property.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));

const requisite_id = "00000000-0000-4000-8000-000000000101";
/** Nothing is opened on these before their tests. */
const [SECOND, THIRD] = [102, 103].map((end) => `00000000-0000-4000-8000-000000000${end}`);
const reason = "of the operator";
const balance = async (account: string): Promise<number> => {
  const answer = await own.ask(`accounts/${account}`);
  return answer.status === 404 ? 0 : Math.round(answer.body.data.balance * 100);
};
const balances = () =>
  Promise.all(
    ["own.RUB", "fees.RUB", "bank_out.RUB", "suspense.RUB", `bank.RUB.${requisite_id}`].map(
      balance,
    ),
  );

it("200: what was there before, and what was said of it too much", async () => {
  const wish = { kind: "opening", requisite_id: requisite_id.toUpperCase(), amount: 500.5 };
  const body = { ...wish, reference: "first day", reason };
  const { answer, logged } = await trade.audited(() => own.post("own-moves", body));
  const { own_move_id } = answer;
  assert.deepEqual(answer, {
    own_move_id,
    kind: "opening",
    account: "own",
    amount: 500.5,
    currency: "RUB",
    requisite_id,
    transfer_id: null,
    reference: "first day",
    reason,
    author: "sandbox",
    created_at: trade.now(),
  });
  assert.deepEqual(logged, ["own_move.create", own_move_id, null, answer]);
  assert.deepEqual(await balances(), [50_050, 0, 0, 0, 50_050]);
  await own.post("own-moves", { ...body, kind: "opening_back", amount: 0.5 });
  assert.deepEqual(await balances(), [50_000, 0, 0, 0, 50_000]);
});

it("200: own money that came as a transfer leaves suspense, once", async () => {
  const told = { requisite_id, amount: 70, reference: "own money" };
  const { transfer_id } = await own.post("transfers", told);
  const body = { kind: "deposit", transfer_id, amount: 70, reference: "mine", reason };
  assert.deepEqual(await own.refused("own-moves", { ...body, amount: 71 }), [
    422,
    ["The transfer is of another amount: 70.00."],
  ]);
  await trade.refusedWithoutTrace(422, [["own-moves", { ...body, amount: 71 }]]);
  const done = await own.post("own-moves", body);
  assert.deepEqual([done.requisite_id, done.transfer_id], [requisite_id, transfer_id]);
  assert.deepEqual(await balances(), [57_000, 0, 0, 0, 57_000]);
  assert.deepEqual((await own.get("transfers?state=cleared")).items[0].transfer_id, transfer_id);
  assert.deepEqual(await own.post("own-moves", body), done);
  const again = { ...body, reference: "mine again" };
  assert.equal((await own.refused("own-moves", again))[0], 422);
  assert.equal((await own.refused(`transfers/${transfer_id}/return`, { reason }))[0], 422);
});

it("200: what is taken stands in bank_out; never more than there is, whoever asks at once", async () => {
  const order = await trade.order();
  await trade.pay(order);
  const fees = await balance("fees.RUB");
  assert.ok(fees > 100);
  const take = (reference: string, amount: number, account = "fees") =>
    own.ask("own-moves", { kind: "withdrawal", account, amount, reference, reason });
  const took = await Promise.all([1, 2, 3].map((one) => take(`fees ${one}`, fees / 100)));
  assert.deepEqual(took.map(({ status }) => status).toSorted(), [200, 422, 422]);
  const refused = took.find(({ status }) => status === 422);
  assert.deepEqual(refused?.body.error, ["The fees account holds 0.00."]);
  assert.equal((await take("all of it", 570, "own")).status, 200);
  assert.equal((await take("a kopeck", 0.01, "own")).status, 422);
  const [mine, taken, out] = await balances();
  assert.deepEqual([mine, taken, out], [0, 0, fees + 57_000]);
});

it("200: is listed by kind and period, the newest first", async () => {
  await trade.pass(DAY);
  const from = trade.now();
  const body = { kind: "opening", requisite_id, amount: 1, reason };
  for (const reference of ["a", "b"]) {
    trade.tick();
    await own.post("own-moves", { ...body, reference });
  }
  const found = async (query: string) =>
    (await own.get(`own-moves?${query}`)).items.map((one: { reference: string }) => one.reference);
  assert.deepEqual(await found(`from=${from}`), ["b", "a"]);
  assert.deepEqual(await found("kind=opening&limit=1"), ["b"]);
  assert.deepEqual(await found("kind=deposit"), ["mine"]);
  assert.deepEqual(await found(`from=${from}&kind=withdrawal`), []);
});

it("422 and 404: other content under a reference, and what does not go together, without a trace", async () => {
  const body = { kind: "opening", requisite_id, amount: 3, reference: "one", reason };
  const done = await own.post("own-moves", body);
  assert.deepEqual(await own.post("own-moves", body), done);
  assert.deepEqual(await own.refused("own-moves", { ...body, amount: 4 }), [
    422,
    ["The reference field belongs to another move of this kind with other content."],
  ]);
  const fresh = { ...body, reference: "two" };
  const wrong = [
    { ...body, reason: "another" },
    { ...body, requisite_id: NOBODY },
    { account: "fees" },
    { requisite_id: undefined },
    { transfer_id: NOBODY },
    { kind: "withdrawal" },
    { kind: "deposit" },
    { kind: "gift" },
    { account: "suspense" },
    { amount: 0 },
    { amount: -1 },
    { amount: 1.001 },
    { reference: "" },
    { reason: "" },
    { kind: "withdrawal", requisite_id: undefined, currency: "XXX" },
  ].map((changes) => ["own-moves", { ...fresh, ...changes }] as const);
  await trade.refusedWithoutTrace(422, wrong);
  await trade.refusedWithoutTrace(404, [
    ["own-moves", { ...fresh, requisite_id: NOBODY }],
    ["own-moves", { ...fresh, kind: "deposit", requisite_id: undefined, transfer_id: NOBODY }],
  ]);
});

it("422: an opening goes back up to what was opened on that requisite, and to what own money holds", async () => {
  const held = await balance("own.RUB");
  const move = { kind: "opening", requisite_id: SECOND, amount: 500, reference: "second", reason };
  await own.post("own-moves", move);
  const back = (amount: number) =>
    own.refused("own-moves", { ...move, kind: "opening_back", amount });
  const refusal = (limit: string) => [
    422,
    [`Of the openings of this requisite, ${limit} can go back.`],
  ];
  assert.deepEqual(await back(500.01), refusal("500.00"));
  const { requisite_id: _, ...rest } = move;
  await own.post("own-moves", { ...rest, kind: "withdrawal", amount: held / 100 + 400 });
  assert.deepEqual(await back(100.01), refusal("100.00"));
  await assert.rejects(
    gateway.app.db.query(
      `insert into own_moves (id, kind, account, currency, amount_minor, requisite_id, reference,
         reason, author, created_at)
       select gen_random_uuid(), 'opening_back', account, currency, amount_minor + 1, requisite_id,
         'too much', reason, author, created_at
       from own_moves where kind = 'opening' and requisite_id = $1`,
      [SECOND],
    ),
    { code: "23514" },
  );
});

it("a generated sequence: own money is what the moves add up to, and never below zero", async () => {
  const move = fc.record({
    kind: fc.constantFrom("opening", "opening_back", "withdrawal"),
    place: fc.constantFrom(SECOND, THIRD),
    minor: fc.integer({ min: 1, max: 30_000 }),
  });
  const seed = process.env[SEED_VARIABLE];
  const moves = fc.sample(move, { numRuns: 60, ...(seed && { seed: Number(seed) }) });
  let held = await balance("own.RUB");
  const opened = new Map([[SECOND, 50_000]]);
  for (const [index, { kind, place, minor }] of moves.entries()) {
    const isOpening = kind !== "withdrawal";
    const there = isOpening ? (opened.get(place) ?? 0) : held;
    const gain = kind === "opening" ? minor : -minor;
    const { status } = await own.ask("own-moves", {
      kind,
      amount: minor / 100,
      reference: `generated ${index}`,
      reason,
      ...(isOpening && { requisite_id: place }),
    });
    const isRight = gain > 0 || minor <= Math.min(there, held);
    assert.equal(status, isRight ? 200 : 422, JSON.stringify(moves.slice(0, index + 1)));
    if (!isRight) continue;
    held += gain;
    if (isOpening) opened.set(place, there + gain);
  }
  assert.equal(await balance("own.RUB"), held);
});
