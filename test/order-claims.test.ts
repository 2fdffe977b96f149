// Orders once invoices lie in months: no index knows all of them, and an order is one invoice for ever. Two gateways
// whose clocks stand on either side of a month's end, so that each writes to a month of its own.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { changingPartitions, divideHistory } from "../src/features/history/partitions.ts";
import { startGateway } from "../src/gateway.ts";
import { firstIdAt } from "../src/platform/id.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { createH2h, createInvoice } from "./cast.ts";
import {
  migrateTestDatabase,
  onPostgres,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, HOUR, MINUTE } from "./orders.ts";
import { insistent } from "./patience.ts";

/** The last one that the version before knew. */
const BEFORE = 25;

/** What that version made of a database which it divided. */
const DIVIDED_BEFORE = `
  create trigger invoices_claim_order before insert on invoices
    for each row execute function claim_order();
  create trigger invoices_release_orders after delete on invoices
    referencing old table as gone for each statement execute function release_orders();
  select partition_table('invoices', 'id');
  select cut_partitions('invoices', array[first_id_at('2026-04-01Z'), first_id_at('2026-05-01Z')])`;

/** Another order like one that is there, as that version adds it; its id says which month it goes to. */
const ADDED_BEFORE = `
  insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor,
    currency, services, success_url, created_at, expires_at)
  select $1, shop_id, user_id, $2, content_digest, type, 'created', amount_minor, currency, services,
    success_url, created_at, expires_at
  from invoices where order_id = 'model'
  on conflict do nothing`;

