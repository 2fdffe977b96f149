// A statement of a hundred thousand lines, nine of ten of which an earlier file had: how long until all of it
// is applied, what the process takes meanwhile, and how long somebody else's request waits for it.

import { setTimeout as sleep } from "node:timers/promises";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import { REQUISITE_IDS } from "./population.ts";
import { residentMb } from "./resident.ts";
import { type Closable, group, most, type Row } from "./row.ts";
import type { Scene } from "./scene.ts";
import { type Database, type Server, startServer } from "./stage.ts";

interface Desk extends Closable {
  readonly database: Database;
  /** What came of the one import, for both rows. */
  applied?: Promise<Applied>;
}

interface Applied {
  readonly seconds: number;
  readonly mostMb: number;
  readonly longestMs: number;
}

const PROFILE = {
  delimiter: ";",
  date_form: "yyyy-mm-dd",
  date: "day",
  amount: "sum",
  id: "id",
};

const MONTH = 28;

function statement(lines: number): string {
  const rows = Array.from({ length: lines }, (_, index) => {
    const day = String((index % MONTH) + 1).padStart(2, "0");
    return `2026-02-${day};${100 + (index % 5_000)}.${String(index % 100).padStart(2, "0")};id-${index}`;
  });
  return `day;sum;id\n${rows.join("\n")}\n`;
}

async function openDesk({ engine }: Scene): Promise<Desk> {
  const database = await engine.database();
  return { database, close: () => database.drop() };
}

async function call(
  server: Server,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${server.url}/manage/${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
  });
  const { data, error } = (await answer.json()) as {
    data: Record<string, unknown>;
    error?: unknown;
  };
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(error)}`);
  return data;
}

/** From the request to the last line. */
async function bring(server: Server, lines: number): Promise<Record<string, unknown>> {
  const content = Buffer.from(statement(lines)).toString("base64");
  const file = { filename: `${lines}.csv`, content, profile: PROFILE };
  const { import_id } = await call(server, "imports", { ...file, requisite_id: REQUISITE_IDS[0] });
  for (;;) {
    const done = await call(server, `imports/${import_id}`);
    if (done["applied_at"] !== null) return done;
    await sleep(100);
  }
}

/** In a process of its own: what an import before it has left in memory is not this one's. */
async function measureImport({ sizes, say }: Scene, { database }: Desk): Promise<Applied> {
  const lines = sizes.importLines;
  const before = await startServer(database);
  await bring(before, lines * 0.9);
  await before.stop();
  say("  nine of ten lines are known");
  const server = await startServer(database);
  const watch = { isOver: false, mostMb: 0, longestMs: 0 };
  const watching = (async () => {
    while (!watch.isOver) {
      watch.mostMb = Math.max(watch.mostMb, residentMb(server.pid));
      const askedAt = performance.now();
      await (await fetch(`${server.url}/healthz`)).text();
      watch.longestMs = Math.max(watch.longestMs, performance.now() - askedAt);
      await sleep(10);
    }
  })();
  const startedAt = performance.now();
  const { known_lines: known, booked } = await bring(server, lines);
  const seconds = (performance.now() - startedAt) / 1000;
  watch.isOver = true;
  await watching;
  await server.stop();
  if (known !== lines * 0.9 || booked !== lines * 0.1) {
    throw new Error(`of ${lines} lines ${known} were known and ${booked} booked`);
  }
  return { seconds, mostMb: watch.mostMb, longestMs: watch.longestMs };
}

function row(
  name: string,
  what: string,
  unit: "s" | "MB" | "ms",
  goal: number,
  figure: keyof Applied,
): Row<Desk> {
  return {
    name,
    what: `a statement of 100,000 lines, 90 % known: ${what}`,
    unit,
    goals: { postgres: most(goal, "figure") },
    async measure(scene, desk) {
      desk.applied ??= measureImport(scene, desk);
      return { ours: { rounds: [(await desk.applied)[figure]] } };
    },
  };
}

export const IMPORTS = group(openDesk, [
  row("import-time", "until it is applied", "s", 60, "seconds"),
  row("import-memory", "the process meanwhile, at most", "MB", 300, "mostMb"),
  row("import-pause", "the longest that another request waits", "ms", 500, "longestMs"),
]);
