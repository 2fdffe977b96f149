// The books checked piece by piece, each piece in a snapshot of its own: a snapshot that is held for long
// keeps a live database from clearing away old rows. What belongs together is in one piece, and so right
// however money moves between two of them.

import type { Clock } from "../../platform/clock.ts";
import { type Db, onlyRead, type Queryable } from "../../platform/db.ts";
import { inPieces } from "../../platform/db-row.ts";
import {
  endOfPiece,
  PARTS,
  type Part,
  planByHashes,
  violationsOfGuards,
  violationsOfPiece,
} from "./piece-queries.ts";
import type { Violation } from "./queries.ts";

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
