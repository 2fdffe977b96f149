// An older Kopeck out of this repository's own history: the newest whose tables ours grow out of. A file of
// its migrations that was changed since, as only unreleased ones are, makes a commit of no use.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const MIGRATIONS = "migrations";

export interface Older {
  readonly commit: string;
  /** How many migrations it knows. */
  readonly knows: number;
}

/** Nothing where there is no git, or no history. */
function git(...args: string[]): string[] {
  const { stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return (stdout ?? "").split("\n").filter(Boolean);
}

/** As git names a content. */
function blobOf(content: Buffer): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

export function findOlder(): Older | undefined {
  const own = readdirSync(join(ROOT, MIGRATIONS))
    .toSorted()
    .map((name) => `${blobOf(readFileSync(join(ROOT, MIGRATIONS, name)))} ${MIGRATIONS}/${name}`);
  for (const changed of git("rev-list", "--full-history", "HEAD", "--", MIGRATIONS)) {
    for (const commit of git("rev-parse", `${changed}^@`)) {
      const files = git("ls-tree", "--format=%(objectname) %(path)", commit, `${MIGRATIONS}/`);
      const isBefore = files.every((file, index) => file === own[index]);
      const knows = files.length;
      if (isBefore && knows > 0 && knows < own.length) return { commit, knows };
    }
  }
  return undefined;
}

/** Its entrance, in a directory that is the caller's; packages are ours. */
export function unpack({ commit }: Older, directory: string): string {
  mkdirSync(directory);
  const archive = spawnSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 2 ** 28 });
  const unpacked = spawnSync("tar", ["-x", "-C", directory], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0) throw new Error(`${commit} is not unpacked`);
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return join(directory, "bin/kopeck.mjs");
}
