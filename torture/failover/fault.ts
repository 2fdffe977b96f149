// What befalls a cluster, as rows of one table: what strikes, what an operator does afterwards, and within
// how long writes must be acknowledged again.

import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster, Node } from "./cluster.ts";
import { patroniKeepsItsLease } from "./programs.ts";

export interface Fault {
  /** As it is counted. */
  readonly name: string;
  /** How often in a quick run, and in a full one. */
  readonly times: readonly [quick: number, full: number];
  /** No pause between two acknowledged writes is longer. */
  readonly backWithinMs: number;
  /** Nobody may be acknowledged between these moments, and only the repair brings writes back. */
  readonly refusesMs?: readonly [from: number, to: number];
  /** Whatever comes back of what was struck does so in the returned work, under load. */
  strike(cluster: Cluster, nth: number): Promise<() => unknown>;
}

/** What must hold of a node that is lost, of a server that is, and of a change that was asked for. */
const [NODE_MS, SERVER_MS, ASKED_MS] = [30_000, 10_000, 5_000];
/** What was under way when everything went down may still be answered. */
const UNDER_WAY_MS = 1_000;
/** The lease, with the time that a leader without it takes to step down; and well past it. */
const [LEASE_MS, PAST_LEASE_MS] = [25_000, 30_000];
const STUCK_MS = 1_000;

type Strike = Fault["strike"];

type Act = (node: Node) => unknown;

const on =
  (whom: "leader" | "standby") =>
  (act: Act, repair: Act = () => {}): Strike =>
  async (cluster) => {
    const node = await cluster[whom]();
    await act(node);
    return () => repair(node);
  };
const [onLeader, onStandby] = [on("leader"), on("standby")];
const kill: Act = (node) => node.kill();
const freeze: Act = (node) => node.freeze();
const launch: Act = (node) => node.launch();
const thaw: Act = (node) => node.thaw();

/** What it sends to its standbys gets nowhere for a while, and then it is lost. */
const killLeaderAhead = onLeader(async (node) => {
  node.holdSenders();
  await sleep(STUCK_MS);
  await node.kill();
}, launch);

/** Patroni goes on, hangs on its server, and loses the lease meanwhile. */
const stallLeader = onLeader((node) => node.freezePostgres(), thaw);

const killBoth: Strike = async (cluster) => {
  const both = [await cluster.leader(), await cluster.standby()];
  await Promise.all(both.map(kill));
  return () => Promise.all(both.map(launch));
};

/** Gone, or there and silent. */
const takeMajority: Strike = async ({ etcds }, nth) => {
  const two = etcds.slice(1);
  const isGone = nth % 2 === 0;
  await Promise.all(two.map((etcd) => (isGone ? etcd.kill() : etcd.freeze())));
  return () => two.map((etcd) => (isGone ? etcd.launch() : etcd.thaw()));
};

const killProxy: Strike = async ({ proxy }) => {
  await proxy.kill();
  return proxy.launch;
};

const fault = (
  name: string,
  times: Fault["times"],
  backWithinMs: number,
  strike: Strike,
  refusesMs?: Fault["refusesMs"],
): Fault => ({ name, times, backWithinMs, strike, ...(refusesMs && { refusesMs }) });

const killPostgres = onLeader((node) => node.killPostgres());
const BEHIND = "leader's node killed while its standbys were behind";
export const FAULTS: readonly Fault[] = [
  fault("PostgreSQL of the leader killed", [1, 5], SERVER_MS, killPostgres),
  fault("leader's node killed", [1, 6], NODE_MS, onLeader(kill, launch)),
  fault(
    "switchover",
    [1, 5],
    ASKED_MS,
    onLeader((node) => node.switchOver()),
  ),
  fault("synchronous standby killed", [1, 4], SERVER_MS, onStandby(kill, launch)),
  fault("synchronous standby frozen", [0, 2], 2 * SERVER_MS, onStandby(freeze, thaw)),
  fault("leader's node frozen", [0, 5], NODE_MS, onLeader(freeze, thaw)),
  fault(BEHIND, [0, 1], NODE_MS, killLeaderAhead),
  fault("leader and standby killed", [0, 3], NODE_MS, killBoth, [UNDER_WAY_MS, PAST_LEASE_MS]),
  fault("etcd's majority taken away", [0, 3], NODE_MS, takeMajority, [LEASE_MS, PAST_LEASE_MS]),
  fault("proxy killed", [0, 2], ASKED_MS, killProxy, [UNDER_WAY_MS, 3_000]),
  ...(patroniKeepsItsLease()
    ? [fault("PostgreSQL of the leader stalled", [0, 4], NODE_MS, stallLeader)]
    : []),
];
