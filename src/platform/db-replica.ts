// A standby that only reads, beside the primary: how old what it shows is, and whether it is asked at all.
// Guards that it answers nobody while it is away, too far behind, no standby, another database than ours or one
// that follows somebody else, and that whoever it fails is answered by the primary.

import { setTimeout as sleep } from "node:timers/promises";
import type { Db, Queryable } from "./db.ts";
import { isFailure, StartFailure } from "./failure.ts";
import type { Log } from "./log.ts";
import { openSeldom } from "./log-seldom.ts";
import type { Metrics } from "./metrics.ts";

const LOOK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;
/** At a start it is waited for as often as this, for a tenth of a second each. */
const FIRST_LOOKS = 5;
/** An hour of looks; while it is further behind none is added. */
const MAX_MARKS = 3_600;

/** Why it is not asked. */
export type ReplicaTrouble = "away" | "behind" | "writes" | "another" | "strayed" | "unseen";

const WORDS: Readonly<Record<ReplicaTrouble, string>> = {
  away: "the replica does not answer",
  behind: "the replica is too far behind",
  writes: "the replica takes writes, so it is no standby",
  another: "the replica is another database than the primary",
  strayed: "the replica is not known to follow the primary: their timelines differ",
  unseen: "nobody knows yet how far the replica is behind",
};

interface Read<Result> {
  readonly answer: Result;
  /** What it shows was so at most that long ago. */
  readonly ageSeconds: number;
}

export type Replica = ReturnType<typeof watchReplica>;

