// kopeck migrate: applies what was not applied yet. In live mode nothing else does; the sandbox's start
// does the same by itself.

import { migrate } from "../platform/migrate.ts";
import { type Command, readOptions } from "./verb.ts";
import { withApp } from "./with-app.ts";

export const migrateDatabase: Command = {
  help: `Usage: kopeck migrate

Applies the migrations that the configured database has not got yet, each in a transaction of its
own, and says which. Gateways of the version before may go on running meanwhile. A migration that
does not get its locks steps back, says so and tries again, for ten minutes; what was applied stays,
and running it again goes on from there. In the sandbox a start does the same by itself.

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
