// A database that is away: one line when the first caller notices and one when it is back, however many fail
// meanwhile. Whoever was refused is counted, and told by its own door. Whoever starts waits a while.

import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "./db.ts";
import { codeOf } from "./failure.ts";
import type { Log } from "./log.ts";

const LOOK_EVERY_MS = 1_000;

/** The disk is full, or fails: a server that answers and reads says nothing of that. */
const OF_DISK = new Set(["53100", "58030"]);

/**
 * Fails where a table could take no further pages: a megabyte of a file that the server throws away at once,
 * where tables lie. A row that is changed mostly finds room in its page, however full the disk is.
 */
export const TAKES_PAGES = `
  select set_config('work_mem', '64kB', true),
         set_config('temp_tablespaces', current_setting('default_tablespace'), true);
  select count(*) from generate_series(1, 100000)`;

export type Outage = ReturnType<typeof openOutage>;

/** Whether it would take a write, and, where that is asked for, pages too. */
type Answers = (needsPages: boolean) => Promise<boolean>;

/** One for all connections of a process. */
export function openOutage(log: Log) {
  let since: number | undefined;
  let failures = 0;
  let isFull = false;
  let hasBegun = false;
  const look = async (answers: Answers, failuresBefore: number): Promise<void> => {
    const isBack = (await answers(isFull)) && failures === failuresBefore;
    if (!isBack || since === undefined) return later(answers);
    const seconds = Math.round((performance.now() - since) / 1000);
    log.info({ seconds, failures }, "the database is back");
    since = undefined;
    failures = 0;
    isFull = false;
  };
  const later = (answers: Answers): void => {
    setTimeout(() => void look(answers, failures), LOOK_EVERY_MS).unref();
  };
  return {
    /** Until then nothing is said: a start that fails has its own line, which is the only one. */
    begin(): void {
      hasBegun = true;
    },
    /** Somebody has failed for that reason; the question is asked until it is answered by yes. */
    note(error: unknown, answers: Answers): void {
      if (!hasBegun) return;
      failures += 1;
      isFull ||= OF_DISK.has(codeOf(error));
      const reason = error instanceof Error ? error.message : String(error);
      if (since !== undefined) return;
      since = performance.now();
      log.error({ reason }, "the database is away, or too slow: what needs it is refused");
      later(answers);
    },
    /** The disk had no room when it was last asked for some. */
    isFull: (): boolean => isFull,
  };
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;

/** The server is there and not ready yet. By the code: it says so in its own language. */
const NOT_YET = "57P03";
/** It is too busy to have answered. */
const TOO_SLOW = /connection timeout|timeout (exceeded|expired)/;

function comesSoon(error: unknown): boolean {
  return codeOf(error) === NOT_YET || TOO_SLOW.test(String(error));
}

/** A role or a server can be set so. Each connection is set otherwise; a pooler may hand out one that is not. */
const FORGETFUL =
  "synchronous_commit is off for this role: this gateway waits for the disk all the same, but behind a pooler what was answered may be lost where the database server crashes";

/**
 * For a gateway's first question. After a reboot the server recovers while gateways start, and on a busy
 * machine it takes its time. An address where nobody is, or that says no, is the operator's to mend.
 */
export async function whenAnswering(db: Queryable, log: Log): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      const [row] = await db.query<{ waits: string }>(
        "select reset_val as waits from pg_settings where name = 'synchronous_commit'",
        [],
      );
      if (row?.waits === "off") log.warn({}, FORGETFUL);
      return;
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      if (!comesSoon(cause) || performance.now() > until) throw error;
      if (tries === 1) log.info({}, "the database is not ready yet: this waits for it");
    }
    await sleep(PAUSE_MS);
  }
}
