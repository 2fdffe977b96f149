// A file that was brought, read. A large one is read in a thread of its own: it takes a second, in which nobody
// else would be answered. Guards that a statement is in the currency of its requisite.

import { Worker } from "node:worker_threads";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { requisitesById } from "../requisites/requisite-queries.ts";
import { ownAccounts } from "../requisites/wallet.ts";
import {
  type BroughtFile,
  type ReadImport,
  type Reading,
  type ReadLine,
  readFile,
} from "./read-file.ts";
import type { FromThread } from "./read-thread.ts";

/** Up to here it takes less than a thread takes to start. */
const SMALL_BYTES = 128 * 1024;

export async function readImport(
  app: App,
  file: BroughtFile,
  wantsLines = true,
): Promise<ReadImport> {
  const accounts = await ownAccounts(app);
  const reading = { ...file, accounts, timeZone: app.config.timeZone, wantsLines };
  const read = file.bytes.length <= SMALL_BYTES ? readFile(reading) : await readInThread(reading);
  await assertCurrencies(app, read);
  return read;
}

function readInThread(reading: Reading): Promise<ReadImport> {
  const thread = new Worker(new URL("./read-thread.ts", import.meta.url), {
    workerData: reading,
    execArgv: [],
  });
  const lines: ReadLine[] = [];
  return new Promise<ReadImport>((resolve, reject) => {
    thread.on("message", (told: FromThread) => {
      if ("lines" in told) lines.push(...told.lines);
      else if ("refused" in told) reject(new Refusal(told.refused.code, told.refused.params));
      else resolve({ ...told.read, lines });
    });
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`A thread that read a file ended: ${code}.`)));
  }).finally(() => thread.terminate());
}

async function assertCurrencies(app: App, { sections }: ReadImport): Promise<void> {
  const ids = [...new Set(sections.map((section) => section.requisite_id))];
  const rows = new Map((await requisitesById(app.db, ids)).map((row) => [row.id, row]));
  for (const section of sections) {
    const requisite = rows.get(section.requisite_id);
    if (requisite === undefined) throw new Refusal("requisite_not_found");
    if (requisite.currency !== section.currency) {
      throw new Refusal("statement_other_currency", { currency: section.currency });
    }
  }
}
