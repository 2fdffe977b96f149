// npm run bench:pages: what a thousand open payment pages cost. Measures the rate of POST
// /invoice/create without and with them, in turns, and the gateway's resident memory. Guards that they
// leave nine tenths of the rate and take less than 60 MB; the exit code is 1 where they do not. Gateway,
// callers and pages are processes of their own; PostgreSQL where it is installed.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { LINK_SHOP } from "../test/cast.ts";
import { findPostgres, startCluster } from "../test/postgres.ts";
import { freePort, killLeftovers, type Running, ready, runKopeck } from "../test/process.ts";
import { createInvoice, openCallers } from "./callers.ts";
import { openPages, payerAddress } from "./open-pages.ts";
import { answerParent, ask, startPart } from "./part.ts";
import { residentMb } from "./resident.ts";
import { median } from "./statistics.ts";

const PAGES = 1_000;
const CONNECTIONS = 64;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const WARM_UP_MS = 6_000;
const MIN_RATIO = 0.9;
const MAX_GROWTH_MB = 60;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Round {
  readonly rate: number;
  readonly residentMb: number;
}

async function main(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-bench-"));
  const binaries = findPostgres();
  const cluster = binaries === undefined ? undefined : await startCluster(binaries);
  const PORT = String(await freePort());
  const engine = cluster
    ? { DATABASE_URL: cluster.url("postgres") }
    : { KOPECK_DATA_DIR: join(directory, "data") };
  // Each payer has an address of her own, told by a proxy: from one address so many would be refused.
  const proxy = { KOPECK_TRUSTED_PROXIES: "127.0.0.1" };
  const gateway = runKopeck({ PORT, LOG_LEVEL: "error", ...proxy, ...engine });
  try {
    await ready(gateway);
    say(`${cluster ? "PostgreSQL" : "the embedded engine"}, ${availableParallelism()} cores`);
    return report(await measure(gateway));
  } finally {
    gateway.child.kill("SIGTERM");
    await gateway.ended;
    killLeftovers();
    cluster?.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(gateway: Running): Promise<{ alone: Round[]; waiting: Round[] }> {
  const { url, child } = gateway;
  const invoices = await issueDetails(url);
  const [callers, pages] = [part("callers", url), part("pages", url)];
  try {
    const round = async (ms: number): Promise<Round> => {
      const calls = await ask<number>(callers, ms);
      return { rate: (calls * 1000) / ms, residentMb: residentMb(child.pid) };
    };
    await round(WARM_UP_MS);
    const alone: Round[] = [];
    const waiting: Round[] = [];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      alone.push(await round(ROUND_MS));
      await ask(pages, invoices);
      waiting.push(await round(ROUND_MS));
      await ask(pages, []);
    }
    return { alone, waiting };
  } finally {
    callers.kill();
    pages.kill();
  }
}

/** Invoices whose payers have been told where to pay: what a page that waits is about. */
async function issueDetails(url: string): Promise<string[]> {
  const ids: string[] = [];
  const services = { include_service: ["p2p_card"], type: "link" };
  for (let at = 0; at < PAGES; at += 1) {
    // An amount of its own, so that a few cards are enough for all.
    const id = await createInvoice(url, LINK_SHOP, { ...services, amount: 1000 + at });
    const choice = { service: "p2p_card", bank: at % 2 === 0 ? "sber" : "tinkoff" };
    const body = new URLSearchParams(choice);
    const headers = { "x-forwarded-for": payerAddress(at) };
    const options = { method: "POST", redirect: "manual", body, headers } as const;
    const answer = await fetch(`${url}/pay/${id}`, options);
    if (answer.status !== 303) throw new Error(`no details: ${answer.status}`);
    ids.push(id);
  }
  return ids;
}

function report({ alone, waiting }: { alone: Round[]; waiting: Round[] }): number {
  const rates = [alone, waiting].map((rounds) => median(rounds.map(({ rate }) => rate)));
  const memory = [alone, waiting].map((rounds) =>
    median(rounds.map(({ residentMb }) => residentMb)),
  );
  const [before = 0, after = 0] = rates;
  const [small = 0, large = 0] = memory;
  const ratio = after / before;
  const growth = large - small;
  const every = (rounds: Round[]): string => rounds.map(({ rate }) => rate.toFixed(0)).join(" ");
  say(`POST /invoice/create, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds in turns:`);
  say("");
  say(`| open pages | requests/s | resident MB | rounds |`);
  say(`|---|---|---|---|`);
  say(`| none | ${before.toFixed(0)} | ${small.toFixed(1)} | ${every(alone)} |`);
  say(`| ${PAGES} | ${after.toFixed(0)} | ${large.toFixed(1)} | ${every(waiting)} |`);
  say("");
  say(`ratio ${ratio.toFixed(3)} (at least ${MIN_RATIO})`);
  say(`growth ${growth.toFixed(1)} MB (less than ${MAX_GROWTH_MB})`);
  say(
    `load of the machine ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}`,
  );
  return ratio < MIN_RATIO || growth >= MAX_GROWTH_MB ? 1 : 0;
}

/** This file once more, as one of the gateway's users. */
function part(role: "callers" | "pages", url: string): ChildProcess {
  return startPart(import.meta.filename, [role, url]);
}

const [role, url = ""] = process.argv.slice(2);
if (role === "callers") answerParent(openCallers(url, CONNECTIONS));
else if (role === "pages") answerParent(openPages(url));
else process.exitCode = await main();
