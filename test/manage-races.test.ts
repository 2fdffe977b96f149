// Two operators at once, each at a gateway of their own on one PostgreSQL: of two changes that exclude
// each other one is made, and the audit log tells of that one alone. Those of money: torture/races.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { returnTransfer } from "../src/features/transfers/transfers.ts";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import { createInvoice, USER } from "./cast.ts";
import {
  type Answer,
  onPostgres,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { type Manage, manage } from "./manage.ts";
import { DAY, type Orders, orders } from "./orders.ts";
import { insistent, mayTakeLong } from "./patience.ts";
import { openCard, openPhone } from "./phone.ts";

const ROUNDS = 4;
const FIRST_CARD = "00000000-0000-4000-8000-000000000101";
const LAST_CARD = "00000000-0000-4000-8000-000000000106";
const SANDBOX_OPERATOR = "00000000-0000-4000-8000-000000000008";

onPostgres("two operators at once", () => {
  let database: TestDatabase;
  let gateways: Awaited<ReturnType<typeof open>>[] = [];
  let own: Manage;
  let trade: Orders;
  const clock = new TestClock();
  const open = async () => {
    const config = testConfig(database.config);
    const gateway = await startGateway({ config, clock, log: openLog("silent") });
    return { ...gateway, clock, ...insistent(gateway) };
  };
  const first = () => gateways[0] ?? assert.fail("no gateway");
  const second = () => gateways[1] ?? assert.fail("no gateway");
  before(async () => {
    database = await openTestDatabase("postgres");
    gateways = [await open(), await open()];
    own = manage(first());
    trade = orders(first());
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
  });
  afterEach(() => assertBooksAreRight(first()));

  /** Both calls at the same time, each at its own gateway. */
  const both = (left: Ask, right: Ask = left): Promise<Answer[]> =>
    Promise.all([
      manage(first(), left.token).ask(left.path, left.body),
      manage(second(), right.token).ask(right.path, right.body),
    ]);
  const rounds = async (race: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      // Past every quarantine, and every row of this round is newer than the last round's.
      clock.advance(2 * DAY);
      await trade.pass(0);
      await race(round);
    }
  };
  const assertOneWins = (answers: readonly Answer[]): void => {
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, 422], answers.map(({ text }) => text).join("\n"));
  };

  it("money that goes back while somebody tells of it is not what they tell of", async () => {
    clock.advance(2 * DAY);
    await trade.pass(0);
    const order = await trade.order();
    const { wallet, amount } = order;
    const [phone, card] = [await openPhone(first()), openCard(first(), wallet)];
    // The first one begins the balances.
    for (const text of [card.income(1.01), card.forged(amount)]) await phone.hears(text);
    const { items } = await own.get("transfers?state=suspense&limit=1");
    const [{ transfer_id: transferId, suspense_reason }] = items;
    assert.equal(suspense_reason, "balance_break");
    const told = { wallet, amount, reference: "bank-1" };
    const { app } = second();
    let telling: Promise<Awaited<ReturnType<Manage["post"]>>> | undefined;
    await app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      await returnTransfer(tx, app, { transferId, author: "anna", reason: "it never came" });
      telling = own.post("transfers", told);
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await first().app.db.query(waiting, [])).length === 0) await sleep(5);
    });
    const money = await telling;
    assert.deepEqual(
      [money.fresh, money.joined, money.state, money.suspense_reason],
      [true, false, "suspense", "maybe_known"],
    );
  });

  /** What a change keeps nobody from while it waits for rows that somebody else has. */
  const keepsFree = async (held: string, { path, body }: Ask, free: string): Promise<void> => {
    let asked: Promise<unknown> | undefined;
    await second().app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      await tx.query(`${held} for no key update`);
      asked = own.post(path, body);
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await first().app.db.query(waiting, [])).length === 0) await sleep(5);
      const got = await first().app.db.query(`${free} for no key update skip locked`, []);
      assert.equal(got.length, 1, `${path} waits for one row and holds the other`);
    });
    await asked;
  };

  it("two numbers that change at once wait for each other in one order", async () => {
    const row = (id: string) => `select id from requisites where id = '${id}'`;
    const body = { phone: "+79991230106" };
    await keepsFree(row(FIRST_CARD), { path: `requisites/${LAST_CARD}`, body }, row(LAST_CARD));
  });

  it("a person who is given another name and role, or is revoked, waits with no operator locked", async () => {
    const wish = { email: "two@example.org", name: "Two", language: "en", desk_role: "viewer" };
    const { person } = await own.post("people", wish);
    const id = person.person_id;
    const row = (table: string, of: string) => `select id from ${table} where id = '${of}'`;
    const changer = row("operators", SANDBOX_OPERATOR);
    const body = { name: "Three", desk_role: "cashier" };
    await keepsFree(changer, { path: `people/${id}`, body }, row("operators", id));
    await keepsFree(row("people", id), { path: `operators/${id}/revoke`, body: {} }, changer);
    assert.deepEqual((await own.get(`people/${id}`)).desk_role, null);
  });

  it("two rotations at once follow each other: one key is left", async () => {
    const { shop } = await own.post("shops", { user_id: USER.id, name: "Rotates" });
    const { shop_id } = shop;
    await rounds(async () => {
      const answers = await both({ path: "keys/rotate", body: { shop_id, overlap_hours: 0 } });
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
      const open = answers.map(async ({ body }) => {
        const key = { id: shop_id, key: body.data.secret };
        return (await createInvoice(first(), {}, key)).status !== 401;
      });
      assert.deepEqual((await Promise.all(open)).toSorted(), [false, true]);
      const { items } = await own.get(`keys?shop_id=${shop_id}`);
      const living = items.filter((one: { ends_at: string | null }) => one.ends_at === null);
      assert.equal(living.length, 1);
    });
  });

  it("the last two operators revoke themselves: one has to stay", async () => {
    await rounds(async () => {
      const { operator, token } = await own.post("operators", { name: "Two", role: "operator" });
      const id = operator.operator_id;
      const answers = await both(
        { path: `operators/${SANDBOX_OPERATOR}/revoke`, body: {} },
        { path: `operators/${id}/revoke`, body: {}, token },
      );
      assertOneWins(answers);
      const { db } = first().app;
      const living = await db.query<{ id: string }>(
        "select id from operators where role = 'operator' and revoked_at is null",
      );
      assert.equal(living.length, 1);
      // The next round begins with the sandbox's operator alone.
      await db.query("update operators set revoked_at = null where id = $1", [SANDBOX_OPERATOR]);
      await db.query("update operators set revoked_at = created_at where id = $1", [id]);
    });
  });
});

interface Ask {
  readonly path: string;
  readonly body: unknown;
  readonly token?: string;
}
