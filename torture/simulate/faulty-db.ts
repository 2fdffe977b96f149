// A database whose connection fails, or whose process dies, on either side of a commit: before it, and
// nothing has happened; after it, and everything has, but nobody is told.

import type { Db } from "../../src/platform/db.ts";
import { HttpFailure } from "../../src/platform/failure.ts";

export interface Fault {
  /** How many statements outside of transactions, and transactions, go well first. */
  readonly skip: number;
  readonly side: "before" | "after";
  /** The process is gone; only this answer is; or the server asks for the transaction once more. */
  readonly outcome: "crash" | "error" | "repeat";
}

export interface Hit {
  readonly outcome: Fault["outcome"];
  readonly committed: boolean;
  readonly inTransaction: boolean;
}

export interface FaultyDb extends Db {
  arm(fault: Fault): void;
  /** What has happened since it was last asked, if something has. */
  struck(): Hit | undefined;
  /** The same, and nothing more will. */
  disarm(): Hit | undefined;
  /** How much is under way. */
  readonly pending: number;
}

export function faultyDb(engine: Db): FaultyDb {
  let armed: Fault | undefined;
  let hit: Hit | undefined;
  let gone = false;
  let pending = 0;

  const due = (): Fault | undefined => {
    if (armed === undefined) return undefined;
    const { skip } = armed;
    const fault = armed;
    armed = skip === 0 ? undefined : { ...armed, skip: skip - 1 };
    return skip === 0 ? fault : undefined;
  };
  const strike = ({ outcome, side }: Fault, inTransaction: boolean): Error => {
    hit = { outcome, committed: side === "after", inTransaction };
    if (outcome === "crash") gone = true;
    return new HttpFailure("unavailable");
  };
  const struck = (): Hit | undefined => {
    const happened = hit;
    hit = undefined;
    return happened;
  };
  const stillThere = (): void => {
    if (gone) throw new HttpFailure("unavailable");
  };
  const counted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    pending += 1;
    try {
      return await work();
    } finally {
      pending -= 1;
    }
  };

  return {
    query: (text, values) =>
      counted(async () => {
        stillThere();
        const fault = due();
        const strikes = fault !== undefined && fault.outcome !== "repeat" ? fault : undefined;
        if (strikes?.side === "before") throw strike(strikes, false);
        const rows = await engine.query<never>(text, values);
        stillThere();
        if (strikes !== undefined) throw strike(strikes, false);
        return rows;
      }),
    transaction: (work) =>
      counted(async () => {
        stillThere();
        const fault = due();
        const result = await engine.transaction(async (tx) => {
          const outcome = await work(tx);
          stillThere();
          if (fault?.outcome === "repeat" && hit === undefined) {
            hit = { outcome: "repeat", committed: false, inTransaction: true };
            throw Object.assign(new Error("could not serialize access"), { code: "40001" });
          }
          if (fault?.side === "before" && fault.outcome !== "repeat") throw strike(fault, true);
          return outcome;
        });
        if (fault !== undefined && fault.outcome !== "repeat") throw strike(fault, true);
        return result;
      }),
    session: (work) => engine.session(work),
    close: async () => {},
    arm(fault) {
      armed = fault;
      hit = undefined;
    },
    struck,
    disarm() {
      armed = undefined;
      return struck();
    },
    get pending() {
      return pending;
    },
  };
}
