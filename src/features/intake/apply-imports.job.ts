// Applies files in sets of lines, each set once. After a crash the file is read again, and goes on
// where the database says.

import { setTimeout as sleep } from "node:timers/promises";
import { type MomentFormat, momentFormat } from "../../domain/moment.ts";
import { type App, perApp } from "../../platform/app.ts";
import { mayPass } from "../../platform/db.ts";
import { clearFailures } from "../../platform/db-dues.ts";
import { job, noteFailure } from "../../platform/job.ts";
import { applyLines, type Compared, compare, recognise } from "./apply.ts";
import { type BankBalance, holdRequisites, noteBankBalance } from "./balances.ts";
import {
  closeImport,
  contentOf,
  lockImport,
  lockOpen,
  nextImport,
  noteProgress,
  type OpenImport,
} from "./import-queries.ts";
import { countOwn, markMissing, seeLines } from "./line-queries.ts";
import type { ReadImport, ReadLine } from "./read-file.ts";
import { openContent } from "./read-import.ts";

export const APPLY_IMPORTS = "apply-imports";

/** As many as a list of transfers may have: a transaction of a fraction of a second. */
const SET_SIZE = 500;

/** How long whoever moves the clock waits for somebody else. */
const LOOK_AGAIN_MS = 50;
const MOST_LOOKS = 200;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A file that is being applied: what of it is new, and how far that is. */
interface UnderWay extends Compared {
  readonly id: string;
  readonly lines: number;
  readonly known: number;
  readonly fresh: readonly ReadLine[];
  readonly requisiteIds: readonly string[];
  /** What the bank says each account held at the end of the last day that is over. */
  readonly closings: readonly BankBalance[];
  /** So many of the fresh ones are done. */
  done: number;
}

/** One at a time: it is as large as its file. */
const underWay = perApp((): { file?: UnderWay | undefined; seen?: Seen } => ({}));

/** How far an import was when it was last looked at: while it moves on, somebody else is at it. */
interface Seen {
  readonly id: string;
  readonly done: number;
}

export const applyImportsJob = job({
  name: APPLY_IMPORTS,
  everyMs: 500,
  run,
  due: {
    nextAt: async () => undefined,
    /** Also of what somebody else is at, or has left. */
    async settle(app) {
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        while ((await run(app)) > 0);
        const open = await nextImport(app.db, APPLY_IMPORTS, app.clock.now());
        if (open === undefined) return;
        await sleep(LOOK_AGAIN_MS);
      }
    },
  },
});

async function run(app: App): Promise<number> {
  const kept = underWay(app);
  const open = await nextImport(app.db, APPLY_IMPORTS, app.clock.now());
  if (open === undefined) {
    kept.file = undefined;
    return 0;
  }
  try {
    if (kept.file?.id !== open.id) {
      const { id, done_lines: done } = open;
      const isStill = kept.seen?.id === id && kept.seen.done === done;
      kept.seen = { id, done };
      if (done > 0 && !isStill) return 0;
      kept.file = await begin(app, open);
    }
    if (kept.file === undefined) return 0;
    const isDone = await applySet(app, kept.file);
    if (!isDone) kept.file = undefined;
    return isDone ? 1 : 0;
  } catch (error) {
    kept.file = undefined;
    if (mayPass(error)) throw error;
    // Nobody tries what was dropped meanwhile again, and nobody drops it until this is written.
    await app.db.transaction(async (tx) => {
      const isThere = await lockOpen(tx, open.id);
      if (isThere) await noteFailure({ ...app, db: tx }, APPLY_IMPORTS, open.id, error);
    });
    return 0;
  }
}

async function begin(app: App, open: OpenImport): Promise<UnderWay | undefined> {
  const content = await contentOf(app.db, open.id);
  if (content === undefined) return undefined;
  const file = openContent(app.secrets, content);
  const recognised = await recognise(app, file, (lines) => seeLines(app.db, open.id, lines));
  const compared = await compare(app.db, recognised, open.id);
  const own = await countOwn(app.db, open.id);
  const { read, fresh } = recognised;
  const known = read.lines - fresh.length - own;
  const closings = closingsOf(read, momentFormat(app.config.timeZone), app.clock.now());
  // What waits for its balance is known to be true by these before a line of another day tells of it.
  await app.db.transaction(async (tx) => {
    if (!(await lockOpen(tx, open.id))) return;
    for (const closing of closings) await noteBankBalance(tx, app, closing);
  });
  const requisiteIds = read.sections.map((section) => section.requisite_id);
  return {
    ...compared,
    id: open.id,
    lines: read.lines,
    known,
    fresh,
    requisiteIds,
    closings,
    done: 0,
  };
}

/**
 * Of a day that is not over, nobody knows at which moment the bank has looked. All that a file tells of an account is
 * one statement, also where the bank has a section for each day.
 */
function closingsOf({ sections }: ReadImport, zone: MomentFormat, now: Date): BankBalance[] {
  const over = sections.flatMap(({ closing_minor: balanceMinor, ...section }) =>
    balanceMinor === null || section.to_day >= zone.day(now) ? [] : [{ ...section, balanceMinor }],
  );
  const inOrder = over.toSorted((a, b) => a.to_day.localeCompare(b.to_day));
  const accounts = Map.groupBy(inOrder, (section) => section.requisite_id);
  return [...accounts.values()]
    .flatMap((own): BankBalance[] => {
      const [[first], last] = [own, own.at(-1)];
      if (first === undefined || last === undefined) return [];
      const { requisite_id: requisiteId, opening_minor: openingMinor } = first;
      const wasEmpty = own.some((one) => one.wasEmpty || one.opening_minor === 0n);
      const days = { from: zone.startOf(first.from_day), at: endOf(last.to_day, zone) };
      return [{ requisiteId, openingMinor, balanceMinor: last.balanceMinor, wasEmpty, ...days }];
    })
    .toSorted((a, b) => (a.requisiteId < b.requisiteId ? -1 : 1));
}

function endOf(day: string, zone: MomentFormat): Date {
  const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
  return new Date(zone.startOf(next).getTime() - 1);
}

/** False where somebody else is at it, or has gone on with it: then it is begun anew. */
async function applySet(app: App, file: UnderWay): Promise<boolean> {
  const set = file.fresh.slice(file.done, file.done + SET_SIZE);
  const before = file.lines - file.fresh.length + file.done;
  const missing = await app.db.transaction(async (tx) => {
    const done = await lockImport(tx, file.id);
    if (done === undefined) return undefined;
    // What was known is written down with the first set.
    const isFirst = done === 0 && file.done === 0;
    if (done !== before && !isFirst) return undefined;
    await holdRequisites(tx, file.requisiteIds);
    await applyLines(tx, app, file.id, set, file.doubtful);
    const isOver = file.done + set.length === file.fresh.length;
    if (!isOver) {
      await noteProgress(tx, file.id, { done: before + set.length, known: file.known });
      return 0;
    }
    const lost = await markMissing(tx, file.id, file.missing);
    for (const closing of file.closings) await noteBankBalance(tx, app, closing);
    await noteProgress(tx, file.id, { done: file.lines, known: file.known });
    await closeImport(tx, file.id, app.clock.now());
    await clearFailures(tx, APPLY_IMPORTS, [file.id]);
    return lost;
  });
  if (missing === undefined) return false;
  file.done += set.length;
  if (missing > 0) {
    app.log.warn({ import: file.id, lines: missing }, "a statement no longer has lines of before");
  }
  return true;
}
