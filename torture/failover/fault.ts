// What befalls a cluster, as rows of one table: what strikes, what an operator does afterwards, and within
// how long writes must be acknowledged again.

import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
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
  /** The control's: what is left is not waited for to be whole again. */
  readonly isLast?: true;
  /** Whatever comes back of what was struck does so in the returned work, under load. */
  strike(cluster: Cluster, nth: number): Promise<Repair>;
}

type Repair = () => unknown;

/** What must hold of a node that is lost, of a server that is, and of a change that was asked for. */
const [NODE_MS, SERVER_MS, ASKED_MS] = [30_000, 10_000, 5_000];
/** What was under way when everything went down may still be answered. */
const UNDER_WAY_MS = 1_000;
/** The lease, with the time that a leader without it takes to step down; and well past it. */
const [LEASE_MS, PAST_THE_LEASE_MS] = [25_000, 30_000];
const STUCK_MS = 1_000;

const nothing = (): void => {};

const killLeader: Fault["strike"] = async (cluster) => {
  const leader = await cluster.leader();
  await leader.kill();
  return leader.launch;
};

/** What it sends to its standbys gets nowhere for a while, and then it is lost. */
export const killLeaderAhead: Fault["strike"] = async (cluster) => {
  const leader = await cluster.leader();
  leader.holdSenders();
  await sleep(STUCK_MS);
  await leader.kill();
  return leader.launch;
};

/** Patroni goes on, hangs on its server, and loses the lease meanwhile. */
export const stallLeader: Fault["strike"] = async (cluster) => {
  const leader = await cluster.leader();
  leader.freezePostgres();
  return leader.thaw;
};

const FAULTS: readonly Fault[] = [
  {
    ...{ name: "PostgreSQL of the leader killed", times: [1, 5], backWithinMs: SERVER_MS },
    async strike(cluster) {
      const leader = await cluster.leader();
      await leader.killPostgres();
      return nothing;
    },
  },
  { name: "leader's node killed", times: [1, 6], backWithinMs: NODE_MS, strike: killLeader },
  {
    ...{ name: "switchover", times: [1, 5], backWithinMs: ASKED_MS },
    async strike(cluster) {
      const leader = await cluster.leader();
      await leader.switchOver();
      return nothing;
    },
  },
  {
    ...{ name: "synchronous standby killed", times: [1, 4], backWithinMs: SERVER_MS },
    async strike(cluster) {
      const standby = await cluster.standby();
      await standby.kill();
      return standby.launch;
    },
  },
  {
    ...{ name: "synchronous standby frozen", times: [0, 2], backWithinMs: 2 * SERVER_MS },
    async strike(cluster) {
      const standby = await cluster.standby();
      standby.freeze();
      return standby.thaw;
    },
  },
  {
    ...{ name: "leader's node frozen", times: [0, 5], backWithinMs: NODE_MS },
    async strike(cluster) {
      const leader = await cluster.leader();
      leader.freeze();
      return leader.thaw;
    },
  },
  {
    ...{ name: "leader's node killed while its standbys were behind", times: [0, 1] },
    ...{ backWithinMs: NODE_MS, strike: killLeaderAhead },
  },
  {
    ...{ name: "leader and standby killed", times: [0, 3] },
    ...{ backWithinMs: NODE_MS, refusesMs: [UNDER_WAY_MS, PAST_THE_LEASE_MS] },
    async strike(cluster) {
      const both = [await cluster.leader(), await cluster.standby()];
      await Promise.all(both.map((node) => node.kill()));
      return () => Promise.all(both.map((node) => node.launch()));
    },
  },
  {
    ...{ name: "etcd's majority taken away", times: [0, 3] },
    ...{ backWithinMs: NODE_MS, refusesMs: [LEASE_MS, PAST_THE_LEASE_MS] },
    async strike({ etcds }, nth) {
      const two = etcds.slice(1);
      // Gone, or there and silent.
      const isGone = nth % 2 === 0;
      if (isGone) await Promise.all(two.map((etcd) => etcd.kill()));
      else for (const etcd of two) etcd.freeze();
      return () => two.map((etcd) => (isGone ? etcd.launch() : etcd.thaw()));
    },
  },
  {
    ...{ name: "proxy killed", times: [0, 2], backWithinMs: ASKED_MS },
    refusesMs: [UNDER_WAY_MS, 3_000],
    async strike({ proxy }) {
      await proxy.kill();
      return proxy.launch;
    },
  },
];

const STALL: Fault = {
  ...{ name: "PostgreSQL of the leader stalled", times: [0, 4] },
  ...{ backWithinMs: NODE_MS, strike: stallLeader },
};

/** A Patroni that is known to lose by a stall is not asked for one: the control shows it. */
export const possibleFaults = (): readonly Fault[] =>
  patroniKeepsItsLease() ? [...FAULTS, STALL] : FAULTS;
