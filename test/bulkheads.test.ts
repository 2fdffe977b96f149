// Bulkheads: each kind of caller has connections of its own, so that whoever asks for what takes its time
// keeps nobody of another kind waiting.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Db } from "../src/platform/db.ts";
import { openLog } from "../src/platform/log.ts";
import { closePools, openDb, openPools } from "../src/platform/open-db.ts";
import { eventually } from "../torture/eventually.ts";
import { createH2h, createInvoice, OTHER_SHOP, SHOP } from "./cast.ts";
import { onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { untilFree } from "./patience.ts";
import { anna, type Visitor } from "./people.ts";

onPostgres("bulkheads", () => {
  let gateway: TestGateway;
  let own: Db;
  let sessions: Visitor[];
  before(async () => {
    gateway = await openTestGateway("postgres");
    sessions = await Promise.all([1, 2, 3].map(() => anna(gateway)));
    own = await openDb(gateway.app.config, openLog("silent"));
    await manage(gateway).post("users", { name: "So that there is a row to read" });
    // As if it had millions of rows and no index: whoever reads it does so until the test is through.
    await untilFree(() =>
      own.query(`create table is_read ();
        create function read_all() returns void language plpgsql as $$
          begin
            while not exists (select from is_read) loop perform pg_sleep(0.05); end loop;
          end $$;
        alter table audit_log rename to many_rows;
        create view audit_log as
          with slow as materialized (select read_all()) select row.* from many_rows row, slow`),
    );
  });
  after(async () => {
    await own.close();
    await gateway.stop();
  });

  it("a connection that is old enough is replaced", async () => {
    const pidOf = (db: Db) => db.query("select pg_backend_pid() as pid, pg_sleep(0.2)", []);
    const old = await openPools(
      { ...gateway.app.config, connectionMinutes: 0.002 },
      openLog("silent"),
    );
    assert.notDeepEqual(await pidOf(old.jobs), await pidOf(old.jobs));
    await closePools(old);
    assert.deepEqual(await pidOf(own), await pidOf(own));
  });

  const reading = async (): Promise<number> => {
    const rows = await own.query(
      `select from pg_stat_activity
       where datname = current_database() and state = 'active' and query like '%from audit_log%'
         and pid <> pg_backend_pid()`,
    );
    return rows.length;
  };

  it("eight reads of a large account make /invoice/create 503", async () => {
    // The server ends each read after ten seconds: a machine that takes longer for the rest tries again.
    for (let tries = 1, isShown = false; !isShown; tries += 1) {
      assert.ok(tries <= 10, "everybody else is answered while the reads are under way");
      const reads = Array.from({ length: 24 }, () => manage(gateway).ask("audit"));
      // The first one is asked alone, the others together after it.
      await eventually("two reads", async () => (await reading()) >= 2);
      const created = await createInvoice(gateway);
      assert.equal(created.status, 200, created.text);
      const details = await createH2h(gateway, created.body.data.id);
      assert.equal(details.status, 200, details.text);
      const page = await gateway.call(`/pay/${created.body.data.id}`);
      assert.equal(page.status, 404, "what the database says of an invoice that has no page");
      isShown = (await reading()) > 0;
      if (isShown) await own.query("insert into is_read default values");
      await Promise.all(reads);
    }
  });

  const shares = [
    ["merchant", "/my/log.csv", [0, 1, 2]],
    ["session", "/desk/audit.csv", [0, 0, 0]],
  ] as const;
  for (const [owner, path, visits] of shares) {
    it(`503: a third file at once for one ${owner}; a finished one makes room`, async () => {
      await own.query("delete from is_read");
      const files = visits.map((visit) => sessions[visit]?.get(path));
      const refused = await Promise.race(files);
      assert.deepEqual([refused?.status, refused?.headers.get("retry-after")], [503, "1"]);
      assert.match(refused?.text ?? "", /The service is overloaded/);
      await own.query("insert into is_read default values");
      const statuses = (await Promise.all(files)).map((file) => file?.status);
      assert.deepEqual(statuses.toSorted(), [200, 200, 503]);
      assert.equal((await sessions[0]?.get(path))?.status, 200);
    });
  }

  it("a file that is refused keeps no place: 200 after three amounts that cannot be read", async () => {
    const path = "/my/invoices.csv";
    for (let times = 0; times < 3; times += 1) {
      assert.equal((await sessions[0]?.get(`${path}?amount=1,500`))?.status, 422);
    }
    assert.equal((await sessions[0]?.get(path))?.status, 200);
  });

  it("tell in /metrics how many connections each kind has", async () => {
    // Whoever asks whether the database is back may have one of them for a moment.
    let text = "";
    await eventually("nobody has a connection of the operators", async () => {
      ({ text } = await gateway.call("/metrics"));
      return /^kopeck_connections\{callers="operators",state="idle"\} 2$/m.test(text);
    });
    for (const callers of ["merchants", "payers", "operators", "cabinet", "jobs"]) {
      for (const [state, count] of [
        ["open", "[1-6]"],
        // A job may wait for its connection at any moment; that nobody else does is what is asked.
        ["waiting", callers === "jobs" ? "\\d+" : "0"],
      ]) {
        const figure = `^kopeck_connections\\{callers="${callers}",state="${state}"\\} ${count}$`;
        assert.match(text, new RegExp(figure, "m"));
      }
    }
  });

  it("connections that lead to a server that only reads by now are left at once: nobody notices", async () => {
    const { db } = gateway.app;
    const many = Array.from({ length: gateway.app.config.connections.merchants });
    // All at once, so that each is another connection.
    const onlyRead = "select pg_sleep(0.1); set session characteristics as transaction read only";
    await Promise.all(many.map(() => db.query(onlyRead)));
    for (const _ of many) {
      const created = await createInvoice(gateway);
      assert.equal(created.status, 200, created.text);
    }
    await Promise.all(many.map(() => db.query(onlyRead)));
    await db.query("update shops set name = name where false", []);
  });

  it("lists of many filters leave no prepared statements behind", async () => {
    const { db } = gateway.app.for("operators");
    const prepared = async (): Promise<number> => {
      const asked = Array.from({ length: 8 }, () =>
        db.query<{ name: string }>("select name from pg_prepared_statements", []),
      );
      return new Set((await Promise.all(asked)).flat().map(({ name }) => name)).size;
    };
    const filters = [
      "shop_id=00000000-0000-4000-8000-000000000002",
      "amount=5",
      "state=paid",
      "limit=200",
      "from=2026-01-01T00:00:00Z",
      "to=2027-01-01T00:00:00Z",
    ];
    await manage(gateway).get("invoices");
    const before = await prepared();
    for (let bits = 0; bits < 2 ** filters.length; bits += 1) {
      const wish = filters.filter((_, index) => bits & (1 << index)).join("&");
      await manage(gateway).get(`invoices?${wish}`);
    }
    const after = await prepared();
    assert.ok(after <= before + 1, `${before} before, ${after} after all lists`);
  });
});

onPostgres("reads of one key", () => {
  it("429: the 65th at once; other shops and orders of this one are answered", async (context) => {
    const gateway = await openTestGateway("postgres");
    context.after(() => gateway.stop());
    const read = ({ id, key }: { id: string; key: string }) =>
      gateway.call(`/shops/${id}/events`, { headers: { "x-api-key": key } });
    const { reads, refused, other } = await gateway.app.for("jobs").db.session(async (session) => {
      await session.query(
        "begin; set local idle_in_transaction_session_timeout = 0; lock table event_feed",
      );
      const reads = Array.from({ length: 65 }, () => read(SHOP));
      const other = read(OTHER_SHOP);
      const refused = await Promise.race(reads);
      assert.equal((await createInvoice(gateway)).status, 200);
      await session.query("commit");
      return { reads, refused, other: await other };
    });
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    assert.equal((await Promise.all(reads)).filter(({ status }) => status === 200).length, 64);
    assert.equal(other.status, 200);
    assert.equal((await read(SHOP)).status, 200);
  });
});
