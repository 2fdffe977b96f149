// The thread that a large file is read in. Its lines are handed over a part at a time, so that whoever takes them
// is never kept for long.

import { parentPort, workerData } from "node:worker_threads";
import { Refusal } from "../../domain/refusal.ts";
import { type ReadImport, type Reading, type ReadLine, readFile } from "./read-file.ts";

export type FromThread =
  | { readonly lines: readonly ReadLine[] }
  | { readonly read: Omit<ReadImport, "lines"> }
  | { readonly refused: Pick<Refusal, "code" | "params"> };

const PART = 1_000;

const tell = (told: FromThread): void => parentPort?.postMessage(told);

try {
  const reading = workerData as Reading;
  const { lines: all, ...read } = readFile(reading);
  const lines = reading.wantsLines ? all : [];
  for (let from = 0; from < lines.length; from += PART) {
    tell({ lines: lines.slice(from, from + PART) });
  }
  tell({ read });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  tell({ refused: { code: error.code, params: error.params } });
}
