// kopeck migrate: applies new migrations. The sandbox does it at its start.

import { migrate } from "../../platform/migrate.ts";
import type { LocalWork } from "../command.ts";
import { withApp } from "./with-app.ts";

export const migrateDatabase: LocalWork = {
  description: `Applies the migrations that the configured database has not got yet, each in a transaction of its
own, and says which. Stop the gateways first, unless nothing is left to apply. A migration that
does not get its locks steps back, says so and tries again, for ten minutes; what was applied stays,
and running it again goes on from there. In the sandbox a start does the same by itself.`,
  options: [],
  example: "DATABASE_URL=postgresql://kopeck@localhost/kopeck kopeck migrate",
  async run({ env, print }) {
    const applied = await withApp(env, { existing: false }, (app) => migrate(app));
    for (const name of applied) print(`applied ${name}\n`);
    print(
      applied.length === 0
        ? "all migrations were there already\n"
        : `${applied.length} applied, the database is up to date\n`,
    );
    return 0;
  },
};
