// An archive that is there, checked as what is in the tables is: by the same functions, which find its tables under
// the names of ours; and whether it comes to what balances begin with.

import type { App } from "../../platform/app.ts";
import type { Queryable } from "../../platform/db.ts";
import { StartFailure } from "../../platform/failure.ts";
import { checkParts, type Look, lookAt, merged } from "../ledger/check-books.ts";
import { ARCHIVED_PARTS } from "../ledger/piece-queries.ts";
import type { Violation } from "../ledger/queries.ts";
import {
  type Archive,
  listArchives,
  lookInto,
  schemaOf,
  violationsOfArchive,
} from "./archive-queries.ts";

export interface CheckedArchive {
  readonly archive: Archive;
  readonly found: Violation[];
}

export async function checkArchive(
  { db, clock }: Pick<App, "db" | "clock">,
  month: string,
  limit: number,
  say: (progress: string) => void,
): Promise<CheckedArchive> {
  const { archive, schema } = await lookAt(db, (tx) => archiveOf(tx, month));
  const look: Look = (work) =>
    lookAt(db, async (tx) => {
      await lookInto(tx, schema);
      return work(tx);
    });
  const range = { after: archive.fromId, upTo: archive.beforeId };
  const whole = await look((tx) => violationsOfArchive(tx, month, limit));
  const parts = await checkParts(look, clock, limit, say, ARCHIVED_PARTS, range);
  return { archive, found: merged(whole, parts, limit) };
}

async function archiveOf(
  db: Queryable,
  month: string,
): Promise<{ archive: Archive; schema: string }> {
  const archive = (await listArchives(db)).find((one) => one.month === month);
  if (archive === undefined) throw new StartFailure(`There is no archive of ${month}.`);
  const schema = await schemaOf(db, month);
  if (schema === undefined) {
    throw new StartFailure(
      `The archive of ${month} was taken away: bring its schema back from your dump first.`,
    );
  }
  return { archive, schema };
}