export function watchReplica(
  db: Db,
  log: Log,
  maxLagSeconds: number,
  nowMs: () => number = () => performance.now(),
) {
  const openedAt = nowMs();
  const tellSeldom = openSeldom(log);
  /** Where the primary's log ended, and when: those that the replica has not come to yet. */
  let marks: { readonly position: bigint; readonly at: number }[] = [];
  let lastPosition = 0n;
  let identity: string | undefined;
  let timeline: number | undefined;
  /** Everything that was committed by then is seen, by the steady clock. */
  let freshAt: number | undefined;
  let trouble: ReplicaTrouble | undefined = "unseen";
  let told: ReplicaTrouble | "read" | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Those who wait for an answer, and are sent to the primary where none will come. */
  const waiting = new Set<() => void>();

  const lagSeconds = (): number => (nowMs() - (freshAt ?? openedAt)) / 1000;

  const markPrimary = async (primary: Queryable): Promise<void> => {
    const at = nowMs();
    const seen = await within(primaryEnd(primary));
    ({ identity, timeline } = seen);
    // After a failover the log may go on from an earlier position: what was noted of the other is void.
    if (seen.position < lastPosition) marks = [];
    lastPosition = seen.position;
    if (marks.length < MAX_MARKS) marks.push({ position: seen.position, at });
  };

  const judge = async (): Promise<ReplicaTrouble | undefined> => {
    const seen = await within(replicaState(db));
    if (identity !== undefined && seen.identity !== identity) return "another";
    if (!seen.reads) return "writes";
    // Positions of two timelines say nothing of each other: it may follow a primary that was, and is nobody's now.
    if (timeline !== undefined && seen.timeline !== timeline) return "strayed";
    while (marks[0] !== undefined && marks[0].position <= (seen.position ?? 0n)) {
      freshAt = marks.shift()?.at;
    }
    // Who was too far behind has to be well within the bound again: else it would go to and fro.
    const bound = trouble === "behind" ? maxLagSeconds / 2 : maxLagSeconds;
    if (lagSeconds() > bound) return "behind";
    return freshAt === undefined ? "unseen" : undefined;
  };

  const look = async (primary: Queryable): Promise<void> => {
    // A primary that does not answer says nothing of the replica: what it shows only gets older.
    await markPrimary(primary).catch(() => {});
    trouble = await judge().catch(() => "away" as const);
    if (trouble !== undefined) for (const leave of waiting) leave();
  };

  const tell = (metrics: Metrics): void => {
    const seconds = lagSeconds();
    metrics.gauge("kopeck_replica_lag_seconds", "How old what the replica shows is.", seconds);
    const isRead = trouble === undefined;
    metrics.gauge(
      "kopeck_replica_read",
      "1 while lists are read from the replica.",
      Number(isRead),
    );
    if (trouble === "unseen" || told === (trouble ?? "read")) return;
    const wasRead = told === undefined || told === "read";
    told = trouble ?? "read";
    const about = { lag_seconds: Math.round(seconds) };
    if (trouble === undefined) log.info({}, "lists are read from the replica");
    else if (wasRead) log.warn(about, `${WORDS[trouble]}: lists are read from the primary`);
    // Seldom: one that is slow may be away and behind in turns.
    else tellSeldom("warn", trouble, about, `${WORDS[trouble]}: it is still not read`);
  };

  return {
    /** What is remembered of it, apart from what is remembered of the primary. */
    memory: new Map<unknown, unknown>(),
    maxLagSeconds,
    lagSeconds,
    connections: () => db.connections?.(),
    trouble: (): ReplicaTrouble | undefined => trouble,
    /** Undefined where it is not to be asked, or has failed: then the primary is. */
    async ask<Result>(work: (db: Db) => Promise<Result>): Promise<Read<Result> | undefined> {
      const ageSeconds = lagSeconds();
      if (trouble !== undefined || ageSeconds > maxLagSeconds) return undefined;
      const { promise: left, resolve } = Promise.withResolvers<undefined>();
      const leave = (): void => resolve(undefined);
      waiting.add(leave);
      try {
        const read = work(db).then((answer) => ({ answer, ageSeconds }));
        return await Promise.race([read, left]);
      } catch (error) {
        // Whatever it is: if it is the caller's fault, the primary says so as well.
        const isRefusal = isFailure(error) && error.status < 500;
        if (!isRefusal)
          tellSeldom(
            "info",
            "replica",
            { err: error },
            "the replica failed: the primary was asked",
          );
        return undefined;
      } finally {
        waiting.delete(leave);
      }
    },
    /** Refuses to start with another database; one that is away is waited for, and nobody else waits. */
    async start(primary: Queryable, metrics: Metrics): Promise<void> {
      for (let looks = 0; looks < FIRST_LOOKS && trouble === "unseen"; looks += 1) {
        if (looks > 0) await sleep(LOOK_EVERY_MS / 10);
        await look(primary);
      }
      if (trouble === "another") {
        throw new StartFailure(
          "KOPECK_REPLICA_URL leads to another database than DATABASE_URL: it must be a standby of it.",
        );
      }
      tell(metrics);
      let isLooking = false;
      timer = setInterval(() => {
        if (isLooking) return;
        isLooking = true;
        void look(primary).finally(() => {
          isLooking = false;
          tell(metrics);
        });
      }, LOOK_EVERY_MS).unref();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await db.close();
    },
  };
}

async function within<Result>(answer: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, ANSWER_WITHIN_MS, new Error("no answer in time")).unref();
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** A copy of a server has its number, and a database's own in it. */
const IDENTITY = `(select system_identifier from pg_control_system()) || ' ' ||
       (select oid from pg_database where datname = current_database()) as identity`;

interface PrimaryState {
  readonly position: bigint;
  readonly identity: string;
  readonly timeline: number;
}

/** The file that its log is written to begins with the timeline, from the moment of a promotion on. */
async function primaryEnd(db: Queryable): Promise<PrimaryState> {
  return onlyRow(
    await db.query(
      `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint as position, ${IDENTITY},
         ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer as timeline`,
      [],
    ),
  );
}

interface ReplicaState {
  readonly reads: boolean;
  readonly position: bigint | null;
  readonly identity: string;
  readonly timeline: number;
}

/** Its timeline as its last restart point has it: after a failover it is known some minutes late. */
async function replicaState(db: Queryable): Promise<ReplicaState> {
  return onlyRow(
    await db.query(
      `select pg_is_in_recovery() as reads,
         pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint as position, ${IDENTITY},
         greatest((select timeline_id from pg_control_checkpoint()),
           (select min_recovery_end_timeline from pg_control_recovery())) as timeline`,
      [],
    ),
  );
}

function onlyRow<Row>([row]: Row[]): Row {
  if (row === undefined) throw new Error("A statement without a table gave no row.");
  return row;
}
