// A throwaway PostgreSQL cluster for the tests: made from the installed binaries, on a free port of
// the loopback, gone when the run ends. Durability is off here, because the machine's own crash is
// not what these tests are about.

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./process.ts";

export interface Cluster {
  /** The address of a database of the cluster. */
  url(database: string): string;
  stop(): void;
  start(): Promise<void>;
  remove(): void;
}

export const HOW_TO_INSTALL = "apt-get install postgresql";

/** Debian keeps the server's programs off the PATH. */
export function findPostgres(): string | undefined {
  const asked = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" });
  const versions = "/usr/lib/postgresql";
  const folders = existsSync(versions)
    ? readdirSync(versions)
        .toSorted((left, right) => Number(right) - Number(left))
        .map((version) => join(versions, version, "bin"))
    : [];
  return [...folders, asked.stdout?.trim() ?? ""].find((folder) =>
    existsSync(join(folder, "initdb")),
  );
}

export async function startCluster(binaries: string, settings: string[] = []): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-postgres-"));
  const asOwner = ownerOf(directory);
  const data = join(directory, "data");
  const port = await freePort();
  const run = promisify(execFile);
  const postgres = (program: string, args: string[]): [string, string[]] =>
    asOwner(join(binaries, program), args);

  await run(
    ...postgres("initdb", ["-D", data, "-U", "kopeck", "-A", "trust", "-E", "UTF8", "--no-sync"]),
  );
  const options = [
    `-p ${port}`,
    `-k ${directory}`,
    "-c listen_addresses=127.0.0.1",
    "-c max_connections=100",
    "-c fsync=off",
    ...settings.map((setting) => `-c ${setting}`),
  ].join(" ");
  const start = async (): Promise<void> => {
    const log = join(directory, "log");
    await run(...postgres("pg_ctl", ["-D", data, "-w", "-l", log, "-o", options, "start"]));
  };
  const stop = (): void => {
    spawnSync(...postgres("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"]));
  };
  await start();
  return {
    url: (database) => `postgresql://kopeck@127.0.0.1:${port}/${database}`,
    start,
    stop,
    remove() {
      stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, so there its programs run as the user that Debian made. */
function ownerOf(directory: string): (program: string, args: string[]) => [string, string[]] {
  if (userInfo().uid !== 0) return (program, args) => [program, args];
  const id = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  chownSync(directory, id("-u"), id("-g"));
  return (program, args) => ["runuser", ["-u", "postgres", "--", program, ...args]];
}
