// The files of migrations: their order, and what each says of itself in the comments it begins with. Guards
// the rule of upgrades without a stop: code runs on the tables of the next version, too.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Migration = ReturnType<typeof toMigration>;

const OWN = join(import.meta.dirname, "../../migrations");

/** "create index concurrently" refuses a transaction. What is interrupted is run again, from its start. */
const NO_TRANSACTION = /^-- no transaction\b/m;
/** What takes something away that older code uses. */
const NEEDS_CODE = /^-- needs code (\d+)\b/m;

export function readMigrations(directory = OWN): Migration[] {
  const names = readdirSync(directory).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  return names.toSorted().map((name, index) => {
    const version = Number(name.slice(0, 4));
    if (version !== index + 1) throw new Error(`The migrations skip a number before ${name}.`);
    return toMigration(version, name, readFileSync(join(directory, name), "utf8"));
  });
}

function toMigration(version: number, name: string, text: string) {
  const [header = ""] = /^(?:--.*\n)*/.exec(text) ?? [];
  const needsCode = Number(NEEDS_CODE.exec(header)?.[1] ?? 0);
  if (needsCode >= version) {
    throw new Error(
      `${name} needs code ${needsCode}: code that knows ${version - 1} must run on it, too. Let go of it there first.`,
    );
  }
  const inTransaction = !NO_TRANSACTION.test(header);
  return {
    version,
    name,
    checksum: createHash("sha256").update(text).digest("hex"),
    /** The whole file where it is one transaction; without one, what is sent one after another. */
    statements: inTransaction
      ? [text]
      : text.split(/;\s*$/m).filter((one) => /^\s*[^\s-]/m.test(one)),
    inTransaction,
    /** The last migration that code must know to run on it; 0 where it only adds. */
    needsCode,
  };
}