for (const divided of ["by this version", "by the version before"] as const) {
  onPostgres(`orders in months, divided ${divided}`, () => {
    let database: TestDatabase;
    let client: pg.Client;
    const gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
    before(async () => {
      database = await openTestDatabase("postgres");
      client = new pg.Client({ connectionString: database.config.databaseUrl });
      await client.connect();
      if (divided === "by the version before") {
        await migrateAsBefore(database);
        await client.query(DIVIDED_BEFORE);
        await migrateTestDatabase(database);
      }
      const march = new TestClock();
      march.advance(30 * DAY + 15 * HOUR - MINUTE);
      // Minutes later, so that what is of March has not expired.
      const april = new TestClock();
      april.advance(30 * DAY + 15 * HOUR + MINUTE);
      const config = testConfig(database.config);
      for (const clock of [march, april]) {
        gateways.push(await startGateway({ config, clock, log: openLog("silent") }));
      }
      if (divided === "by this version") {
        await divide();
      }
      for (const [month, part] of ["invoices_first", "invoices_2026_04"].entries()) {
        const { id } = await place(month, month === 0 ? "model" : "another");
        const { rows } = await client.query(
          "select tableoid::regclass::text as part from invoices where id = $1",
          [id],
        );
        assert.deepEqual(rows, [{ part }]);
      }
    });
    after(async () => {
      await client.end();
      for (const gateway of gateways) await gateway.stop();
      await database.drop();
    });

    const at = (month: number) => insistent(gateways[month % 2] ?? assert.fail());
    /** Whoever else changes partitions, a gateway's job, is done in a moment. */
    const divide = () =>
      eventually("nobody else divides", async () => {
        const { db, clock } = gateways[0]?.app ?? assert.fail();
        const isDone = await changingPartitions(db, async (session) => {
          await divideHistory(session, clock.now(), () => {});
          return true;
        });
        return isDone === true;
      });
    async function place(month: number, orderId: string): Promise<{ id: string }> {
      const { status, text, body } = await createInvoice(at(month), { order_id: orderId });
      assert.equal(status, 200, text);
      return body.data;
    }
    const invoicesOf = async (orderId: string): Promise<string[]> => {
      const { rows } = await client.query(
        "select id from invoices where order_id = $1 order by id",
        [orderId],
      );
      return rows.map(({ id }) => id);
    };
    const isClaimed = async (orderId: string): Promise<boolean> =>
      (await client.query("select from orders where order_id = $1", [orderId])).rowCount === 1;

    it("who asks again gets the first answer, whatever month it is by then", async () => {
      const { id } = await place(0, "asked again");
      assert.equal((await place(1, "asked again")).id, id);
      const other = await createInvoice(at(1), { order_id: "asked again", amount: 7 });
      assert.equal(other.status, 422, other.text);
      assert.deepEqual(await invoicesOf("asked again"), [id]);
      assert.ok(await isClaimed("asked again"));
    });

    it("an order that is placed in both months at once is one invoice, for everybody", async () => {
      for (let round = 0; round < 10; round += 1) {
        const name = `at once ${round}`;
        const asked = Array.from({ length: 12 }, (_, index) => place(index, name));
        const beside = Array.from({ length: 12 }, (_, index) => place(index, `${name} ${index}`));
        const ids = new Set((await Promise.all(asked)).map(({ id }) => id));
        assert.deepEqual(await invoicesOf(name), [...ids]);
        assert.equal(new Set((await Promise.all(beside)).map(({ id }) => id)).size, 12);
      }
    });

    for (const end of ["commit", "rollback"] as const) {
      it(`who comes second waits for the first, and then for its ${end}`, async () => {
        const name = `second after ${end}`;
        const first = firstIdAt(new Date("2026-03-02T00:00:00Z")).replace(
          /.$/,
          end.slice(0, 1) === "c" ? "c" : "d",
        );
        await client.query("begin");
        assert.equal((await client.query(ADDED_BEFORE, [first, name])).rowCount, 1);
        const second = place(1, name);
        await somebodyWaits();
        await client.query(end);
        const { id } = await second;
        assert.equal(id === first, end === "commit");
        assert.deepEqual(await invoicesOf(name), [id]);
      });
    }

    it("code of the version before finds every order, and what it adds is found", async () => {
      const { id } = await place(0, "known");
      const other = firstIdAt(new Date("2026-04-02T00:00:00Z"));
      assert.equal((await client.query(ADDED_BEFORE, [other, "known"])).rowCount, 0);
      assert.deepEqual(await invoicesOf("known"), [id]);
      assert.equal((await client.query(ADDED_BEFORE, [other, "of before"])).rowCount, 1);
      assert.ok(await isClaimed("of before"));
      assert.equal((await place(0, "of before")).id, other);
    });

    it("who does not look is refused by the key", async () => {
      await place(0, "not looked for");
      await client.query("begin; set local kopeck.claims = 'once a statement'");
      const other = firstIdAt(new Date("2026-04-03T00:00:00Z"));
      await assert.rejects(client.query(ADDED_BEFORE, [other, "not looked for"]), {
        ...{ code: "23505", constraint: "orders_pkey" },
      });
      await client.query("rollback");
    });

    it("an order whose invoice was never used and is removed can be placed anew", async () => {
      const { id } = await place(0, "forgotten");
      await client.query("update invoices set state = 'expired' where id = $1", [id]);
      await client.query("delete from invoices where id = $1", [id]);
      assert.equal(await isClaimed("forgotten"), false);
      assert.notEqual((await place(1, "forgotten")).id, id);
      assert.ok(await isClaimed("forgotten"));
    });

    it("without one of the two guards the books are not right", async () => {
      const wrong = async (): Promise<string[]> => {
        const { rows } = await client.query("select detail from violations_of_guards()");
        return rows.map(({ detail }) => detail);
      };
      assert.deepEqual(await wrong(), []);
      for (const guard of ["invoices_claim_order", "invoices_claim_orders"]) {
        await client.query(`begin; drop trigger ${guard} on invoices`);
        assert.deepEqual(await wrong(), ["orders can have several invoices"], guard);
        await client.query("rollback");
      }
    });

    it("what an older command has divided is brought up to date by dividing once more", async () => {
      await client.query(`drop trigger invoices_claim_orders on invoices;
        create or replace trigger invoices_claim_order before insert on invoices
          for each row execute function claim_order()`);
      await divide();
      const { rows } = await client.query(
        `select tgname from pg_trigger where tgrelid = 'invoices'::regclass and tgqual is not null
         order by tgname`,
      );
      const names = rows.map(({ tgname }) => tgname);
      assert.deepEqual(names, ["invoices_claim_order", "invoices_claim_orders"]);
    });

    it("details are given to orders of both months at once, and told again", async () => {
      const { id: old } = await place(0, "details of March");
      const names = Array.from({ length: 12 }, (_, number) => `details of April ${number}`);
      const placed = await Promise.all(names.map((name) => place(1, name)));
      const ids = [old, ...placed.map(({ id }) => id)];
      const ask = async () => {
        const answers = await Promise.all(ids.map((id) => createH2h(at(1), id)));
        return answers.map(({ status, body }) => [status, body.data?.wallet, body.data?.amount]);
      };
      const told = await ask();
      assert.deepEqual(
        told.map(([status]) => status),
        ids.map(() => 200),
      );
      assert.deepEqual(await ask(), told);
    });

    it("money of March that is told in April finds its payment", async () => {
      const { id } = await place(0, "paid in March");
      const details = await createH2h(at(0), id);
      const { wallet, amount } = details.body.data;
      const told = { wallet, amount: Number(amount), reference: "of March" };
      const madeAt = "2026-03-31T23:59:30Z";
      const paid = await manage(at(1)).post("transfers", { ...told, made_at: madeAt });
      assert.deepEqual([paid.state, paid.invoice_id], ["matched", id]);
    });

    /** Until a statement of this database waits for another transaction; the test's own limit ends it. */
    async function somebodyWaits(): Promise<void> {
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      const { db } = gateways[0]?.app ?? assert.fail();
      while ((await db.query(waiting, [])).length === 0) await sleep(5);
    }
  });
}

async function migrateAsBefore(database: TestDatabase): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-migrations-"));
  const own = join(import.meta.dirname, "../migrations");
  for (const name of readdirSync(own)) {
    if (Number(name.slice(0, 4)) <= BEFORE) cpSync(join(own, name), join(directory, name));
  }
  assert.equal((await migrateTestDatabase(database, directory)).length, BEFORE);
  rmSync(directory, { recursive: true });
}
