// Several servers of which one takes writes: which of them that is, found by asking, and found again when it
// changes. Guards that nothing is ever given to a server that is known to only read.

import pg from "pg";
import { hostOf } from "./database-address.ts";
import { NOBODY_WRITES, TAKES_WRITES } from "./db.ts";
import { codeOf } from "./failure.ts";
import type { Log } from "./log.ts";

/** One that is silent keeps nobody waiting for longer, however many servers there are. */
const ASK_WITHIN_MS = 1_000;
/** Where none takes writes, those who come in the meantime are told so without asking all again. */
const ASK_AGAIN_AFTER_MS = 200;

/** How often a server that has just gone is noticed and another one looked for, before the caller is told. */
const MAX_TRIES = 3;
/** Whoever has waited for that long is told, and does not wait again. */
const TOO_LATE = /timeout/;

const IN_USE = /^53|timeout exceeded/;

/** What tells it, where the server itself is asked: PostgreSQL 14 and newer, at the start and at every change. */
const FACTS = ["in_hot_standby", "default_transaction_read_only"];

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** With why each of them does not. */
class NobodyWrites extends AggregateError {
  readonly code = NOBODY_WRITES;
}

function wordsOf(error: unknown): string {
  return (error instanceof Error && error.message) || String(codeOf(error) ?? "no answer");
}

export function openHosts(addresses: readonly string[], options: pg.ClientConfig, log: Log) {
  let [last = "", isGood, isKnown] = [addresses[0], false, false];
  let asking: Promise<void> | undefined;
  let failed: { readonly error: Error; readonly at: number } | undefined;
  const toldBy = new WeakMap<pg.ClientBase, Map<string, string>>();

  /** A connection to where writes were last taken; what its server tells of itself is kept. */
  class HostClient extends pg.Client {
    constructor(config: pg.ClientConfig = {}, address = last) {
      super({ ...config, connectionString: address });
      const told = new Map<string, string>();
      toldBy.set(this, told);
      this.connection.on("parameterStatus", (status: ParameterStatus) =>
        told.set(status.parameterName, status.parameterValue),
      );
    }
  }

  const takesWrites = async (client: pg.ClientBase): Promise<boolean> => {
    const told = toldBy.get(client) ?? new Map<string, string>();
    const facts = FACTS.map((name) => told.get(name));
    if (facts.includes("on")) return false;
    if (!facts.includes(undefined)) return true;
    // A pooler in between tells nothing of it, so it is asked, once.
    const { rows } = await client.query<{ writes: boolean }>(TAKES_WRITES);
    const fact = rows[0]?.writes === true ? "off" : "on";
    for (const name of FACTS) told.set(name, fact);
    return fact === "off";
  };

  /** Why a server is not the one; nothing where it is. */
  const refusalOf = async (address: string): Promise<unknown> => {
    const limits = { connectionTimeoutMillis: ASK_WITHIN_MS, query_timeout: ASK_WITHIN_MS };
    const client = new HostClient({ ...options, ...limits }, address);
    // Without a listener it would end the process.
    client.on("error", () => {});
    try {
      await client.connect();
      return (await takesWrites(client)) ? undefined : new Error("only reads");
    } catch (error) {
      return error;
    } finally {
      client.end().catch(() => {});
    }
  };

  /** All at once; but the last good one is believed first, then the others in the address's order. */
  const ask = async (): Promise<void> => {
    const inOrder = [last, ...addresses.filter((address) => address !== last)];
    const asked = inOrder.map((address) => ({ address, refusal: refusalOf(address) }));
    const refusals: unknown[] = [];
    const reasons: string[] = [];
    for (const { address, refusal } of asked) {
      const error = await refusal;
      if (error !== undefined) {
        refusals.push(error);
        reasons.push(`${hostOf(address)}: ${wordsOf(error)}`);
        continue;
      }
      const isNews = isKnown && address !== last;
      log[isNews ? "info" : "debug"]({ host: hostOf(address) }, "this server takes the writes");
      [last, isGood, isKnown, failed] = [address, true, true, undefined];
      return;
    }
    const words = `no database server takes writes (${reasons.join("; ")})`;
    const error = new NobodyWrites(refusals, words);
    failed = { error, at: performance.now() };
    throw error;
  };

  const choose = async (): Promise<void> => {
    if (isGood) return;
    const isFresh = failed !== undefined && performance.now() < failed.at + ASK_AGAIN_AFTER_MS;
    if (isFresh) throw failed?.error;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    await asking;
  };

  /** Before the next connection all are asked again. */
  const doubt = (): void => {
    isGood = false;
  };

  return {
    /** What a pool makes its connections of. */
    Client: HostClient,
    doubt,
    /** To the server that takes writes; fails where there is none. */
    async connect(pool: pg.Pool): Promise<pg.PoolClient> {
      let failure: unknown;
      for (let tries = 0; tries < MAX_TRIES && !TOO_LATE.test(String(failure)); tries += 1) {
        await choose();
        try {
          const client = await pool.connect();
          if (await takesWrites(client).catch(() => false)) return client;
          client.release(true);
          failure = new NobodyWrites([], `${hostOf(last)} takes no writes any more`);
        } catch (error) {
          // All connections are in use, here or there: that says nothing against the server.
          if (IN_USE.test(`${codeOf(error)} ${error}`)) throw error;
          failure = error;
        }
        doubt();
      }
      throw failure;
    },
  };
}
