// kopeck migrate: applies what was not applied yet. A start does the same; this is for whoever
// wants it done, and said, before the start.

import { migrate } from "../platform/migrate.ts";
import { type Command, readOptions } from "./verb.ts";
import { withApp } from "./with-app.ts";

export const migrateDatabase: Command = {
  help: `Usage: kopeck migrate

Applies the migrations that the configured database has not got yet, all in one transaction, and
says which. A start does the same by itself.

  DATABASE_URL=postgresql://kopeck@localhost/kopeck kopeck migrate
`,
  async run(call) {
    readOptions("migrate", call, {});
    const applied = await withApp(call, { existing: false }, (app) => migrate(app));
    for (const name of applied) call.print(`applied ${name}\n`);
    call.print(
      applied.length === 0
        ? "all migrations were there already\n"
        : `${applied.length} applied, the database is up to date\n`,
    );
    return 0;
  },
};
