// What a cluster is made of on this machine: where its programs are, who runs them, and which Patroni it is.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { findPostgres } from "../../test/postgres.ts";

const HOW_TO_INSTALL = "apt-get install postgresql patroni etcd-server haproxy";

/** A Patroni of another version than the machine's own, by its path. */
const PATRONI = process.env["KOPECK_PATRONI"] ?? "/usr/bin/patroni";

/** Debian keeps a proxy among the programs of whoever runs the machine. */
const found = (...paths: readonly string[]): string | undefined => paths.find(existsSync);

export const programs = {
  postgres: findPostgres(),
  patroni: found(PATRONI),
  etcd: found("/usr/bin/etcd", "/usr/local/bin/etcd"),
  haproxy: found("/usr/sbin/haproxy", "/usr/local/sbin/haproxy"),
};

/** One line for a part that cannot do without them. */
export function missingCluster(): string | undefined {
  if (process.platform !== "linux") return "It breaks by Linux's own means.";
  const lacks = Object.entries(programs).flatMap(([name, path]) => (path ? [] : [name]));
  return lacks.length === 0 ? undefined : `No ${lacks.join(", ")} here (${HOW_TO_INSTALL}).`;
}

/** As it says itself: three numbers. */
export function patroniVersion(): string {
  const said = spawnSync(programs.patroni ?? "", ["--version"], { encoding: "utf8" }).stdout;
  return /\d+\.\d+\.\d+/.exec(said)?.[0] ?? "unknown";
}

/** Before 3.0.3 a stalled leader takes a lease that is over for its own, and goes on leading. */
export function patroniKeepsItsLease(): boolean {
  const [major = 0, minor = 0, patch = 0] = patroniVersion().split(".").map(Number);
  return major > 3 || (major === 3 && (minor > 0 || patch >= 3));
}

/** PostgreSQL refuses to run as root, so there everything runs as the user that Debian made. */
export function owner(): { uid: number; gid: number } | undefined {
  if (userInfo().uid !== 0) return undefined;
  const id = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
