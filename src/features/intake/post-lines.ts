// Lines that are no payer's money in the books: what left, what the bank took, what went between own accounts.
// Guards that a movement is booked once, however many formats tell of it: of equal lines of a day the books
// have as many as the format that has most of them.

import { lineCorrected, lineSeen, type SeenFate } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { post } from "../ledger/post.ts";
import { postingKindsOf } from "../ledger/queries.ts";
import { judgePosted, type SeenLine } from "./line-queries.ts";
import type { LineRow } from "./nouns.ts";

/**
 * Books those of the lines that are not judged yet, all of one format. The caller holds their requisites: two that
 * count the same movement at once would both book it.
 */
export async function postLines(tx: Tx, app: App, ids: readonly string[]): Promise<SeenLine[]> {
  if (ids.length === 0) return [];
  const judged = await judgePosted(tx, ids);
  const fresh = judged.filter(({ posted }) => posted);
  await post(
    tx,
    app,
    fresh.map((line) => lineSeen(line, line.fate)),
  );
  return judged;
}

/**
 * A person says that a line is something else. What the books have of it becomes that, and the answer is
 * whether they have it now; null where it is still to be posted, or in the books no longer. Postings are
 * never changed and each kind is made once: so a line is corrected once.
 */
export async function correctLine(
  tx: Tx,
  app: App,
  line: Omit<SeenLine, "fate" | "posted"> & Pick<LineRow, "fate" | "posted">,
  to: SeenFate | "ignored",
): Promise<boolean | null> {
  const kinds = await postingKindsOf(tx, line.sourceId);
  if (line.posted === false && to !== "ignored") throw new Refusal("line_posted_elsewhere");
  if (!line.posted || !isSeen(line.fate)) {
    if (to !== "ignored" && kinds.length > 0) throw new Refusal("line_settled");
    return null;
  }
  const posting = lineCorrected(line, line.fate, to === "ignored" ? undefined : to);
  if (posting !== null && kinds.includes(posting.kind)) throw new Refusal("line_settled");
  await post(tx, app, posting === null ? [] : [posting]);
  return to === "ignored" ? null : true;
}

export function isSeen(fate: string): fate is SeenFate {
  return fate === "outflow" || fate === "charge" || fate === "internal" || fate === "own";
}
