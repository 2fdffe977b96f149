// Commits that wait for a standby which is lost: they are not answered, nor is it known whether they
// happened. Nobody may pile up more and more of them on the server.

import assert from "node:assert/strict";
import { it } from "node:test";
import pg from "pg";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { createInvoice } from "./cast.ts";
import { call, onPostgres, testConfig } from "./gateway.ts";
import { manage } from "./manage.ts";
import { findPostgres, startCluster } from "./postgres.ts";

/** As many connections as a gateway has. */
const CONNECTIONS = 8;

onPostgres("a standby that is lost", () => {
  it("leaves no more waiting commits behind than there are connections, and is over by itself", async () => {
    const cluster = await startCluster(findPostgres() ?? "");
    const client = new pg.Client(cluster.url("postgres"));
    await client.connect();
    const lines: string[] = [];
    // One second instead of fifteen before a silent commit is given up.
    const databaseUrl = `${cluster.url("postgres")}?query_timeout=1000`;
    const gateway = await startGateway({
      config: testConfig({ databaseUrl }),
      log: openLog("info", { write: (line) => void lines.push(line) }),
    });
    const caller = { call: (...args: [string]) => call(gateway.url, ...args) };
    const create = () => createInvoice(caller);
    const change = () => manage(caller).ask("operators", { name: "Anna", role: "viewer" });
    const wait = async (names: string): Promise<void> => {
      await client.query(`alter system set synchronous_standby_names = '${names}'`);
      await client.query("select pg_reload_conf()");
    };
    const waiting = async (): Promise<number> => {
      const { rows } = await client.query(
        "select count(*)::integer as n from pg_stat_activity where wait_event = 'SyncRep'",
      );
      return rows[0].n;
    };
    try {
      assert.equal((await create()).status, 200);
      await wait("nobody");
      await eventually("a commit waits", async () => (await waiting()) > 0 || !(await create()));
      for (let wave = 0; wave < 4; wave += 1) {
        const answers = await Promise.all([create(), ...Array.from({ length: 20 }, change)]);
        for (const { status, headers, text } of answers) {
          assert.equal(status, 503, text);
          assert.ok(Number(headers.get("retry-after")) > 0);
        }
      }
      const left = await waiting();
      assert.ok(left <= CONNECTIONS, `${left} commits wait`);
      assert.equal((await call(gateway.url, "/readyz")).status, 503);
      // What only reads is answered all the same.
      const tariffs = `/shops/00000000-0000-4000-8000-000000000002/payment-tariffs`;
      const headers = { "x-api-key": "sandbox_shop_key" };
      assert.equal((await call(gateway.url, tariffs, { headers })).status, 200);
      await wait("");
      await eventually("commits are answered again", async () => (await create()).status === 200);
      assert.equal((await call(gateway.url, "/readyz")).status, 200);
      assert.match(lines.join(""), /commits are not answered/);
      assert.match(lines.join(""), /commits are answered again/);
    } finally {
      await gateway.stop();
      await client.end();
      cluster.remove();
    }
  });
});
