// The thread that a large file is read in. Lines go out in parts, on request.

import { parentPort, workerData } from "node:worker_threads";
import { Refusal } from "../../domain/refusal.ts";
import { type ReadImport, type Reading, type ReadLine, readFile } from "./read-file.ts";

export type FromThread =
  | { readonly read: ReadImport }
  | { readonly refused: Pick<Refusal, "code" | "params"> };

/** Undefined when there are no more. */
export type PartFromThread = readonly ReadLine[] | undefined;

const tell = (told: FromThread | PartFromThread): void => parentPort?.postMessage(told);

try {
  const { read, parts } = readFile(workerData as Reading);
  parentPort?.on("message", () => tell(parts.next().value ?? undefined));
  tell({ read });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  tell({ refused: { code: error.code, params: error.params } });
}
