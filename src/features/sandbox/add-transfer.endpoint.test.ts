// POST /sandbox/transfers over HTTP, by status. What it does to money is told in test/life.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const TOKEN = "Bearer sandbox_operator_token";
const CARD = "2202200000000007";

const { gateway } = await openOneGateway();

const add = (body: unknown) =>
  gateway.call("/sandbox/transfers", { body, headers: { authorization: TOKEN } });

it("200: finds the payment by card and by phone, and says so", async () => {
  for (const service of ["p2p_card", "p2p_sbp"]) {
    const { body } = await createInvoice(gateway, { include_service: [service] });
    const { wallet, amount } = (await createH2h(gateway, body.data.id)).body.data;
    const answer = await add({ wallet, amount: Number(amount) });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body.data), [
      ...["transfer_id", "state", "invoice_id", "fresh"],
    ]);
    assert.equal(answer.body.data.fresh, true);
    assert.equal(answer.body.data.state, "matched");
    assert.equal(answer.body.data.invoice_id, body.data.id);
  }
});

it("200: takes many at once, each for itself", async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => add({ wallet: CARD, amount: 5 + n })),
  );
  assert.ok(answers.every(({ body }) => body.data.state === "suspense"));
  assert.equal(new Set(answers.map(({ body }) => body.data.transfer_id)).size, 40);
  await assertBooksAreRight(gateway);
});

it("of two amounts under one reference that arrive together one is stored, the other refused", async () => {
  const words = "The reference field belongs to another transfer, with another amount.";
  for (let round = 0; round < 5; round += 1) {
    const reference = `together ${round}`;
    const amounts = [11, 12, 11, 12, 13, 11];
    const answers = await Promise.all(
      amounts.map((amount) => add({ wallet: CARD, amount, reference })),
    );
    const stored = await gateway.app.db.query<{ id: string; amount_minor: bigint }>(
      "select id, amount_minor from transfers where reference = $1",
      [reference],
    );
    assert.equal(stored.length, 1);
    for (const [index, amount] of amounts.entries()) {
      const answer = answers[index] ?? assert.fail();
      const isSame = stored[0]?.amount_minor === BigInt(amount) * 100n;
      assert.equal(answer.status, isSame ? 200 : 422, answer.text);
      if (isSame) assert.equal(answer.body.data.transfer_id, stored[0]?.id);
      else assert.equal(answer.body.error, words);
    }
    const fresh = answers.filter(({ body }) => body.data?.fresh === true);
    assert.equal(fresh.length, 1, "one has brought it, the others have repeated it");
  }
  await assertBooksAreRight(gateway);
});

it("200: whatever the bank says of the payer", async () => {
  for (const payer of [
    "1         2",
    "1 - - - - 2 - - 3",
    "Иван 0        0 П.",
    "- - - - - - - -",
  ]) {
    const answer = await add({ wallet: CARD, amount: 7, payer });
    assert.equal(answer.status, 200, answer.text);
  }
  await assertBooksAreRight(gateway);
});

it("422 in the words of POST /manage/transfers, which is the same door", async () => {
  for (const [body, message] of [
    [{ amount: 1 }, "The wallet field is required."],
    [{ wallet: CARD, amount: 1.005 }, "The amount field must have at most two decimals."],
    [
      { wallet: "2202200000000006", amount: 1 },
      "The wallet field is no card or phone of a requisite.",
    ],
  ] as const) {
    const answer = await add(body);
    assert.deepEqual([answer.status, answer.body.error], [422, message]);
  }
});
