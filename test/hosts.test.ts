// Several servers in one address: the one that takes writes is found whichever it is, and found again when
// they change roles. What is known to only read is never even asked to write.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, it } from "node:test";
import pg from "pg";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { eventually } from "../torture/eventually.ts";
import { createInvoice } from "./cast.ts";
import { onPostgres, testConfig } from "./gateway.ts";
import { through } from "./orders.ts";
import { insistent } from "./patience.ts";
import { type Cluster, findPostgres, startCluster, startStandby } from "./postgres.ts";
import { killLeftovers, runKopeck } from "./process.ts";

const hostOf = (cluster: Cluster): string => new URL(cluster.url("postgres")).host;

onPostgres("several servers in DATABASE_URL", () => {
  let primary: Cluster;
  let standby: Cluster;
  let silent: Server;
  let gateway: Gateway;
  let databaseUrl: string;
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  before(async () => {
    const binaries = findPostgres() ?? "";
    primary = await startCluster(binaries);
    standby = await startStandby(binaries, primary);
    // A machine that is gone without a word: connections are taken, and nothing is ever said.
    silent = createServer((socket) => void socket.resume()).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const hosts = [`127.0.0.1:${port}`, hostOf(standby), hostOf(primary)].join();
    databaseUrl = `postgresql://kopeck@${hosts}/postgres?target_session_attrs=read-write`;
    gateway = await startGateway({ config: testConfig({ databaseUrl }), log });
  });
  after(async () => {
    killLeftovers();
    // None where it did not start: the rest must go all the same, or the process would never end.
    await (gateway as Gateway | undefined)?.stop();
    silent.close();
    standby.remove();
    primary.remove();
  });

  const create = () => createInvoice(through(gateway));
  const readiness = () => through(gateway).call("/readyz");

  it("one that is silent and one that only reads are passed over, by a gateway and by a command", async () => {
    assert.equal((await createInvoice(insistent(gateway))).status, 200);
    assert.equal((await insistent(gateway).call("/readyz")).status, 200);
    await eventually("it is found by a command", async () => {
      const { code, stderr } = await runKopeck({ DATABASE_URL: databaseUrl }, ["verify"]).ended;
      // On a busy machine each of them may be late.
      if (stderr.includes("timeout expired")) return false;
      assert.deepEqual([code, stderr], [0, ""]);
      return true;
    });
  });

  it("none that takes writes is 503, and words on /readyz and in the log; the promoted one is followed", async (context) => {
    const statuses = new Set<number>();
    const end = new AbortController();
    context.after(() => end.abort());
    const asking = (async () => {
      while (!end.signal.aborted) statuses.add((await create()).status);
    })();
    primary.stop();
    await eventually("nobody writes", async () => {
      const { status, text } = await readiness();
      return status === 503 && text.includes("No database server takes writes");
    });
    // On a busy machine one may be said to be late rather than to only read.
    const told = new RegExp(`no database server takes writes .*${hostOf(standby)}: `);
    await eventually("words in the log", () => told.test(lines.join("")));
    await on(standby, "select pg_promote()");
    await eventually("ready", async () => (await readiness()).status === 200);
    end.abort();
    await asking;
    assert.equal((await createInvoice(insistent(gateway))).status, 200);
    assert.ok(lines.join("").includes(`"host":"${hostOf(standby)}"`));
    assert.deepEqual([...statuses].toSorted(), [200, 503]);
    assert.doesNotMatch(standby.log(), /read-only transaction/, "it was asked to write");
  });

  it("one that is told to only read is left, though its connections live", async () => {
    // It was promoted; another one follows it, and is promoted in its turn.
    const next = await startStandby(findPostgres() ?? "", standby);
    const url = `postgresql://kopeck@${hostOf(standby)},${hostOf(next)}/postgres`;
    const db = await openDb(testConfig({ databaseUrl: url }), log);
    const rows = async (cluster: Cluster) => (await on(cluster, "select from moved")).length;
    try {
      await db.query("create table moved (n integer)");
      await db.query("insert into moved values ($1)", [1]);
      await eventually("it is there, too", () =>
        rows(next).then(
          (n) => n === 1,
          () => false,
        ),
      );
      await on(next, "select pg_promote()");
      await on(standby, "alter system set default_transaction_read_only = on");
      await on(standby, "select pg_reload_conf()");
      const told = async () => (await on(standby, "show default_transaction_read_only"))[0];
      await eventually("told", async () => (await told())?.default_transaction_read_only === "on");
      await db.query("insert into moved values ($1)", [2]);
      await db.transaction((tx) => tx.query("insert into moved values ($1)", [3]));
      assert.deepEqual([await rows(standby), await rows(next)], [1, 3]);
    } finally {
      await db.close();
      next.remove();
    }
  });
});

async function on(cluster: Cluster, text: string) {
  const client = new pg.Client(cluster.url("postgres"));
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
