// npm run bench:lists [-- invoices [screens]]: fills a database and measures every list of /manage over HTTP, on
// the first page and on deep ones; with "screens", every screen of the desk and the cabinet instead. Guards the promise that each takes less than 50 ms with a million
// invoices, by an index. Takes DATABASE_URL of an empty database, or makes a cluster of its own and
// removes it. The exit code is 1 where a list misses.

import { cpus, loadavg } from "node:os";
import pg from "pg";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { readConfig } from "../src/platform/config.ts";
import { openLog } from "../src/platform/log.ts";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import { type Cluster, findPostgres, HOW_TO_INSTALL, startCluster } from "../test/postgres.ts";
import { fill } from "./fill.ts";
import { listCases, viewPaths } from "./list-cases.ts";
import { measureScreens } from "./screens.ts";
import {
  GROWING,
  GROWING_SLOWLY,
  indexesOf,
  objections,
  plansOf,
  type Statement,
  type Take,
  watch,
} from "./watched-db.ts";

/** So that visits of screens can come from many addresses. */
const PROXY = { KOPECK_TRUSTED_PROXIES: "127.0.0.1" };
const LIMIT_MS = 50;
const REPEATS = 30;

interface Measured {
  readonly what: string;
  readonly page: string;
  readonly rows: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly plan: string;
  readonly missed: boolean;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const invoices = Number(process.argv[2] ?? 1_000_000);
  if (!Number.isSafeInteger(invoices) || invoices < 1) {
    say("How many invoices? A whole number, 1000000 when left out.");
    return 2;
  }
  const { url, remove } = await openServer();
  try {
    return await measureLists(url, invoices);
  } finally {
    remove();
  }
}

async function openServer(): Promise<{ url: string; remove(): void }> {
  const given = process.env["DATABASE_URL"];
  if (given) return { url: given, remove() {} };
  const binaries = findPostgres();
  if (binaries === undefined) throw new Error(`PostgreSQL is not installed (${HOW_TO_INSTALL}).`);
  const cluster: Cluster = await startCluster(binaries, ["max_wal_size=4GB"]);
  process.once("SIGINT", () => {
    cluster.remove();
    process.exit(130);
  });
  return { url: cluster.url("postgres"), remove: () => cluster.remove() };
}

async function measureLists(databaseUrl: string, invoices: number): Promise<number> {
  // Time stands still, so that nothing falls due while the lists are measured.
  const now = new Date();
  const env = { PORT: "0", LOG_LEVEL: "error", KOPECK_SANDBOX_HISTORY: "off", ...PROXY };
  const config = { ...readConfig(env), databaseUrl };
  const log = openLog("error");
  const gateway = await startGateway({ config, log, clock: { now: () => now } });
  const take = watch(gateway.app.for("operators").db);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const startedAt = performance.now();
    const size = { invoices, shops: 50, users: 20, requisites: 300 };
    const filled = await fill(gateway.app, size, say);
    // Marks what everybody sees, as the server itself does in time.
    await client.query("vacuum (analyze)");
    say(`filled in ${Math.round((performance.now() - startedAt) / 1000)} s`);
    if (process.argv[3] === "screens") {
      say(machineLine(invoices));
      return (await measureScreens(gateway, filled, say)) === 0 ? 0 : 1;
    }
    say(heading(invoices));
    const measured: Measured[] = [];
    const tell = async (what: string, page: string, path: string): Promise<void> => {
      let one = await measure(gateway, take, what, page, path);
      // The machine may not be ours alone: what was slow is given a second and a third chance.
      for (let turn = 0; one.p95 > LIMIT_MS && turn < 2; turn += 1) {
        const again = await measure(gateway, take, what, page, path);
        if (again.p95 < one.p95) one = again;
      }
      measured.push(one);
      say(line(one));
    };
    const big = filled.shopIds[0] ?? "";
    // The very first request compiles what all of them use.
    await measure(gateway, take, "", "", "me");
    for (const { list, filter, pages } of await listCases(gateway.app.db, filled)) {
      for (const { name, after } of pages) {
        const query = new URLSearchParams({ ...filter, ...(after === undefined ? {} : { after }) });
        await tell(`${nameOf(list)} ${filterName(filter, big)}`.trim(), name, `${list}?${query}`);
      }
    }
    const { within, exempt } = await viewPaths(gateway.app.db, filled);
    for (const path of within) await tell(nameOf(path), "whole", path);
    const folded = await measure(gateway, take, "an account summed up", "whole", exempt[0] ?? "");
    say(line({ ...folded, plan: "exempt", missed: false }));
    const missed = measured.filter((one) => one.missed).length;
    say(`${measured.length} measured, ${missed} missed ${LIMIT_MS} ms or an index.`);
    return missed === 0 ? 0 : 1;
  } finally {
    await client.end();
    await gateway.stop();
  }
}

async function measure(
  gateway: Gateway,
  take: Take,
  what: string,
  page: string,
  path: string,
): Promise<Measured> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const times: number[] = [];
  let rows = 0;
  let statements: Statement[] = [];
  for (let turn = 0; turn < REPEATS; turn += 1) {
    take();
    const startedAt = performance.now();
    const answer = await fetch(`${gateway.url}/manage/${path}`, { headers });
    const body = (await answer.json()) as { data: { items?: unknown[] } | null };
    times.push(performance.now() - startedAt);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    rows = body.data?.items?.length ?? 1;
    statements = take();
  }
  const sorted = times.toSorted((left, right) => left - right);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
  const plans = [];
  for (const statement of statements) {
    plans.push(...(await plansOf(gateway.app.db, statement)));
  }
  const tables = [...GROWING, ...GROWING_SLOWLY];
  const wrong = [...new Set(plans.flatMap((plan) => objections(plan, tables)))];
  const indexes = [...new Set(plans.flatMap(indexesOf))].filter((name) => name !== GATE_INDEX);
  return {
    what,
    page,
    rows,
    p50: at(0.5),
    p95: at(0.95),
    max: at(1),
    plan: wrong.length > 0 ? wrong.join(", ") : indexes.join(" "),
    missed: wrong.length > 0 || at(0.95) > LIMIT_MS,
  };
}

/** Every request looks its token up through this one. */
const GATE_INDEX = "operators_digest_key";

function nameOf(list: string): string {
  return list.replace(/[0-9a-f-]{36}/, "…");
}

function filterName(filter: Readonly<Record<string, string>>, big: string): string {
  const values = Object.entries(filter).filter(([name]) => name !== "from" && name !== "to");
  const names = values.map(([name, value]) => {
    if (value === big) return `${name}=half`;
    return /^[0-9a-f-]{36}$/.test(value) ? name : `${name}=${value}`;
  });
  return [...names, ...("from" in filter ? ["period"] : [])].join(" ");
}

function machineLine(invoices: number): string {
  const model = cpus()[0]?.model ?? "a processor";
  const machine = `${cpus().length} × ${model}, load ${loadavg()[0]?.toFixed(1)}`;
  return `${invoices} invoices, ${machine}, ${new Date().toISOString()}`;
}

function heading(invoices: number): string {
  return [
    machineLine(invoices),
    "| list and filter | page | rows | p50 ms | p95 ms | max ms | plan |",
    "|---|---|---|---|---|---|---|",
  ].join("\n");
}

function line({ what, page, rows, p50, p95, max, plan, missed }: Measured): string {
  const times = [p50, p95, max].map((ms) => ms.toFixed(1)).join(" | ");
  return `| ${missed ? "MISSED " : ""}${what} | ${page} | ${rows} | ${times} | ${plan} |`;
}

process.exitCode = await main();
