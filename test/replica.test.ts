// Lists and figures that are read from a standby: which they are, that they say how old they are, that whoever has
// changed something sees it, and that nobody notices a standby which is away, too old or the wrong one.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import pg from "pg";
import { verify } from "../src/cli/local/verify.ts";
import { endpointsOf } from "../src/features/index.ts";
import { type Gateway, startGateway } from "../src/gateway.ts";
import type { Config } from "../src/platform/config.ts";
import { openLog } from "../src/platform/log.ts";
import { openReplica } from "../src/platform/open-db.ts";
import { eventually } from "../torture/eventually.ts";
import { type CallOptions, onPostgres, testConfig } from "./gateway.ts";
import { liveALittle } from "./little-life.ts";
import { type Manage, manage } from "./manage.ts";
import { OWNER_TOKEN } from "./members.ts";
import { through } from "./orders.ts";
import { anna, wordsIn } from "./people.ts";
import { type Cluster, findPostgres, startCluster, startStandby } from "./postgres.ts";

const AGE = "x-kopeck-age-seconds";
const doors = endpointsOf("sandbox");
const elsewhere = doors.filter(({ readsFrom }) => readsFrom === "replica");

it("What names no single thing and is answered in pages or as of a moment, and nothing else", () => {
  for (const { method, path, data, readsFrom } of doors) {
    const fields = Object.keys("properties" in data ? (data.properties as object) : {});
    const isPeoples = method === "GET" && /^\/(manage|cabinet)\/[^:]*$/.test(path);
    const isList = fields.includes("items") && /\b(next|as_of)\b/.test(fields.join());
    assert.equal(readsFrom, isPeoples && isList ? "replica" : undefined, `${method} ${path}`);
  }
  const paths = elsewhere.map(({ path }) => path);
  for (const path of ["/manage/invoices", "/manage/audit", "/manage/tallies", "/cabinet/entries"]) {
    assert.ok(paths.includes(path), path);
  }
  for (const path of ["/manage/waiting", "/manage/newest", "/cabinet/balance", "/payoff/list"]) {
    assert.ok(!paths.includes(path), path);
  }
});

