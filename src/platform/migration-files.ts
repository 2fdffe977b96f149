// The files of migrations: their order, their seed data, and whether each is one transaction. Guards that no number
// is left out.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Migration = ReturnType<typeof toMigration>;

const OWN = join(import.meta.dirname, "../../migrations");

/** "create index concurrently" refuses a transaction. What is interrupted is run again, from its start. */
const NO_TRANSACTION = /^-- no transaction\b/m;
/** Stands for the rows of a CSV file beside it, which has no quotes and begins with the names of its columns. */
const SEED = /:(\w+\.csv)\b/g;
const NAME = /^(?<number>\d{2})_.*\.sql$/;

export function readMigrations(directory = OWN): Migration[] {
  const names = readdirSync(directory).filter((name) => NAME.test(name));
  return names.toSorted().map((name, index) => {
    const version = Number(NAME.exec(name)?.groups?.["number"]);
    if (version !== index + 1) throw new Error(`The migrations skip a number before ${name}.`);
    const text = readFileSync(join(directory, name), "utf8");
    const seeded = text.replaceAll(SEED, (_, file) =>
      rowsOf(readFileSync(join(directory, file), "utf8")),
    );
    return toMigration(version, name, seeded);
  });
}

function rowsOf(csv: string): string {
  const [, ...lines] = csv.trimEnd().split("\n");
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return lines.map((line) => `\n  (${line.split(",").map(quoted).join(", ")})`).join(",");
}

function toMigration(version: number, name: string, text: string) {
  const [header = ""] = /^(?:--.*\n)*/.exec(text) ?? [];
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
  };
}
