// Statistics for young tables; on the embedded engine also vacuum.

import type { Db } from "./db.ts";
import { job } from "./job.ts";

/** From here on the server's own rhythm is quick enough. */
const YOUNG_ROWS = 100_000;

interface Neglected {
  readonly name: string;
  readonly crowded: boolean;
}

const MAX_TABLES = 20;

/** On the embedded engine one table at a time, so that nobody waits long for its one connection. */
export const tendTablesJob = job({
  name: "tend-tables",
  everyMs: 1_000,
  async run({ db, config }) {
    const isAlone = config.databaseUrl === undefined;
    let last: string | undefined;
    for (let tables = 0; tables < (isAlone ? 1 : MAX_TABLES); tables += 1) {
      const name = await tendTable(db, isAlone);
      // The same again: somebody else is at it.
      if (name === undefined || name === last) break;
      last = name;
    }
    return 0;
  },
});

/** Sees to the table that needs it most, and says which. */
export async function tendTable(db: Db, nobodyElseDoes: boolean): Promise<string | undefined> {
  const [table] = await db.query<Neglected>(
    `select quote_ident(stat.relname) as name,
            stat.n_dead_tup > 1000 + stat.n_live_tup / 2 as crowded
     from pg_stat_user_tables stat join pg_class class on class.oid = stat.relid
     where stat.schemaname = current_schema()
       and stat.n_mod_since_analyze > 200 + greatest(class.reltuples, 0)
       and ($1 or class.reltuples < $2)
     order by stat.n_mod_since_analyze desc limit 1`,
    [nobodyElseDoes, YOUNG_ROWS],
  );
  if (table === undefined) return undefined;
  const { name, crowded } = table;
  // Whoever else is at it has it done in a moment.
  if (nobodyElseDoes && crowded) await db.query(`vacuum (analyze, skip_locked) ${name}`);
  else await db.query(`analyze (skip_locked) ${name}`);
  return name;
}
