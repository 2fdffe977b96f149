// What one of the processes of `npm test` does: it takes the next file that nobody has taken, has its tests run, and
// takes the next one. Guards that every file is run once.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

interface Wish {
  readonly files: readonly string[];
  /** How many this process takes. */
  readonly most: number;
  /** Where it is noted what was taken. */
  readonly directory: string;
  readonly timeout: number;
}

export async function takeFiles({ files, most, directory, timeout }: Wish): Promise<void> {
  let taken = 0;
  for (const file of files) {
    if (taken === most) return;
    if (!take(join(directory, encodeURIComponent(file)))) continue;
    taken += 1;
    await describe(file, { timeout }, () => import(pathToFileURL(resolve(file)).href));
  }
}

/** Of those who would write it at once, one can. */
function take(note: string): boolean {
  try {
    writeFileSync(note, "", { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
