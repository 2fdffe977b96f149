// kopeck copy: a whole installation into another database, usually from the embedded engine to
// PostgreSQL. Guards that the target has all of it, checked, or nothing: one transaction.

import { isDeepStrictEqual } from "node:util";
import { ledgerTotals } from "../../features/ledger/queries.ts";
import { openInstallation } from "../../features/operators/installation.ts";
import { findInstallation } from "../../features/operators/installation-queries.ts";
import type { App } from "../../platform/app.ts";
import { hasPassword, readCopyTarget } from "../../platform/config.ts";
import { type Db, onlyRead, type Queryable, staysServed, type Tx } from "../../platform/db.ts";
import { type CopiedTable, copyTables, countRows, tableNames } from "../../platform/db-copy.ts";
import { asStartFailure, StartFailure } from "../../platform/failure.ts";
import { migrate, refuseUnmigrated } from "../../platform/migrate.ts";
import { openDb } from "../../platform/open-db.ts";
import { type LocalCall, type LocalWork, UsageFailure } from "../command.ts";
import { lineOfInput } from "../options.ts";
import { counted } from "../print.ts";
import { inspect } from "./inspect.ts";
import { withApp } from "./with-app.ts";

export const copy: LocalWork = {
  description: `Copies the configured installation, whole, into an empty PostgreSQL database, and checks the copy:
rows of every table, sums of the ledger, everything that "kopeck verify" checks. It is one
transaction: when something is wrong, the target stays without the copy. The source is only read.

Stop the gateway first; an embedded database is held by its gateway anyway. What a gateway writes to
PostgreSQL while its database is being copied is not in the copy. Afterwards start the gateway with
DATABASE_URL set to the new database, and with the same KOPECK_SECRET_KEY.`,
  options: [
    {
      name: "to",
      kind: "string",
      description:
        "The database to copy into, instead of KOPECK_COPY_TO: postgresql://user@host:5432/database; - reads it from standard input. One with a password is taken from these two only: everybody on the machine can read a command's arguments.",
      asTyped: true,
    },
  ],
  example: "KOPECK_DATA_DIR=./data kopeck copy --to - < new-database-url",
  async run({ input, env, print }) {
    const databaseUrl = readTarget(env, input["to"] as string | undefined);
    await withApp(env, { existing: true }, async (app) => {
      const target = await openDb({ ...app.config, databaseUrl }, app.log, { attended: true });
      try {
        await copyInto(target, app, print);
      } catch (error) {
        throw asStartFailure(error);
      } finally {
        await target.close();
      }
    });
    return 0;
  },
};

function readTarget(env: LocalCall["env"], to: string | undefined): string {
  const databaseUrl = readWellTyped(env, to);
  if (databaseUrl === undefined) {
    throw new UsageFailure(
      '--to is missing, and KOPECK_COPY_TO is not set: where to? See "kopeck copy --help".',
    );
  }
  if (to !== undefined && to !== "-" && hasPassword(to)) {
    throw new UsageFailure(
      "--to holds a password, which everybody on this machine can read: set KOPECK_COPY_TO instead, or write --to - and the address to standard input.",
    );
  }
  return databaseUrl;
}

/** What is wrong of the option was typed; of a variable, it was set. */
function readWellTyped(env: LocalCall["env"], to: string | undefined): string | undefined {
  if (to === undefined) return readCopyTarget(env, to);
  try {
    return readCopyTarget(env, to === "-" ? lineOfInput("to") : to);
  } catch (error) {
    throw error instanceof StartFailure ? new UsageFailure(error.message) : error;
  }
}

async function copyInto(target: Db, app: App, print: LocalCall["print"]): Promise<void> {
  await refuseUnmigrated(app.db);
  await app.db.transaction(async (source) => {
    await onlyRead(source);
    if (await staysServed(source)) {
      throw new StartFailure(
        "A gateway runs on the source: what it takes now would not be copied.",
      );
    }
    await openInstallation(source, app);
    await refuseOccupied(target);
    await migrate({ ...app, db: target });
    const done = await target.transaction(async (copied) => {
      if ((await findInstallation(copied)) !== undefined) throw occupied();
      const tables: CopiedTable[] = [];
      await copyTables(source, copied, (table) => {
        tables.push(table);
        print(`${table.table}: ${counted(table.rows, "row")}\n`);
      });
      const [difference] = await differences(source, copied, app);
      if (difference === undefined) return tables;
      throw new StartFailure(`The copy is not like its source, and was undone: ${difference}.`);
    });
    const rows = done.reduce((sum, table) => sum + table.rows, 0);
    print(`copied, verified: ${counted(rows, "row")} of ${done.length} tables\n`);
  });
}

/** In words, whatever of the copy is not as it was in the source, or not right. */
async function differences(source: Tx, copied: Tx, app: App): Promise<string[]> {
  const different: string[] = [];
  for (const table of await tableNames(copied)) {
    const [theirs, ours] = [await countRows(source, table), await countRows(copied, table)];
    if (theirs !== ours) different.push(`${table} has ${theirs} rows there and ${ours} here`);
  }
  if (!isDeepStrictEqual(await ledgerTotals(source), await ledgerTotals(copied))) {
    different.push("the sums of the ledger differ");
  }
  const { violations } = await inspect((work) => work(copied), app);
  return [...different, ...violations.map(({ name, detail }) => `${detail} (${name})`)];
}

/** Before anything is written: what is neither empty nor only migrated is somebody else's. */
async function refuseOccupied(target: Queryable): Promise<void> {
  const names = await tableNames(target);
  if (names.length === 0) return;
  if (!names.includes("schema_migrations")) {
    throw new StartFailure(`The target is not empty: it has the table ${names[0]}.`);
  }
  if (names.includes("installation") && (await findInstallation(target))) throw occupied();
}

function occupied(): StartFailure {
  return new StartFailure("The target has an installation already: copy into an empty database.");
}