onPostgres("a replica", () => {
  const binaries = findPostgres() ?? "";
  let primary: Cluster;
  let standby: Cluster;
  let gateway: Gateway;
  let own: Manage;
  let colleague: Manage;
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  /** Nobody is let go because a statement takes too long. */
  const patient = (cluster: Cluster) => `${cluster.url("postgres")}?query_timeout=600000`;
  const configOf = (changes: Partial<Config> = {}): Config =>
    testConfig({
      ...{ databaseUrl: primary.url("postgres"), replicaUrl: patient(standby), ...changes },
    });
  const call = (path: string, options?: CallOptions) => through(gateway).call(path, options);
  const state = async () => (await own.get("health")).replica.state;
  const isRead = () => eventually("it is read", async () => (await state()) === "read");
  const told = (words: RegExp) => lines.filter((line) => words.test(line)).length;

  /** What a list has, and how old it says that this is. */
  const listed = async (by: Manage, path = "users?limit=200") => {
    const { body, headers, text, status } = await by.ask(path);
    assert.equal(status, 200, text);
    const names = body.data.items.map(({ name }: { name: string }) => name);
    return { names: names as string[], age: headers.get(AGE) };
  };
  const onStandby = async (sql: string, values: unknown[] = []) => {
    const client = new pg.Client(standby.url("postgres"));
    await client.connect();
    const { rows } = await client.query(sql, values);
    await client.end();
    return rows;
  };
  /** Time passes for whoever watches the replica, and for nobody else. */
  let laterMs = 0;

  before(async () => {
    primary = await startCluster(binaries);
    standby = await startStandby(binaries, primary);
    const replica = openReplica(configOf(), log, {}, () => performance.now() + laterMs);
    gateway = await startGateway({ config: configOf(), log, replica });
    await liveALittle(through(gateway));
    own = manage({ call });
    const { token } = await own.post("operators", { name: "Boris", role: "operator" });
    colleague = manage({ call }, token);
    await isRead();
  });
  after(async () => {
    await gateway.stop();
    standby.remove();
    primary.remove();
  });

  it("answers every list and figure of people, and nothing else", async () => {
    const tokens = { manage: "sandbox_operator_token", cabinet: OWNER_TOKEN };
    const askable = doors.filter(
      ({ method, path }) => method === "GET" && /^\/(manage|cabinet)\/[^:]*$/.test(path),
    );
    assert.ok(askable.length > elsewhere.length && elsewhere.length > 20);
    await eventually("it has what they changed", async () => (await listed(own)).age !== null);
    for (const { path, readsFrom } of askable) {
      const [, root = ""] = path.split("/");
      const headers = { authorization: `Bearer ${tokens[root as keyof typeof tokens]}` };
      const isElsewhere = async () => {
        const answer = await call(path, { headers });
        const isAged = answer.headers.get(AGE) !== null;
        assert.ok(
          answer.status === 200 || (!isAged && answer.status === 422),
          `${path} ${answer.text}`,
        );
        return isAged;
      };
      // On a busy machine it may not be heard of in time, and is left alone for a moment.
      if (readsFrom === "replica") await eventually(path, isElsewhere);
      else assert.ok(!(await isElsewhere()), path);
    }
  });

  it("has the work of kopeck verify", async () => {
    const looks = async () => {
      const [row] = await onStandby(
        `select coalesce(seq_scan + coalesce(idx_scan, 0), 0)::integer as n
         from pg_stat_user_tables where relname = 'payout_batches'`,
      );
      return Number(row.n);
    };
    const seen = await looks();
    let text = "";
    const env = {
      DATABASE_URL: primary.url("postgres"),
      KOPECK_REPLICA_URL: standby.url("postgres"),
    };
    const print = (more: string): void => {
      text += more;
    };
    assert.equal(await verify.run({ input: {}, env, print }), 0, text);
    assert.match(text, /the books are right/);
    await eventually("it was looked at", async () => (await looks()) > seen);
    const [check] = (await own.get("books")).checks;
    assert.deepEqual([check.author, check.violations], ["kopeck verify", 0]);
    await own.post("books/check");
    const isOver = async () => (await own.get("books")).checks[0].violations === 0;
    await eventually("the job has checked them there", isOver);
    assert.equal(told(/the replica failed/), 0);
  });

  it("that is behind shows old lists and says so; who has changed something, and single things, are of now", async () => {
    const visitor = await anna(gateway);
    const second = await startGateway({ config: configOf(), log: openLog("silent") });
    await onStandby("select pg_wal_replay_pause()");
    try {
      // By another gateway: it is not this process that has to remember.
      const { user } = await manage(through(second)).post("users", { name: "Newcomer" });
      const owner = manage({ call }, OWNER_TOKEN, "cabinet");
      await owner.post("tokens", { name: "Fresh" });
      assert.ok((await listed(owner, "tokens")).names.includes("Fresh"));
      let old: string[] = [];
      await eventually("an old list", async () => {
        const { names, age } = await listed(colleague);
        old = names;
        return age !== null;
      });
      assert.ok(old.length > 0 && !old.includes("Newcomer"));
      assert.deepEqual(
        [(await listed(own)).names.includes("Newcomer"), (await listed(own)).age],
        [true, null],
      );
      assert.equal((await colleague.get(`users/${user.user_id}`)).name, "Newcomer");
      assert.doesNotMatch(wordsIn(await visitor.open("/desk/merchants")), / s old/);
      laterMs += 10_000;
      await eventually("it is old", async () => Number((await listed(colleague)).age) >= 10);
      assert.match(wordsIn(await visitor.open("/desk/merchants")), /are up to \d\d s old/);
      assert.match(wordsIn(await visitor.open("/desk/health")), /lists are read from it, \d\d s/);
      // Past the bound nobody is shown it any more.
      laterMs += 30_000;
      await eventually("it is too old", async () => (await state()) === "behind");
      assert.deepEqual(
        [(await listed(colleague)).names.includes("Newcomer"), (await listed(colleague)).age],
        [true, null],
      );
      assert.ok(told(/too far behind/) > 0);
      assert.match((await call("/metrics")).text, /kopeck_replica_lag_seconds 4\d/);
    } finally {
      await onStandby("select pg_wal_replay_resume()");
      await second.stop();
    }
    await isRead();
    await eventually("their own change is there", async () => (await listed(own)).age !== null);
    assert.ok((await listed(own)).names.includes("Newcomer"));
  });

  it("that is killed is missed by nobody, and comes back by itself", async () => {
    await standby.crash();
    const { names, age } = await listed(colleague);
    assert.ok(names.includes("Newcomer"));
    assert.equal(age, null);
    await eventually("it is away", async () => (await state()) === "away");
    assert.match((await call("/metrics")).text, /kopeck_replica_read 0/);
    await standby.start();
    await isRead();
    await eventually("lists come from it", async () => (await listed(colleague)).age !== null);
    const turns = lines.flatMap(
      (line) => /lists are read from the (?:replica|primary)/.exec(line) ?? [],
    );
    assert.ok(told(/does not answer/) > 0 && turns.length >= 5);
    // Once for each turn, however many lists were asked for meanwhile.
    for (const [at, turn] of turns.entries()) assert.notEqual(turn, turns[at + 1]);
  });

  it("that is not read for another reason than before says so", async () => {
    lines.length = 0;
    await onStandby("select pg_wal_replay_pause()");
    await own.post("users", { name: "Latecomer" });
    laterMs += 60_000;
    await eventually("it is behind", async () => (await state()) === "behind");
    await standby.crash();
    await eventually("it is away", async () => (await state()) === "away");
    await eventually("it is told", () => told(/does not answer: it is still not read/) === 1);
    assert.equal(told(/too far behind: lists are read from the primary/), 1);
    await standby.start();
    await isRead();
  });

  it("that is frozen keeps nobody waiting", async () => {
    for (const pid of standby.pids()) process.kill(pid, "SIGSTOP");
    try {
      let age: string | null | undefined;
      const answered = listed(colleague).then((answer) => {
        age = answer.age;
      });
      await eventually("an answer", () => age !== undefined, 60_000);
      await answered;
      assert.equal(age, null);
    } finally {
      for (const pid of standby.pids()) process.kill(pid, "SIGCONT");
    }
    await isRead();
  });

  it("is refused where it is another database, and not read where it takes writes", async () => {
    const client = new pg.Client(primary.url("postgres"));
    await client.connect();
    await client.query("create database another");
    await client.end();
    for (const replicaUrl of [
      primary.url("another"),
      `${process.env["KOPECK_TEST_POSTGRES"]}postgres`,
    ]) {
      await assert.rejects(startGateway({ config: configOf({ replicaUrl }), log }), {
        message: /^KOPECK_REPLICA_URL leads to another database than DATABASE_URL/,
      });
    }
    const config = configOf({ replicaUrl: primary.url("postgres") });
    const other = await startGateway({ config, log });
    const { age } = await listed(manage(through(other)));
    await other.stop();
    assert.equal(age, null);
    assert.equal(told(/takes writes, so it is no standby/), 1);
  });

  it("is not read where it follows a primary that was, however far that has come", async () => {
    const heir = await startStandby(binaries, primary);
    try {
      const client = new pg.Client(heir.url("postgres"));
      await client.connect();
      await client.query("select pg_promote()");
      await client.end();
      // What only the old primary has, with more of its log than the new one will have here.
      await own.post("users", { name: "Of the old primary" });
      const old = new pg.Client(primary.url("postgres"));
      await old.connect();
      await old.query("create table filler as select generate_series(1, 200000)");
      await old.query("drop table filler");
      await old.end();
      await eventually("the standby has it", async () => {
        const rows = await onStandby("select from users where name = 'Of the old primary'");
        return rows.length === 1;
      });
      const after = await startGateway({
        config: configOf({ databaseUrl: heir.url("postgres") }),
        log,
      });
      try {
        const there = manage(through(after));
        const { names, age } = await listed(there);
        assert.deepEqual([names.includes("Of the old primary"), age], [false, null]);
        assert.equal((await there.get("health")).replica.state, "strayed");
        assert.equal(told(/their timelines differ: lists are read from the primary/), 1);
      } finally {
        await after.stop();
      }
    } finally {
      heir.remove();
    }
  });
});
