// A throwaway PostgreSQL cluster for the tests: made from the installed binaries, on a free port of
// the loopback, gone when the run ends. Durability is off here, because the machine's own crash is
// not what these tests are about.

import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./process.ts";

export interface Cluster {
  /** The address of a database of the cluster. */
  url(database: string): string;
  stop(): void;
  start(): Promise<void>;
  /** Of all its processes; only on Linux. */
  pids(): number[];
  /** Ends every process of it at once, as a crash of the machine would; only on Linux. */
  crash(): Promise<void>;
  /** What it has logged since it was made. */
  log(): string;
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

/** The data can lie elsewhere, in a directory that is the caller's own. */
export async function startCluster(
  binaries: string,
  settings: string[] = [],
  place?: string,
): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-postgres-"));
  const asOwner = ownerOf(directory, ...(place === undefined ? [] : [place]));
  const data = join(place ?? directory, "data");
  const port = await freePort();
  const run = promisify(execFile);
  const postgres = (program: string, args: string[]): [string, string[]] =>
    asOwner(join(binaries, program), args);

  const wish = ["-D", data, "-U", "kopeck", "-A", "trust", "-E", "UTF8", "--no-sync"];
  const made = postgres("initdb", wish);
  // Where nothing is said of it, letters beyond ASCII would have no small ones.
  await run(...made, { env: { LANG: "C.UTF-8", ...process.env } });
  const options = [
    `-p ${port}`,
    `-k ${directory}`,
    "-c listen_addresses=127.0.0.1",
    "-c max_connections=300",
    "-c fsync=off",
    ...settings.map((setting) => `-c ${setting}`),
  ].join(" ");
  const log = join(directory, "log");
  const start = async (): Promise<void> => {
    await run(...postgres("pg_ctl", ["-D", data, "-w", "-l", log, "-o", options, "start"]));
  };
  const stop = (): void => {
    spawnSync(...postgres("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"]));
  };
  const remove = (): void => {
    process.off("exit", remove);
    stop();
    rmSync(directory, { recursive: true, force: true });
  };
  // It is nobody's child: whoever ends in the middle would leave it running.
  process.once("exit", remove);
  await start();
  return {
    url: (database) => `postgresql://kopeck@127.0.0.1:${port}/${database}`,
    start,
    stop,
    pids: () => processesIn(data),
    crash: () => crash(data),
    log: () => readFileSync(log, "utf8"),
    remove,
  };
}

/**
 * The postmaster is held still first, so that it neither starts nor mourns anybody meanwhile. All its
 * processes work in the data directory, which nobody else does; nothing is read from it, because its
 * disk may be gone.
 */
async function crash(data: string): Promise<void> {
  const all = processesIn(data);
  const postmaster = all.find((pid) => !all.includes(parentOf(pid)));
  if (postmaster !== undefined) signal(postmaster, "SIGSTOP");
  for (let left = processesIn(data); left.length > 0; left = processesIn(data)) {
    for (const pid of left) signal(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // As long as nobody has taken note of its end, the next postmaster believes it to be alive. Where
  // nobody ever does, in a container without an init, its lock is taken away: a machine that has
  // crashed has no such process either.
  const until = performance.now() + 5_000;
  while (postmaster !== undefined && existsSync(`/proc/${postmaster}`)) {
    if (performance.now() > until) return rmSync(join(data, "postmaster.pid"), { force: true });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The fourth of its figures, the second after the name in parentheses; 0 for one that has ended. */
function parentOf(pid: number): number {
  try {
    const [, figures = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    return Number(figures.split(" ")[1]);
  } catch {
    return 0;
  }
}

/** Of those who work in the directory, or in one beneath it. */
export function processesIn(directory: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${directory}/`);
    } catch {
      // Ended meanwhile, or somebody else's.
      return false;
    }
  });
}

/** One that has ended meanwhile needs none. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** PostgreSQL refuses to run as root, so there its programs run as the user that Debian made. */
function ownerOf(
  ...directories: string[]
): (program: string, args: string[]) => [string, string[]] {
  if (userInfo().uid !== 0) return (program, args) => [program, args];
  const id = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  for (const directory of directories) chownSync(directory, id("-u"), id("-g"));
  return (program, args) => ["runuser", ["-u", "postgres", "--", program, ...args]];
}
