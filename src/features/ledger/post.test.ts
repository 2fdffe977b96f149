// What the ledger takes and what the database refuses of it, whatever the code above would write.

import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { USER } from "../../../test/cast.ts";
import { ENGINES } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { mayTakeLong, untilFree } from "../../../test/patience.ts";
import { freezeOver, type Posting, refunded, suspenseAssigned } from "../../domain/posting.ts";
import { post } from "./post.ts";

const REQUISITE = "00000000-0000-4000-8000-000000000101";

interface Balance {
  readonly currency: string;
  readonly available: bigint;
  readonly frozen: bigint;
}

const { gateway, own } = await openOneGateway();
const { app } = gateway;
const ledger = {
  /** Money of nobody in particular becomes the user's. */
  credit: (userId: string, amountMinor = 100n, feeMinor = 6n, sourceId = app.newId()): Posting =>
    suspenseAssigned({
      sourceId,
      userId,
      requisiteId: REQUISITE,
      currency: "RUB",
      amountMinor,
      feeMinor,
    }),
  write: (postings: readonly Posting[]) => app.db.transaction((tx) => post(tx, app, postings)),
  balances: (userId: string) =>
    app.db.query<Balance>(
      `select currency, available_minor as available, frozen_minor as frozen
       from ledger_balances where user_id = $1 order by currency`,
      [userId],
    ),
  newUser: async (): Promise<string> => (await own.post("users", { name: "New" })).user.user_id,
};

const countPostings = async (): Promise<number> =>
  (await gateway.app.db.query("select from ledger_postings")).length;

it("adds up the balances of a set, each user's and each currency's for itself", async () => {
  const [first, second] = [await ledger.newUser(), await ledger.newUser()];
  const dollars = { ...ledger.credit(first, 50n, 0n), currency: "USD" };
  await ledger.write([
    ledger.credit(second),
    ledger.credit(first),
    dollars,
    ledger.credit(first, 1_000n),
    freezeOver({ ...one(first), amountMinor: 94n }),
  ]);
  assert.deepEqual(await ledger.balances(first), [
    { currency: "RUB", available: 94n, frozen: 994n },
    { currency: "USD", available: 0n, frozen: 50n },
  ]);
  assert.deepEqual(await ledger.balances(second), [
    { currency: "RUB", available: 0n, frozen: 94n },
  ]);
});

const one = (userId: string) => ({ sourceId: gateway.app.newId(), currency: "RUB", userId });

it("takes nothing that is not there, and then nothing of the whole set", async () => {
  const user = await ledger.newUser();
  const postings = await countPostings();
  for (const set of [
    [refunded({ ...one(user), amountMinor: 1n })],
    [ledger.credit(user, 100n, 6n), freezeOver({ ...one(user), amountMinor: 95n })],
  ]) {
    await assert.rejects(ledger.write(set), { code: "23514" });
  }
  assert.deepEqual(await ledger.balances(user), []);
  assert.equal(await countPostings(), postings);
});

const insert = (columns: Readonly<Record<string, unknown>>): Promise<unknown> => {
  const row = {
    id: gateway.app.newId(),
    source_id: gateway.app.newId(),
    kind: "suspense_assigned",
    currency: "RUB",
    created_at: gateway.app.clock.now(),
    ...columns,
  };
  const names = Object.keys(row);
  return gateway.app.db.query(
    `insert into ledger_postings (${names}) values (${names.map((_, n) => `$${n + 1}`)})`,
    Object.values(row),
  );
};

it("a posting that does not sum to zero is refused by the database", async () => {
  const good = { user_id: USER.id, suspense_minor: -100n, frozen_minor: 94n, fees_minor: 6n };
  await insert(good);
  for (const wrong of [{ fees_minor: 7n }, { fees_minor: 0n }, { bank_out_minor: 1n }]) {
    await assert.rejects(insert({ ...good, ...wrong }), {
      code: "23514",
      constraint: "ledger_postings_sum_to_zero",
    });
  }
});

it("one that moves nothing is refused, too", async () => {
  await assert.rejects(insert({}), { constraint: "ledger_postings_move_money" });
});

it("a posting moves a user's accounts only with the user, and a bank's only with the requisite", async () => {
  const user = { frozen_minor: -5n, available_minor: 5n };
  const bank = { bank_minor: -5n, suspense_minor: 5n };
  const fees = { suspense_minor: -5n, fees_minor: 5n };
  const noUser = { constraint: "ledger_postings_have_a_user" };
  const noBank = { constraint: "ledger_postings_have_a_requisite" };
  await assert.rejects(insert(user), noUser);
  await assert.rejects(insert({ ...fees, user_id: USER.id }), noUser);
  await assert.rejects(insert(bank), noBank);
  await assert.rejects(insert({ ...fees, requisite_id: REQUISITE }), noBank);
  await insert({ ...user, user_id: USER.id });
  await insert({ ...bank, requisite_id: REQUISITE });
});

it("a second posting of one kind for one source is refused", async () => {
  const user = await ledger.newUser();
  const sourceId = gateway.app.newId();
  await ledger.write([ledger.credit(user, 100n, 6n, sourceId)]);
  const before = await ledger.balances(user);
  const again = ledger.write([ledger.credit(user, 70n, 6n, sourceId)]);
  await assert.rejects(again, { code: "23505", constraint: "ledger_postings_pkey" });
  assert.deepEqual(await ledger.balances(user), before);
});

it("postings cannot be changed", async () => {
  await ledger.write([ledger.credit(USER.id)]);
  const postings = await countPostings();
  for (const change of [
    "update ledger_postings set kind = 'refund'",
    "update ledger_postings set created_at = created_at where false",
    "delete from ledger_postings",
    "truncate ledger_postings",
  ]) {
    await assert.rejects(gateway.app.db.query(change), { code: "23001" }, change);
  }
  assert.equal(await countPostings(), postings);
});

/** The test's own limit ends the waiting. */
const somebodyWaits = async (): Promise<void> => {
  const text = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await gateway.app.db.query(text)).length === 0) await sleep(2);
};

const skip = !ENGINES.includes("postgres") && "needs PostgreSQL";
it("a user's first two credits at once open one balance", { skip }, async () => {
  const { credit, write, balances, newUser } = ledger;
  for (const outcome of ["committed", "undone"]) {
    const user = await newUser();
    const posted = Promise.withResolvers<void>();
    const followed = Promise.withResolvers<void>();
    const first = app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      await post(tx, app, [credit(user, 100n)]);
      posted.resolve();
      await followed.promise;
      if (outcome === "undone") throw new Error(outcome);
    });
    await posted.promise;
    const second = untilFree(() => write([credit(user, 1_000n)]));
    await somebodyWaits();
    followed.resolve();
    if (outcome === "undone") await assert.rejects(first, /undone/);
    else await first;
    await second;
    const frozen = outcome === "undone" ? 994n : 1_088n;
    assert.deepEqual(await balances(user), [{ currency: "RUB", available: 0n, frozen }]);
  }
});
