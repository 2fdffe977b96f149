// A row that another session holds: calls that need it are answered 503, all others go on, and a gateway that
// freezes in the midst of a transaction loses its locks.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import pg from "pg";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { assertBooksAreRight } from "./books.ts";
import { type CastShop, createH2h, createInvoice, OTHER_SHOP, SHOP, USER } from "./cast.ts";
import {
  type Answer,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { OPERATOR_TOKEN } from "./manage.ts";
import { templateOrigin, through } from "./orders.ts";
import { insistent } from "./patience.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

type Caller = Parameters<typeof createInvoice>[0];

/** Details that were given out, and whose invoice they are for. */
interface Given {
  readonly invoiceId: string;
  readonly wallet: string;
  readonly amount: number;
}

/** So many of everybody else's calls go together with those that need the held row. */
const OTHERS = 12;

/** A busy machine may refuse one now and then; a call that needs the row is refused every time. */
const BUSY_TRIES = 6;

onPostgres("a row that somebody else holds", () => {
  let database: TestDatabase;
  let gateways: [Gateway, Gateway];
  let holder: pg.Client;
  let amount = 1_000;

  before(async () => {
    database = await openTestDatabase("postgres", templateOrigin());
    const config = testConfig(database.config);
    const start = () => startGateway({ config, log: openLog("silent") });
    gateways = [await start(), await start()];
    holder = new pg.Client({ connectionString: database.config.databaseUrl });
    await holder.connect();
  });
  after(async () => {
    killLeftovers();
    await holder.end();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
  });

  const at = (index: number): Caller => through(gateways[index % 2] as Gateway);

  const order = async (shop: CastShop, sum = amount++): Promise<string> => {
    const { body } = await createInvoice(insistent(gateways[0]), { amount: sum }, shop);
    return body.data.id;
  };
  const detailsOf = async (invoiceId: string, shop: CastShop): Promise<Given> => {
    const { body, text } = await createH2h(insistent(gateways[0]), invoiceId, {}, shop);
    assert.ok(body.data, text);
    return { invoiceId, wallet: body.data.wallet, amount: Number(body.data.amount) };
  };
  const give = async (shop: CastShop): Promise<Given> => detailsOf(await order(shop), shop);
  /** Through both of the doors for money, in turn. */
  let payments = 0;
  const pay = (caller: Caller, { invoiceId, wallet, amount: sum }: Given): Promise<Answer> => {
    payments += 1;
    const body = { wallet, amount: sum, reference: `for ${invoiceId}` };
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    return caller.call(payments % 2 ? "/sandbox/transfers" : "/manage/transfers", {
      body,
      headers,
    });
  };
  const requisiteOf = async ({ invoiceId }: Given): Promise<string> => {
    const text = "select requisite_id as id from payments where invoice_id = $1";
    const [row] = await gateways[0].app.db.query<{ id: string }>(text, [invoiceId]);
    return row?.id ?? "";
  };

  /** Calls that need the row are sent together with others, so that they share batches. */
  async function holding(
    statement: string,
    values: readonly string[],
    concerned: readonly (() => Promise<Answer>)[],
    others: readonly (() => Promise<Answer>)[],
  ): Promise<Answer[]> {
    await holder.query("begin");
    const { rowCount } = await holder.query(`${statement} for update`, [...values]);
    assert.ok(rowCount !== null && rowCount > 0, "nothing is held");
    const [refused, answered] = await Promise.all([
      Promise.all(concerned.map((ask) => ask())),
      Promise.all(others.map((ask) => untilAnswered(ask, BUSY_TRIES))),
    ]).finally(() => holder.query("rollback"));
    for (const { status, headers } of refused) {
      assert.equal(status, 503);
      assert.ok(headers.get("retry-after"));
    }
    assert.deepEqual(new Set(answered.map(({ status }) => status)), new Set([200]));
    return Promise.all(concerned.map((ask) => untilAnswered(ask)));
  }

  const othersAsk = async (shop: CastShop): Promise<(() => Promise<Answer>)[]> => {
    const given: Given[] = [];
    const invoices: string[] = [];
    for (let index = 0; index < OTHERS; index += 1) {
      given.push(await give(shop));
      invoices.push(await order(shop));
    }
    return given.flatMap((one, index) => [
      () => pay(at(index >> 1), one),
      () => createH2h(at(index), invoices[index], {}, shop),
    ]);
  };

  function assertPaid(answers: readonly Answer[]): void {
    for (const { status, body, text } of answers) {
      assert.equal(status, 200, text);
      assert.equal(body.data.state, "matched");
    }
  }

  /** Rows that money and, of the first two, details need; and who of everybody else does not. */
  const HELD: readonly [name: string, statement: string, others: CastShop][] = [
    ["an invoice", "select from invoices where id = any($1::uuid[])", SHOP],
    ["a user's account", `select from ledger_balances where user_id = '${USER.id}'`, OTHER_SHOP],
  ];

  for (const [name, statement, shop] of HELD) {
    it(`${name}: calls that need it are answered 503, all others 200`, async () => {
      const others = await othersAsk(shop);
      const given = [await give(SHOP), await give(SHOP), await give(SHOP)] as const;
      const [replaced, ...paid] = given;
      const ids = given.map(({ invoiceId }) => invoiceId);
      const ofInvoices = statement.includes("$1");
      const bank = { payment_data: { bank: "tinkoff" } };
      const answers = await holding(
        statement,
        ofInvoices ? [`{${ids.join(",")}}`] : [],
        [
          ...paid.map((one) => () => pay(at(0), one)),
          ...(ofInvoices ? [() => createH2h(at(0), replaced.invoiceId, bank)] : []),
        ],
        others,
      );
      assertPaid(answers.slice(0, 2));
      for (const { status, text } of answers) assert.equal(status, 200, text);
    });
  }

  it("details that replace others lock the cards they need, and leave all others to everybody", async () => {
    const given = await give(SHOP);
    await holder.query("begin; lock table payments in share row exclusive mode");
    const asked = createH2h(at(0), given.invoiceId, { payment_data: { bank: "tinkoff" } });
    await seen("wait_event_type = 'Lock' and wait_event = 'relation'");
    const { rows } = await holder.query(
      `select (select count(*) from requisite_usage)::integer as cards, count(*)::integer as free
       from (select from requisite_usage for update skip locked) mine`,
    );
    await holder.query("commit");
    assert.equal((await asked).status, 200);
    const [{ cards, free }] = rows;
    assert.ok(cards - free <= 2, `${cards - free} of ${cards} cards were locked`);
  });

  it("a gateway frozen in the midst of a transaction: the others go on, and it does when it wakes", async () => {
    const [mine, ...theirs] = [await give(SHOP), await give(SHOP), await give(SHOP)];
    const env = { DATABASE_URL: database.config.databaseUrl ?? "", LOG_LEVEL: "error" };
    const frozen = runKopeck({ ...env, PORT: String(await freePort()) });
    await ready(frozen);
    await holder.query("begin");
    await holder.query("select from ledger_balances where user_id = $1 for update", [USER.id]);
    const answer = pay(insistent(frozen), mine as Given);
    await seen("wait_event_type = 'Lock'");
    frozen.child.kill("SIGSTOP");
    // What it waited for becomes its own now, and nobody is there to go on with it.
    await holder.query("rollback");
    await seen("state = 'idle in transaction'");
    const paid = theirs.map((given, n) => untilAnswered(() => pay(at(n), given), BUSY_TRIES));
    assertPaid(await Promise.all(paid));
    frozen.child.kill("SIGCONT");
    assertPaid([await answer]);
    frozen.child.kill("SIGTERM");
    assert.equal((await frozen.ended).code, 0);
    await assertBooksAreRight(gateways[0]);
  });

  /** Of some connection but the one that asks: in a transaction of its own, which would see no change. */
  const seen = (what: string): Promise<void> =>
    eventually(what, async () => {
      const text = `select from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and ${what}`;
      return (await gateways[1].app.db.query(text)).length > 0;
    });

  it("a requisite: what falls due for everybody else happens on time", async () => {
    const { db } = gateways[0].app;
    const given: Given[] = [];
    for (let count = 0; count < 4; count += 1) given.push(await give(SHOP));
    const [first] = given;
    assert.ok(first);
    const held = await requisiteOf(first);
    await holder.query("begin");
    await holder.query("select from requisite_usage where requisite_id = $1 for update", [held]);
    const ids = given.map(({ invoiceId }) => invoiceId);
    await db.query(
      `update payments set created_at = created_at - interval '1 hour',
         ends_at = ends_at - interval '1 hour', slot_until = slot_until - interval '1 hour'
       where invoice_id = any($1::uuid[])`,
      [ids],
    );
    await db.query(
      `update dues set due_at = due_at - interval '1 hour'
       where kind = 'lapse-payments' and id in (
         select id from payments where invoice_id = any($1::uuid[]))`,
      [ids],
    );
    const live = async (isHeld: boolean): Promise<number> => {
      const rows = await db.query(
        `select from payments where invoice_id = any($1::uuid[]) and state = 'live'
           and (requisite_id = $2) = $3`,
        [ids, held, isHeld],
      );
      return rows.length;
    };
    await eventually("the others' details lapse", async () => (await live(false)) === 0);
    assert.ok((await live(true)) > 0, "what is held waits");
    await holder.query("rollback");
    await eventually("what was held lapses", async () => (await live(true)) === 0);
    const filed = await db.query("select from failing_rows", []);
    assert.equal(filed.length, 0, "nobody is to blame");
  });
});

/** A gateway gives up after some seconds with 503, and whoever hears that asks again. */
async function untilAnswered(
  ask: () => Promise<Answer>,
  tries = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  for (let left = tries; ; left -= 1) {
    const answer = await ask();
    if (answer.status !== 503 || left === 1) return answer;
  }
}
