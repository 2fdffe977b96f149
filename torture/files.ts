// A gateway that is killed while payouts are put into a file for the bank: before each of the four things that are
// written in its transaction, once it is committed, and at any moment. Afterwards every payout is in exactly one
// file, which can be downloaded, or in none and still in line.

import { setTimeout as sleep } from "node:timers/promises";
import { documentOf } from "../src/domain/payout-file.ts";
import { type Db, OF_GATEWAYS } from "../src/platform/db.ts";
import { USER } from "../test/cast.ts";
import { manage } from "../test/manage.ts";
import { pauseRail } from "../test/payouts.ts";
import { accepted } from "./accepted.ts";
import { eventually } from "./eventually.ts";
import { beside } from "./gateway-process.ts";
import type { Part, Trial } from "./part.ts";
import { type Caller, countOf, earn, newOrder, openMortalGateway, timeOf } from "./payouts.ts";
import { missingPostgres } from "./throwaway-postgres.ts";
import { brokenInvariants } from "./witness/books.ts";

/** Where the gateway is killed; by the table that it waits for then, because somebody has locked it. */
const WAITS_FOR = new Map([
  ["before payouts are chosen", "payouts"],
  ["before the file is stored", "payout_batches"],
  ["before its payouts are claimed", "payout_attempts"],
  ["before it is in the audit log", "audit_log"],
]);
const [STORED, ANY] = ["once the file is stored", "at any moment"] as const;
const MOMENTS = [...WAITS_FOR.keys(), STORED, ANY];
const killed = (moment: string): string => `gateways killed ${moment}`;

const NONE = "kills that left no file";
const WHOLE = "kills that left a whole file";

const PAYOUTS_A_KILL = 20;
const LATEST_MS = 60;

export const files: Part = {
  name: "files",
  about: "a gateway killed while it puts payouts into a file; each is in one, or still in line",
  faults: MOMENTS.map(killed),
  states: [NONE, WHOLE],
  missing: missingPostgres,
  async run(trial) {
    const { env, gateway, caller } = await openMortalGateway(trial);
    await pauseRail(caller);
    await earn(caller);
    const kills = trial.size(MOMENTS.length, 120);
    await beside(env, async (db) => {
      const kill = () => gateway.kill();
      for (let nth = 0; nth < kills; nth += 1) {
        const moment = MOMENTS[nth % MOMENTS.length] ?? ANY;
        await askForPayouts(caller, nth * PAYOUTS_A_KILL);
        const before = await countFiles(db);
        const told = await killInExport(trial, { db, caller, kill }, moment);
        await eventually("the end of what the dead one had begun", () => isAlone(db));
        const made = (await countFiles(db)) - before;
        if (WAITS_FOR.has(moment) && made !== 0) trial.violation(`a file, killed ${moment}`);
        if (told && made !== 1) trial.violation(`${made} files, and one was told`);
        trial.count(killed(moment));
        trial.count(made === 0 ? NONE : WHOLE);
        await gateway.start();
        await judge(trial, caller, db);
      }
      // What is left goes into one more, and nothing into two.
      await askForPayouts(caller, kills * PAYOUTS_A_KILL);
      accepted(await exportAll(caller));
      const made = await judge(trial, caller, db);
      const sending = await countOf(db, "payouts where state = 'sending'");
      if (sending !== (kills + 1) * PAYOUTS_A_KILL) {
        trial.violation(`${sending} payouts are in files in the end`);
      }
      await gateway.stop();
      for (const what of await brokenInvariants(db, await timeOf(db))) trial.violation(what);
      trial.fact("payouts", (kills + 1) * PAYOUTS_A_KILL);
      trial.fact("files", made);
    });
  },
};

async function askForPayouts(caller: Caller, from: number): Promise<void> {
  const headers = { "x-api-signature-sha256": USER.secret };
  const numbers = Array.from({ length: PAYOUTS_A_KILL }, (_, nth) => from + nth);
  const answers = await Promise.all(
    numbers.map((number) => caller.call("/payoff/create", { headers, body: newOrder(number) })),
  );
  for (const answer of answers) accepted(answer);
}

const exportAll = (caller: Caller) => manage(caller).ask("payout-batches", { format: "csv" });

interface Scene {
  readonly db: Db;
  readonly caller: Caller;
  readonly kill: () => Promise<void>;
}

/** Whether somebody was told of a file. */
async function killInExport(
  trial: Trial,
  { db, caller, kill }: Scene,
  moment: string,
): Promise<boolean> {
  const begin = () => exportAll(caller).catch(() => undefined);
  const table = WAITS_FOR.get(moment);
  if (table !== undefined) {
    const answer = await db.transaction(async (tx) => {
      await tx.query(`lock table ${table} in exclusive mode`);
      const asking = begin();
      await eventually(`an export that waits for ${table}`, async () => {
        const locks = `pg_locks where not granted and relation = '${table}'::regclass`;
        return (await countOf(tx, locks)) > 0;
      });
      await kill();
      return asking;
    });
    return answer?.status === 200;
  }
  const before = await countFiles(db);
  const asking = begin();
  if (moment === ANY) await sleep(trial.random.between(0, LATEST_MS));
  else await eventually("a file", async () => (await countFiles(db)) > before);
  await kill();
  return (await asking)?.status === 200;
}

const countFiles = (db: Db): Promise<number> => countOf(db, "payout_batches");

const isAlone = async (db: Db): Promise<boolean> =>
  (await countOf(db, `pg_stat_activity where ${OF_GATEWAYS}`)) === 0;

interface Standing {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly batches: readonly string[];
}

const STANDING = `select id, state, attempts,
    array(select batch_id::text from payout_attempts where payout_id = payout.id) as batches
  from payouts payout`;

/** How many files there are: all of them are downloaded, and read. */
async function judge(trial: Trial, caller: Caller, db: Db): Promise<number> {
  const own = manage(caller);
  /** By the document's number, the files that it is in. */
  const found = new Map<string, string[]>();
  const all: string[] = [];
  for (let after = ""; ; ) {
    const { items, next } = await own.get(`payout-batches?limit=100${after}`);
    for (const { batch_id, payouts } of items) {
      const { content } = await own.post(`payout-batches/${batch_id}/file`);
      const [, ...rows] = Buffer.from(content, "base64").toString().trimEnd().split("\r\n");
      if (rows.length !== payouts) trial.violation(`${rows.length} rows of ${payouts}`);
      for (const row of rows) {
        const number = row.split(";")[0] ?? "";
        found.set(number, [...(found.get(number) ?? []), batch_id]);
      }
      all.push(batch_id);
    }
    if (!next) break;
    after = `&after=${next}`;
  }
  for (const { id, state, attempts, batches } of await db.query<Standing>(STANDING, [])) {
    const inFiles = found.get(documentOf(id)) ?? [];
    const isIn = inFiles.length === 1 && state === "sending" && attempts === 1;
    const isInLine = inFiles.length === 0 && state === "queued" && attempts === 0;
    if (!(isIn || isInLine) || batches.join() !== inFiles.join()) {
      trial.violation(`${id} is ${state}, in ${inFiles.length} files, tried ${attempts} times`);
    }
  }
  return all.length;
}
