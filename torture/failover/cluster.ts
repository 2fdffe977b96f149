// Three PostgreSQL nodes under Patroni, three etcd and a HAProxy on the loopback, from the very files of
// deploy/cluster: what an operator is given is what is broken here. Everything is gone at the end.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/process.ts";
import { eventually } from "../eventually.ts";
import { forgetPostmaster, holdSenders, killAll, launch, tellAll } from "./processes.ts";
import { owner, programs } from "./programs.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy/cluster");
const NODES = ["node1", "node2", "node3"] as const;
const HOST = "127.0.0.1";
/** A whole cluster from nothing, on a machine that is busy with others. */
const SETTLED_WITHIN_MS = 180_000;
/** These machines have other things to do. */
const LOOK_EVERY_MS = 300;
const ASKED_WITHIN_MS = 2_000;

export type Cluster = Awaited<ReturnType<typeof openCluster>>;
export type Node = Cluster["nodes"][number];

export async function openCluster(folder: string) {
  makeFolder(folder);
  const taken = new Set<number>();
  const address = async (): Promise<string> => {
    const port = await freePort();
    if (taken.has(port)) return address();
    taken.add(port);
    return `${HOST}:${port}`;
  };
  const superuser = randomBytes(12).toString("hex");
  const planned = await Promise.all(
    NODES.map(async (name) => ({
      name,
      postgres: await address(),
      patroni: await address(),
      client: await address(),
      peer: await address(),
    })),
  );
  const common = {
    ETCD_CLUSTER: planned.map(({ name, peer }) => `${name}=http://${peer}`).join(),
    ETCD_HOSTS: planned.map(({ client }) => client).join(),
    PROXY: await address(),
    SUPERUSER_PASSWORD: superuser,
    REPLICATION_PASSWORD: randomBytes(12).toString("hex"),
    NETWORK: `${HOST}/32`,
    POSTGRES_BINARIES: programs.postgres ?? "",
    WATCHDOG: "off",
  };

  const etcds = planned.map(({ name, client, peer }) => {
    const own = makeFolder(join(folder, `etcd-${name}`));
    const values = { ...common, NODE: name, ETCD_DATA: join(own, "data") };
    const text = render("etcd.env", { ...values, ETCD_CLIENT: client, ETCD_PEER: peer });
    const env = Object.fromEntries(
      text.matchAll(/^(ETCD_\w+)=(.*)$/gm).map(([, key, to]) => [key, to]),
    );
    const unsupported = process.arch === "arm64" ? { ETCD_UNSUPPORTED_ARCH: "arm64" } : {};
    return {
      ...machineIn(own),
      launch: () => void launch(programs.etcd ?? "", [], own, { ...env, ...unsupported }),
    };
  });

  const nodes = planned.map(({ name, postgres, patroni }) => {
    const own = makeFolder(join(folder, name));
    const data = join(own, "data");
    const config = join(own, "patroni.yaml");
    const values = { ...common, NODE: name, POSTGRES: postgres, PATRONI: patroni };
    const places = { POSTGRES_DATA: data, PGPASS: join(own, "pgpass"), SOCKETS: own };
    write(config, render("patroni.yaml", { ...values, ...places }));
    const says = async (path: string): Promise<boolean> =>
      (await ask(patroni, path).catch(() => undefined))?.status === 200;
    return {
      name,
      ...machineIn(own),
      leads: () => says("/primary"),
      /** Whether it may be promoted. */
      isSynchronous: () => says("/synchronous"),
      /** Patroni, which starts PostgreSQL. */
      async launch(): Promise<void> {
        await forgetPostmaster(data);
        launch(programs.patroni ?? "", [config], own);
      },
      killPostgres: () => killAll(data),
      freezePostgres: () => tellAll(data, "SIGSTOP"),
      holdSenders: () => holdSenders(data),
      /** What its Patroni knows of all. */
      async members(): Promise<readonly Member[]> {
        const told = (await (await ask(patroni, "/cluster")).json()) as { members: Member[] };
        return told.members;
      },
      async switchOver(): Promise<void> {
        const body = JSON.stringify({ leader: name });
        const answer = await ask(patroni, "/switchover", { method: "POST", body }, 60_000);
        if (answer.status !== 200) throw new Error(`no switchover: ${await answer.text()}`);
      },
    };
  });

  const proxyFolder = makeFolder(join(folder, "proxy"));
  const servers = planned.flatMap(({ name, postgres, patroni }) => [
    [`${name.toUpperCase()}_POSTGRES`, postgres],
    [`${name.toUpperCase()}_PATRONI_PORT`, patroni.split(":")[1] ?? ""],
  ]);
  const proxyConfig = join(proxyFolder, "haproxy.cfg");
  write(proxyConfig, render("haproxy.cfg", { ...common, ...Object.fromEntries(servers) }));
  const proxy = {
    ...machineIn(proxyFolder),
    launch: () => void launch(programs.haproxy ?? "", ["-db", "-f", proxyConfig], proxyFolder),
  };

  const isSettled = async (): Promise<boolean> => {
    const leader = await only(nodes, (node) => node.leads());
    const members = (await leader?.members().catch(() => [])) ?? [];
    const of = (role: string) => members.filter((member) => member.role === role).length;
    return (
      members.length === NODES.length &&
      members.every(({ state }) => state === "running" || state === "streaming") &&
      new Set(members.map(({ timeline }) => timeline)).size === 1 &&
      of("leader") === 1 &&
      of("sync_standby") === NODES.length - 1
    );
  };
  const remove = async (): Promise<void> => {
    process.off("exit", sweep);
    await killAll(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  // Ended in the middle, it still leaves nothing behind.
  const sweep = (): void => {
    tellAll(folder, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", sweep);

  return {
    nodes,
    etcds,
    proxy,
    remove,
    /** Through the proxy, to whoever leads. */
    url: (user: string, password: string, database: string) =>
      `postgresql://${user}:${password}@${common.PROXY}/${database}`,
    superuser,
    async start(): Promise<void> {
      for (const etcd of etcds) etcd.launch();
      // The first is the leader of the beginning; the others copy it.
      for (const node of nodes) await node.launch();
      proxy.launch();
    },
    async leader(): Promise<(typeof nodes)[number]> {
      const leader = await only(nodes, (node) => node.leads());
      if (leader === undefined) throw new Error("nobody leads, or two do");
      return leader;
    },
    /** One of those that may be promoted. */
    async standby(): Promise<(typeof nodes)[number]> {
      for (const node of nodes) if (await node.isSynchronous()) return node;
      throw new Error("no standby is synchronous");
    },
    /** All three are there, follow one leader, and both others may be promoted. */
    settled: () => eventually("a cluster of three", isSettled, SETTLED_WITHIN_MS, LOOK_EVERY_MS),
  };
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

const ask = (address: string, path: string, init: RequestInit = {}, withinMs = ASKED_WITHIN_MS) =>
  fetch(`http://${address}${path}`, { ...init, signal: AbortSignal.timeout(withinMs) });

const machineIn = (folder: string) => ({
  kill: () => killAll(folder),
  freeze: () => tellAll(folder, "SIGSTOP"),
  thaw: () => tellAll(folder, "SIGCONT"),
});

async function only<One>(all: readonly One[], is: (one: One) => Promise<boolean>) {
  const answers = await Promise.all(all.map(is));
  const chosen = all.filter((_, index) => answers[index]);
  return chosen.length === 1 ? chosen[0] : undefined;
}

function makeFolder(path: string): string {
  mkdirSync(path, { mode: 0o700 });
  giveAway(path);
  return path;
}

function write(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  giveAway(path);
}

function giveAway(path: string): void {
  const user = owner();
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/**
 * As an operator fills it in; a name that nobody gives is a mistake of the file's. Comments may speak of names
 * without giving any.
 */
function render(file: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(DEPLOY, file), "utf8");
  return text.replaceAll(/^#.*|\$\{(\w+)\}/gm, (found, name?: string) =>
    name === undefined ? found : (values[name] ?? assert.fail(`${file} wants ${name}`)),
  );
}
