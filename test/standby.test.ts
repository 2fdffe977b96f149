// Commits that wait for a standby which is lost: 503 meanwhile, and as before afterwards. It is unknown whether
// commits without an answer happened; they may not pile up on the server.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import pg from "pg";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { type Log, openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { createInvoice, SHOP } from "./cast.ts";
import { onPostgres, testConfig } from "./gateway.ts";
import { manage } from "./manage.ts";
import { through } from "./orders.ts";
import { type Cluster, findPostgres, startCluster } from "./postgres.ts";

/** As many as a gateway has: merchants', payers', operators' and jobs'. */
const CONNECTIONS = 6 + 4 + 2 + 2 + 3;

onPostgres("a server that does not answer", () => {
  let cluster: Cluster;
  let gateway: Gateway;
  let caller: ReturnType<typeof through>;
  let log: Log;
  const lines: string[] = [];
  before(async () => {
    cluster = await startCluster(findPostgres() ?? "");
    // Three seconds instead of fifteen before a silent commit is given up.
    const databaseUrl = `${cluster.url("postgres")}?query_timeout=3000`;
    log = openLog("info", { write: (line) => void lines.push(line) });
    gateway = await startGateway({ config: testConfig({ databaseUrl }), log });
    caller = through(gateway);
  });
  after(async () => {
    await gateway.stop();
    cluster.remove();
  });

  const create = () => createInvoice(caller);

  it("because a standby is lost leaves no more waiting commits behind than there are connections", async () => {
    const client = new pg.Client(cluster.url("postgres"));
    await client.connect();
    const wait = async (names: string): Promise<void> => {
      await client.query(`alter system set synchronous_standby_names = '${names}'`);
      await client.query("select pg_reload_conf()");
    };
    const count = async (which: string): Promise<number> => {
      const { rows } = await client.query(
        `select count(*)::integer as n from pg_stat_activity where ${which}`,
      );
      return rows[0].n;
    };
    const waiting = (since = "0 s") =>
      count(`wait_event = 'SyncRep' and query_start <= now() - interval '${since}'`);
    const change = () => manage(caller).ask("operators", { name: "Anna", role: "viewer" });
    try {
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
      // Statistics are rows, too.
      await assert.rejects(gateway.app.db.query("analyze users"), (error: Error) =>
        /commits are not answered/.test(String(error.cause)),
      );
      const all = await count("application_name = 'kopeck'");
      assert.ok(all <= 2 * CONNECTIONS, `${all} connections`);
      await eventually("a commit that waits for long", async () => (await waiting("2 s")) > 0);
      await assert.rejects(startGateway({ config: gateway.app.config, log }), {
        message: /^The database cannot be used: commits are not answered/,
      });
      assert.ok((await waiting()) <= CONNECTIONS, "one that starts meanwhile leaves none behind");
      assert.equal((await caller.call("/readyz")).status, 503);
      // What only reads is answered all the same.
      const headers = { "x-api-key": SHOP.key };
      const tariffs = await caller.call(`/shops/${SHOP.id}/payment-tariffs`, { headers });
      assert.equal(tariffs.status, 200);
      await wait("");
      await eventually("commits are answered again", async () => (await create()).status === 200);
      assert.equal((await caller.call("/readyz")).status, 200);
      assert.match(lines.join(""), /commits are not answered/);
      assert.match(lines.join(""), /commits are answered again/);
    } finally {
      await client.end();
    }
  });
});
