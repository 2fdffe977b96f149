// What work took of the processors: every thread's own time, by the kernel's account, to the nanosecond. What
// else the machine does makes it wait, and is not counted.

import { readdirSync, readFileSync } from "node:fs";

/** Threads are known by number: one that has ended meanwhile takes its account along. */
export type Account = ReadonlyMap<string, number>;

export function accountOf(pids: readonly number[]): Account {
  const account = new Map<string, number>();
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) {
      const path = `/proc/${pid}/task/${thread}/schedstat`;
      account.set(thread, Number(readOr(path, "0").split(" ")[0]) / 1000);
    }
  }
  return account;
}

/** Microseconds from one account to the next; whoever is new has spent everything since. */
export function spentBetween(before: Account, after: Account): number {
  let spent = 0;
  for (const [thread, us] of after) spent += us - (before.get(thread) ?? 0);
  return spent;
}

/** One that has ended meanwhile has none. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}
