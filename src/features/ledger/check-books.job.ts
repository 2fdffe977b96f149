// Checks the books on request, each piece in a snapshot of its own, so that old rows can be
// cleared. One gateway checks at a time; after it ends or falls silent, another one begins anew.

import type { App } from "../../platform/app.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Db, onlyRead, type Queryable } from "../../platform/db.ts";
import { inPieces } from "../../platform/db-row.ts";
import { job } from "../../platform/job.ts";
import {
  beat,
  claimCheck,
  endCheck,
  endOfPiece,
  leaveCheck,
  PARTS,
  type Part,
  planByHashes,
  violationsOfGuards,
  violationsOfPiece,
} from "./book-check-queries.ts";
import type { Violation } from "./queries.ts";

const NAMED_OF_EACH = 5;
const BEAT_MS = 10_000;
/** Whoever was not heard of for so long is gone. */
const SILENT_MS = 60_000;

class Left extends Error {}

export const checkBooksJob = job({
  name: "check-books",
  everyMs: 2_000,
  async run(app) {
    const { db, clock } = app;
    const worker = app.newId();
    const now = clock.now();
    const silentSince = new Date(now.getTime() - SILENT_MS);
    if ((await claimCheck(db, worker, now, silentSince)) === undefined) return 0;
    try {
      const found = await checkBooks(looks(app, worker), clock, NAMED_OF_EACH, () => {});
      await endCheck(db, worker, found, clock.now());
      return 1;
    } catch (error) {
      await leaveCheck(db, worker);
      if (error instanceof Left) return 0;
      throw error;
    }
  },
});

/** Each at one moment; in between it is heard of, and asked whether to go on. */
function looks(app: App, worker: string): Look {
  const { db, clock, ending } = app;
  let heardAt = clock.now().getTime();
  return async (work) => {
    if (ending.aborted) throw new Left();
    const now = clock.now();
    if (now.getTime() - heardAt >= BEAT_MS) {
      heardAt = now.getTime();
      if (!(await beat(db, worker, now))) throw new Left();
    }
    return lookAt(db, work);
  };
}

/** Reads at one moment. */
export type Look = <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>;

export function lookAt<Result>(db: Db, work: (db: Queryable) => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    await onlyRead(tx);
    return work(tx);
  });
}

/** Of each invariant so many are named, and all are counted. It says how far it is. */
export async function checkBooks(
  look: Look,
  clock: Clock,
  limit: number,
  say: (progress: string) => void,
): Promise<Violation[]> {
  let found = await look((db) => violationsOfGuards(db, limit));
  for (const part of Object.keys(PARTS) as Part[]) {
    let checked = 0;
    await inPieces(async (after, rows) => {
      say(`${part}: ${checked}`);
      checked += rows;
      // Before the snapshot: whatever is open past its end there has been so for longer.
      const now = clock.now();
      const { upTo, wrong } = await look(async (db) => {
        await planByHashes(db);
        const upTo = await endOfPiece(db, part, after, rows);
        return { upTo, wrong: await violationsOfPiece(db, part, { after, upTo }, now, limit) };
      });
      // Outside: a look may be taken twice.
      found = merged(found, wrong, limit);
      return upTo;
    });
  }
  return found;
}

/** Both as if they had been found at once. */
function merged(before: Violation[], more: readonly Violation[], limit: number): Violation[] {
  if (more.length === 0) return before;
  const kinds = Map.groupBy(before, ({ invariant }) => invariant);
  for (const [invariant, fresh] of Map.groupBy(more, (one) => one.invariant)) {
    const known = kinds.get(invariant) ?? [];
    const found = (known[0]?.found ?? 0) + (fresh[0]?.found ?? 0);
    const named = [...known, ...fresh].slice(0, limit);
    kinds.set(
      invariant,
      named.map((one) => ({ ...one, found })),
    );
  }
  return [...kinds.values()].flat().toSorted((left, right) => left.invariant - right.invariant);
}
