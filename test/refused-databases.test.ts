// A database that cannot be used, met by commands and by a gateway: one clear line and exit code 1, never a stack
// trace; and what sslmode of an address means against a server without TLS, with it, and with a stranger's certificate.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { eventually } from "../torture/eventually.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { through } from "./orders.ts";
import { type Cluster, findPostgres, startCluster } from "./postgres.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

const log = openLog("silent");
const LIVE = {
  KOPECK_MODE: "live",
  KOPECK_BASE_URL: "https://pay.example",
  KOPECK_SECRET_KEY: "0123456789abcdef".repeat(4),
};

after(killLeftovers);

async function refusal(databaseUrl: string, ...words: string[]): Promise<string> {
  const env = { ...LIVE, DATABASE_URL: databaseUrl, KOPECK_DATA_DIR: tmpdir(), PORT: "0" };
  const { code, stdout, stderr } = await runKopeck(env, words).ended;
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, /^kopeck: [^\n]+\n$/, "exactly one line, no stack trace");
  assert.doesNotMatch(stdout, /database is away|takes writes/, "nor the same once more in the log");
  return stderr;
}

async function onDatabase(databaseUrl: string, ...texts: string[]) {
  const db = await openDb(testConfig({ databaseUrl }), log);
  try {
    const answers = [];
    for (const text of texts) answers.push(await db.query(text));
    return answers;
  } finally {
    await db.close();
  }
}

onPostgres("a database that a command cannot work on", () => {
  let database: TestDatabase;
  let url = "";
  before(async () => {
    database = await openTestDatabase("postgres");
    url = database.config.databaseUrl ?? "";
  });
  after(() => database.drop());

  it("without tables, nobody is looked for in it", async () => {
    const words = ["person", "recover", "anna@example.com"];
    assert.match(await refusal(url, ...words), /has not got 01_settings.sql yet/);
  });

  it("whose tables a role has no right to see, it says so instead of missing them", async () => {
    const poor = `poor_${process.pid}`;
    const other = new URL(url);
    [other.username, other.password] = [poor, "poor"];
    const astray = new URL(url);
    astray.searchParams.set("options", "-c search_path=nowhere");
    await onDatabase(url, `create role ${poor} login password 'poor'`);
    await onDatabase(url, "revoke usage on schema public from public");
    try {
      assert.match(
        await refusal(other.href, "migrate"),
        /The database role poor_\d+ sees no schema/,
      );
      await runKopeck({ ...LIVE, DATABASE_URL: url }, ["migrate"]).ended;
      const said = /sees nothing in the schema public, where Kopeck's tables are \(search_path /;
      for (const word of ["verify", "migrate", "serve"]) {
        assert.match(await refusal(other.href, word), said);
      }
      assert.match(await refusal(astray.href, "verify"), said);
    } finally {
      await onDatabase(url, "grant usage on schema public to public", `drop role ${poor}`);
      await onDatabase(url, "drop schema public cascade", "create schema public");
    }
  });

  it("with a table of somebody else's in the way, the migration is named, and goes on from there", async () => {
    await onDatabase(url, "create table invoices (id integer)");
    const taken =
      /The migration 04_invoices.sql failed, nothing of it was applied: relation "invoices" already exists \(SQLSTATE 42P07\)/;
    assert.match(await refusal(url, "migrate"), taken);
    assert.match(await refusal(url, "init"), taken);
    await onDatabase(url, "drop table invoices");
    const env = { ...LIVE, DATABASE_URL: url };
    assert.match((await runKopeck(env, ["migrate"]).ended).stdout, /^applied 04_invoices.sql\n/);
  });

  it("in another encoding than UTF8, nothing is made in it, and no gateway starts on it", async () => {
    const other = new URL(url);
    other.pathname += "_win1251";
    const name = other.pathname.slice(1);
    const made = "template template0 lc_collate 'C' lc_ctype 'C'";
    await onDatabase(url, `create database ${name} encoding 'WIN1251' ${made}`);
    try {
      const said = /encoding is WIN1251, and Kopeck needs UTF8: make one with "create database/;
      assert.match(await refusal(other.href, "migrate"), said);
      assert.match(await refusal(other.href, "serve"), said);
    } finally {
      await onDatabase(url, `drop database ${name}`);
    }
  });

  it("whose tables are not as they were made, it says what it misses", async () => {
    await onDatabase(url, "alter table people rename to persons");
    assert.match(
      await refusal(url, "person", "recover", "anna@example.com"),
      /cannot be used: relation "people" does not exist \(SQLSTATE 42P01\)/,
    );
  });
});

