// A database server whose disk is full answers, and reads: that is no sign of a disk that has room again.

import assert from "node:assert/strict";
import { it } from "node:test";
import pg from "pg";
import { eventually } from "../torture/eventually.ts";
import { createInvoice } from "./cast.ts";
import { onPostgres, openTestGateway } from "./gateway.ts";

/** What takes pages, as the server says it; and a small limit, so that what looks for room meets none either. */
const FULL = `
  create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
  create trigger no_room before insert on invoices execute function no_room()`;

onPostgres("a database whose disk is full", () => {
  it("is away, and not ready, until there is room again: one line, and one more", async () => {
    const settings = { logLevel: "info", slowStatementMs: 60_000 } as const;
    const gateway = await openTestGateway("postgres", settings, { jobs: [] });
    const url = gateway.app.config.databaseUrl ?? "";
    const name = new URL(url).pathname.slice(1);
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    const limitFiles = async (to: string): Promise<void> => {
      await server.query(`alter database ${name} ${to}`);
      await server.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    };
    const failures = async (): Promise<number> => {
      const asked = "select xact_rollback from pg_stat_database where datname = current_database()";
      return Number((await server.query(asked)).rows[0].xact_rollback);
    };
    const said = () => gateway.log.map((line) => JSON.parse(line).msg.split(",")[0]);
    const ready = async () => (await gateway.call("/readyz")).status;
    const up = async () => /^kopeck_database_up (\d)$/m.exec((await gateway.call("/metrics")).text);
    try {
      await limitFiles("set temp_file_limit = 0");
      await server.query(FULL);
      gateway.log.length = 0;
      assert.equal((await createInvoice(gateway)).status, 503);
      assert.equal(await ready(), 503);
      assert.equal((await up())?.[1], "0");
      // The call that failed is one of them; the others have looked for room.
      const before = await failures();
      await eventually("it has looked for room", async () => (await failures()) >= before + 3);
      assert.deepEqual(said(), ["the database is away"]);
      await server.query("drop trigger no_room on invoices");
      assert.equal(await ready(), 503, "nothing has shown yet that there is room");
      await limitFiles("reset temp_file_limit");
      await eventually("ready", async () => (await ready()) === 200);
      assert.equal((await up())?.[1], "1");
      assert.equal((await createInvoice(gateway)).status, 200);
      assert.deepEqual(said(), ["the database is away", "the database is back"]);
    } finally {
      await server.end();
      await gateway.stop();
    }
  });
});
