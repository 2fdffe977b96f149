// Whether two servers ever answered writes at one time. Somebody writes to every node by itself, past the
// proxy, over and over, each time with the timeline that the server is on: what a server has answered that
// was sent after a later timeline's answer, or on the same timeline as another server, are two leaders. And
// each of these writes that was answered must be there in the end, once.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface Beat {
  readonly node: string;
  readonly timeline: number;
  /** By one clock, which never goes back. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** Judges each answered write beside all before it; says what is wrong. */
export function openLeaderJudge() {
  const leaders = new Map<number, { readonly node: string; firstAnswerAt: number }>();
  const told = new Set<string>();
  /** Once of each two: they go on for as long as they do. */
  const isNews = (...of: readonly unknown[]): boolean =>
    !told.has(of.join()) && told.add(of.join()).size > 0;
  return {
    get timelines(): number {
      return leaders.size;
    },
    hear({ node, timeline, sentAt, answeredAt }: Beat): string[] {
      const own = leaders.get(timeline);
      if (own === undefined) leaders.set(timeline, { node, firstAnswerAt: answeredAt });
      else own.firstAnswerAt = Math.min(own.firstAnswerAt, answeredAt);
      const later = [...leaders].filter(
        ([other, { firstAnswerAt }]) =>
          other > timeline && firstAnswerAt < sentAt && isNews(node, timeline, other),
      );
      return [
        ...(own !== undefined && own.node !== node && isNews(node, timeline)
          ? [`${node} and ${own.node} answer writes on timeline ${timeline}`]
          : []),
        ...later.map(
          ([other, { node: newer, firstAnswerAt }]) =>
            `${node} answers writes on timeline ${timeline}, ${Math.round(sentAt - firstAnswerAt)} ms ` +
            `after ${newer} did on timeline ${other}`,
        ),
      ];
    },
  };
}

const BEAT_MS = 100;
const CONNECT_WITHIN_MS = 2_000;

/** The log's own place: it knows the timeline from the first write on. */
const BEAT = `insert into beats (node, nth, timeline)
  select $1, $2, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer
  returning timeline`;

/** Each node is asked by somebody of its own, who waits for as long as the server takes. */
export function watchLeaders(
  nodes: readonly { readonly name: string; url(database: string): string }[],
  violation: (what: string) => void,
) {
  const judge = openLeaderJudge();
  const answered = new Set<string>();
  let ended = false;
  let nth = 0;
  const clients = new Set<pg.Client>();

  const beat = async (client: pg.Client, node: string): Promise<void> => {
    nth += 1;
    const own = nth;
    const sentAt = performance.now();
    const { rows } = await client.query<{ timeline: number }>(BEAT, [node, own]);
    const answeredAt = performance.now();
    answered.add(`${node} ${own}`);
    const timeline = rows[0]?.timeline ?? 0;
    for (const what of judge.hear({ node, timeline, sentAt, answeredAt })) violation(what);
  };
  const attend = async (name: string, url: string): Promise<void> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      // Standbys refuse, which need not be told ten times a second.
      options: "-c log_min_messages=fatal",
    });
    let isLost = false;
    client.on("error", () => {
      isLost = true;
    });
    clients.add(client);
    try {
      await client.connect();
      while (!ended && !isLost) {
        // One that only reads refuses, and is asked again.
        await beat(client, name).catch((error: unknown) => {
          if (!(error instanceof pg.DatabaseError)) throw error;
        });
        await sleep(BEAT_MS);
      }
    } catch {
      // It is away.
    } finally {
      clients.delete(client);
      void client.end().catch(() => {});
    }
  };
  const attending = nodes.map(async ({ name, url }) => {
    while (!ended) {
      await attend(name, url("beats"));
      await sleep(BEAT_MS);
    }
  });

  return {
    counts: () => ({ answered: answered.size, timelines: judge.timelines }),
    async stop(): Promise<void> {
      ended = true;
      for (const client of clients) void client.end().catch(() => {});
      // Whoever waits for a server that stands still ends with it.
      await Promise.race([Promise.all(attending), sleep(CONNECT_WITHIN_MS)]);
    },
    /** After stop(): whatever was answered is there, once. */
    async books(url: string): Promise<void> {
      const rows = await tell<{ node: string; nth: number }>(url, "select node, nth from beats");
      const stored = rows.map(({ node, nth: own }) => `${node} ${own}`);
      const once = new Set(stored);
      const lost = answered.difference(once).size;
      if (lost > 0) violation(`${lost} answered writes of the watch are lost`);
      if (once.size < stored.length) violation("a write of the watch is there twice");
    },
  };
}

/** On a connection of its own; what the last statement found. */
export async function tell<Row extends pg.QueryResultRow>(
  url: string,
  ...statements: readonly string[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

export const BEATS_TABLE = "create table beats (node text, nth integer, timeline integer)";
