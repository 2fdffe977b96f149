// A file that was brought: sealed, opened and read, a large one in a thread of its own.

import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { Refusal } from "../../domain/refusal.ts";
import type { CsvProfile } from "../../domain/statement-csv.ts";
import type { App } from "../../platform/app.ts";
import type { Secrets } from "../../platform/secret.ts";
import { requisitesById } from "../requisites/queries.ts";
import { ownAccounts } from "../requisites/wallet.ts";
import type { BroughtContent } from "./import-queries.ts";
import {
  type BroughtFile,
  type ReadImport,
  type Reading,
  type ReadLine,
  readFile,
} from "./read-file.ts";
import type { FromThread, PartFromThread } from "./read-thread.ts";

/** Up to here it takes less than a thread takes to start. */
const SMALL_BYTES = 128 * 1024;

/** Called for a part of the lines after another, when nothing can be refused any more. */
type TakeLines = (lines: readonly ReadLine[]) => Promise<void>;

/** Whoever only wants to know whether it can be read takes no lines. */
export async function readImport(
  app: App,
  file: BroughtFile,
  take?: TakeLines,
): Promise<ReadImport> {
  const accounts = await ownAccounts(app);
  const reading = { ...file, accounts, timeZone: app.config.timeZone };
  if (file.bytes.length > SMALL_BYTES) return readInThread(app, reading, take);
  const { read, parts } = readFile(reading);
  await assertCurrencies(app, read);
  if (take !== undefined) for (const lines of parts) await take(lines);
  return read;
}

async function readInThread(app: App, reading: Reading, take?: TakeLines): Promise<ReadImport> {
  const thread = new Worker(new URL("./read-thread.ts", import.meta.url), {
    workerData: reading,
    execArgv: [],
  });
  const heard = on(thread, "message", { close: ["exit"] });
  const next = async <Told>(): Promise<Told> => {
    const { value, done } = await heard.next();
    if (done === true) throw new Error("A thread that read a file has ended.");
    return value[0];
  };
  try {
    const told = await next<FromThread>();
    if ("refused" in told) throw new Refusal(told.refused.code, told.refused.params);
    await assertCurrencies(app, told.read);
    while (take !== undefined) {
      thread.postMessage("next");
      const lines = await next<PartFromThread>();
      if (lines === undefined) break;
      await take(lines);
    }
    return told.read;
  } finally {
    await thread.terminate();
  }
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

interface Content {
  readonly base64: string;
  readonly profile?: CsvProfile | undefined;
}

export function sealContent(secrets: Secrets, importId: string, content: Content): Buffer {
  return secrets.seal(importId, JSON.stringify(content));
}

export function openContent(
  secrets: Secrets,
  { id, requisite_id: requisiteId, content_sealed: sealed }: BroughtContent,
): BroughtFile {
  const content: unknown = JSON.parse(secrets.open(id, sealed));
  const { base64, profile } = content as Content;
  return { bytes: Buffer.from(base64, "base64"), requisiteId, profile };
}
