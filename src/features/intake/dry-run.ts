// What would become of a file: all of it is done, and nothing of it is kept. Money that would come of lines in
// two different sets is judged as if the other set were not there.

import type { LineOutcome } from "../../domain/line-outcome.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { applyLines, compare, recognise } from "./apply.ts";
import { knownLines } from "./line-queries.ts";
import { countsOf } from "./nouns.ts";
import type { BroughtFile } from "./read-file.ts";

const SET_SIZE = 500;
/** A few seconds of work; what becomes of further ones is not looked at. */
const MOST_TRIED = 5_000;

/** Leaves the transaction, so that nothing of it stays. */
class OnlyTried extends Error {}

export async function tryOut(app: App, file: BroughtFile) {
  const recognised = await recognise(app, file, (lines) => knownLines(app.db, lines));
  const { missing, doubtful } = await compare(app.db, recognised);
  const { read, fresh } = recognised;
  const outcomes = new Map<LineOutcome, number>();
  const states: (string | undefined)[] = [];
  const tried = fresh.slice(0, MOST_TRIED);
  for (let from = 0; from < tried.length; from += SET_SIZE) {
    const set = tried.slice(from, from + SET_SIZE);
    const judged = await rolledBack(app, (tx) => applyLines(tx, app, undefined, set, doubtful));
    for (const { outcome, state } of judged) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === "new") states.push(state);
    }
  }
  const matched = states.filter((state) => state === "matched").length;
  return {
    format: read.format,
    lines: read.lines,
    pending_lines: read.pendingLines,
    known_lines: read.lines - fresh.length,
    untried_lines: fresh.length - tried.length,
    ...countsOf(outcomes),
    missing: missing.length,
    matched,
    suspense: states.length - matched,
  };
}

async function rolledBack<Result>(app: App, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  let result: { readonly is: Result } | undefined;
  try {
    await app.db.transaction(async (tx) => {
      result = { is: await work(tx) };
      throw new OnlyTried();
    });
  } catch (error) {
    if (!(error instanceof OnlyTried) || result === undefined) throw error;
  }
  if (result === undefined) throw new Error("A trial had no result.");
  return result.is;
}