onPostgres("an address with sslmode", () => {
  let cluster: Cluster;
  let folder: string;
  before(async () => {
    cluster = await startCluster(findPostgres() ?? "");
    folder = mkdtempSync(join(tmpdir(), "kopeck-tls-"));
    for (const [name, host] of [
      ["ours", "IP:127.0.0.1"],
      ["other", "DNS:elsewhere.example"],
    ] as const) {
      const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
      execFileSync(
        "openssl",
        [
          ...args,
          "-nodes",
          "-days",
          "2",
          "-subj",
          `/CN=${name}`,
          "-addext",
          `subjectAltName=${host}`,
          "-keyout",
          join(folder, `${name}.key`),
          "-out",
          join(folder, `${name}.crt`),
        ],
        { stdio: "ignore" },
      );
    }
    // The server reads a key that is its own.
    const [pid] = cluster.pids();
    const { uid, gid } = statSync(`/proc/${pid}`);
    for (const name of ["", "ours.key", "ours.crt", "other.key", "other.crt"]) {
      chownSync(join(folder, name), uid, gid);
    }
  });
  after(() => {
    cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const address = (of: string) => `${cluster.url("postgres")}${of}`;
  const ca = (name: string) => `&sslrootcert=${join(folder, `${name}.crt`)}`;
  const serveTls = async (name: string) => {
    await onDatabase(
      address(""),
      ...["cert", "key"].map(
        (kind) =>
          `alter system set ssl_${kind}_file = '${join(folder, `${name}.${kind.replace("cert", "crt")}`)}'`,
      ),
      "alter system set ssl = on",
      "select pg_reload_conf()",
    );
    await eventually("the server to use it", () =>
      onDatabase(address("?sslmode=no-verify"), "select").then(Boolean, () => false),
    );
  };
  /** Whether the connection is one of TLS. */
  const isTls = async (of: string) => {
    const text = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    return (await onDatabase(address(of), text))[0]?.[0] as unknown;
  };

  it("is refused in one line by a server without TLS, whatever is asked of its certificate", async () => {
    for (const mode of ["prefer", "require", "verify-ca", "verify-full", "no-verify"]) {
      const of = `?sslmode=${mode}`;
      assert.match(await refusal(address(of), "migrate"), /cannot be used: .*SSL/, mode);
    }
    assert.match(await refusal(address("?sslmode=verify-full")), /cannot be used: .*SSL/);
  });

  it("means who the server is, by a certificate that is known and of its name, in every word but two", async () => {
    await serveTls("ours");
    for (const mode of ["allow", "prefer", "require", "verify-ca", "verify-full"]) {
      const of = `?sslmode=${mode}`;
      assert.match(await refusal(address(of), "verify"), /cannot be used: self-signed/, mode);
      assert.deepEqual(await isTls(of + ca("ours")), { ssl: true }, mode);
    }
    assert.match(
      await refusal(address("?sslmode=require&sslrootcert=/nowhere.crt"), "verify"),
      /cannot be used: .*no such file.*nowhere.crt/,
    );
    assert.deepEqual(await isTls("?sslmode=no-verify"), { ssl: true });
    assert.deepEqual(await isTls("?sslmode=disable"), { ssl: false });
    assert.deepEqual(await isTls(""), { ssl: false });
    await serveTls("other");
    assert.match(
      await refusal(address(`?sslmode=require${ca("other")}`), "verify"),
      /cannot be used: .*does not match certificate/,
    );
  });

  it("a certificate that is not believed any more is an outage of a running gateway, and ends with it", async () => {
    await serveTls("ours");
    const env = {
      ...LIVE,
      KOPECK_MODE: "sandbox",
      PORT: String(await freePort()),
      DATABASE_URL: address(`?sslmode=verify-full${ca("ours")}`),
      KOPECK_DATA_DIR: folder,
    };
    const running = runKopeck(env);
    await ready(running);
    const { call } = through(running);
    const status = async () => (await call("/readyz")).status;
    const leave = () =>
      onDatabase(
        address(""),
        "select pg_terminate_backend(pid) from pg_stat_ssl where ssl and pid <> pg_backend_pid()",
      );
    await serveTls("other");
    await leave();
    await eventually("not ready", async () => (await status()) === 503);
    const asked = { headers: { "x-api-key": "sandbox_shop_key" } };
    const path = "/shops/00000000-0000-4000-8000-000000000002/payment-tariffs";
    assert.equal((await call(path, asked)).status, 503);
    await serveTls("ours");
    await eventually("ready", async () => (await status()) === 200);
    assert.equal((await call(path, asked)).status, 200);
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    assert.match(running.output(), /the database is away.*\n/);
    assert.doesNotMatch(running.output(), /none of the database servers/, "there is one");
  });
});
