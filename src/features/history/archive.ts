// A month is over and leaves: everything up to its end is taken out of the tables into a schema of its own, and
// balances begin with what it came to. Guards that nothing is taken out that can still change: what is taken out
// is closed first, then looked at, and leaves in one transaction or not at all.

import { monthOf, monthText, startOfMonth } from "../../domain/month.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { StartFailure } from "../../platform/failure.ts";
import { firstIdAt, momentOf } from "../../platform/id.ts";
import {
  type Archive,
  closeMonths,
  finishArchive,
  isOfSomebody,
  listArchives,
  type Obstacle,
  obstaclesBefore,
  openMonths,
  stageArchive,
} from "./archive-queries.ts";
import { DIVIDED_TABLES, dividedTables, partitionsOf } from "./partition-queries.ts";
import { inOneStep, patiently } from "./partitions.ts";

/** Hours of figures are counted once more for two days, and quarantines take one. */
const REST_DAYS = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The end of a month, as the first id that is not in it; or why it cannot be archived whatever is in it. */
export async function endOfMonth(db: Queryable, month: string, now: Date): Promise<string> {
  const start = monthOf(month);
  if (start === undefined) throw new StartFailure("Name a month as YYYY-MM, for example 2026-08.");
  const end = startOfMonth(start, 1);
  if ((await dividedTables(db)).length < DIVIDED_TABLES.length) {
    throw new StartFailure('The tables are not in months yet: "kopeck partition" divides them.');
  }
  const last = (await listArchives(db)).at(-1);
  if (last !== undefined && last.beforeId >= firstIdAt(end)) {
    throw new StartFailure(`Everything up to ${last.month} is archived already.`);
  }
  if (now.getTime() < end.getTime() + REST_DAYS * DAY_MS) {
    throw new StartFailure(`A month can be archived ${REST_DAYS} days after its end.`);
  }
  if (await isOfSomebody(db, month)) {
    throw new StartFailure(
      `A schema has the name of the archive of ${month} and is none that was begun here: give it another.`,
    );
  }
  const beforeId = firstIdAt(end);
  for (const table of DIVIDED_TABLES) {
    const parts = await partitionsOf(db, table);
    if (parts.some((part) => part.beforeId === beforeId)) continue;
    const next = parts.find((part) => part.beforeId !== null && part.beforeId > beforeId)?.beforeId;
    const until = next && monthText(new Date(momentOf(next).getTime() - 1));
    throw new StartFailure(
      `What ${table} hold of ${month} is in one partition with later months${until ? `: archive ${until}` : ""}.`,
    );
  }
  return beforeId;
}

export type Attempt =
  | { readonly obstacles: readonly Obstacle[] }
  | { readonly archive: Archive; readonly obstacles: readonly [] };

/** Takes it out, or changes nothing and says what is in the way. */
export async function archiveMonth(
  session: Queryable,
  { month, beforeId, clock }: { month: string; beforeId: string; clock: Clock },
  say: (line: string) => void,
  note: (tx: Tx, archive: Archive) => Promise<void>,
): Promise<Attempt> {
  // Before anything is closed: nobody is to wait in vain.
  const open = await obstaclesBefore(session, beforeId, clock.now());
  if (open.length > 0) return { obstacles: open };
  try {
    await patiently(() => closeMonths(session, beforeId));
    say("closed: what is in it changes no more");
    const now = clock.now();
    const obstacles = await obstaclesBefore(session, beforeId, now);
    if (obstacles.length > 0) return { obstacles };
    await stageArchive(session, month, beforeId, now);
    say("summed up");
    // Who did it is known with it, or it was not done.
    const archive = await patiently(() =>
      inOneStep(session, async (tx) => {
        const made = await finishArchive(tx, month, beforeId, now);
        await note(tx, made);
        return made;
      }),
    );
    return { archive, obstacles: [] };
  } finally {
    await patiently(() => openMonths(session));
  }
}
