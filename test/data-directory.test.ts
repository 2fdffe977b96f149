// What the command leaves on a disk is its owner's alone, whatever the umask: the embedded database with
// everything in it, an operator's token, the gateway's address. And what somebody else has left there stays as it is.

import assert from "node:assert/strict";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ENGINES, openTestDatabase } from "./gateway.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

const LIVE = {
  KOPECK_MODE: "live",
  KOPECK_BASE_URL: "https://pay.example",
  KOPECK_SECRET_KEY: "0123456789abcdef".repeat(4),
};

function modeOf(...path: string[]): number {
  return statSync(join(...path)).mode & 0o777;
}

/** Whatever somebody else might read, write or enter. */
function openToOthers(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => (modeOf(folder, name) & 0o077) !== 0);
}

describe("the data directory, with a umask that forbids nothing", () => {
  let folder: string;
  let umask: number;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "kopeck-modes-"));
    // What is started from here inherits it.
    umask = process.umask(0);
  });
  after(() => {
    killLeftovers();
    process.umask(umask);
    rmSync(folder, { recursive: true });
  });

  async function serve(env: Record<string, string>, look: () => void): Promise<void> {
    const running = runKopeck({ ...env, PORT: String(await freePort()) });
    await ready(running);
    // The address is left a moment after the gateway answers.
    while (!running.output().includes('"listening"')) await new Promise(setImmediate);
    try {
      look();
    } finally {
      running.child.kill("SIGTERM");
      assert.equal((await running.ended).code, 0);
    }
  }

  it("is closed to others from the first start, with every file of the database in it", async () => {
    const dataDir = join(folder, "first");
    // An empty folder is taken for none.
    mkdirSync(join(dataDir, "postgres"), { recursive: true });
    const missing = await runKopeck({ KOPECK_DATA_DIR: dataDir }, ["verify"]).ended;
    assert.match(missing.stderr, /^kopeck: There is no database in [^\n]+\n$/);
    await serve({ KOPECK_DATA_DIR: dataDir }, () => {
      assert.equal(modeOf(dataDir), 0o700);
      assert.equal(modeOf(dataDir, "server.json"), 0o600);
      assert.ok(statSync(join(dataDir, "postgres/PG_VERSION")).isFile());
      assert.deepEqual(openToOthers(dataDir), []);
    });
  });

  const STRANGER = "diary.txt";
  for (const [name, file, left, found] of [
    ["is closed at the next start where it was left open", "server.json", 0o777, 0o700],
    ["is left as it is where others keep files, but for the database's", STRANGER, 0o755, 0o755],
  ] as const) {
    it(name, async () => {
      const database = await openTestDatabase("embedded");
      const dataDir = database.config.dataDir ?? "";
      writeFileSync(join(dataDir, file), "{}\n");
      chmodSync(dataDir, left);
      chmodSync(join(dataDir, "postgres"), left);
      await serve({ KOPECK_DATA_DIR: dataDir }, () => {
        assert.equal(modeOf(dataDir), found);
        assert.equal(modeOf(dataDir, "postgres"), 0o700);
        assert.equal(modeOf(dataDir, "server.json"), 0o600);
      });
      await database.drop();
    });
  }

  const skip = !ENGINES.includes("postgres") && "needs PostgreSQL";
  it("beside a PostgreSQL it is closed, too, with the operator's token in it", {
    skip,
  }, async () => {
    const database = await openTestDatabase("postgres");
    const dataDir = join(folder, "beside");
    const env = { ...LIVE, KOPECK_DATA_DIR: dataDir };
    const DATABASE_URL = database.config.databaseUrl ?? "";
    const { code, stderr } = await runKopeck({ ...env, DATABASE_URL }, ["init"]).ended;
    assert.equal(code, 0, stderr);
    assert.equal(modeOf(dataDir), 0o700);
    assert.equal(modeOf(dataDir, "operator-token"), 0o600);
    await database.drop();
  });

  it("that cannot be looked into is no missing database", async () => {
    const env = { KOPECK_DATA_DIR: join(folder, "loop") };
    symlinkSync(env.KOPECK_DATA_DIR, env.KOPECK_DATA_DIR);
    const { code, stderr } = await runKopeck(env, ["verify"]).ended;
    assert.equal(code, 1);
    assert.match(stderr, /^kopeck: KOPECK_DATA_DIR \S+ cannot be used: Error: ELOOP[^\n]+\n$/);
    const missing = await runKopeck({ ...env, KOPECK_DATA_DIR: join(folder, "none") }, ["verify"])
      .ended;
    assert.match(missing.stderr, /^kopeck: There is no database in [^\n]+\n$/);
  });
});

describe("a data directory that cannot be used", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "kopeck-foreign-"));
  });
  after(() => {
    killLeftovers();
    rmSync(folder, { recursive: true });
  });

  /** Every file with its rights, and what is in it. */
  function everything(place: string): [name: string, mode: number, text: string][] {
    const names = ["", ...readdirSync(place, { recursive: true, encoding: "utf8" })];
    return names.toSorted().map((name) => {
      const isFile = statSync(join(place, name)).isFile();
      const text = isFile ? readFileSync(join(place, name), "latin1") : "";
      return [name, modeOf(place, name), text];
    });
  }

  async function refused(dataDir: string, reason: RegExp, word = "serve"): Promise<void> {
    const before = everything(folder);
    const env = { KOPECK_DATA_DIR: dataDir, PORT: String(await freePort()) };
    const { code, stderr, stdout } = await runKopeck(env, [word]).ended;
    assert.equal(code, 1, stdout + stderr);
    assert.match(stderr, /^kopeck: [^\n]+\n$/, "one line");
    assert.match(stderr, reason);
    assert.deepEqual(everything(folder), before, "nothing has changed");
  }

  it("is refused where what lies under the database's name is none of its own, and stays as it is", async () => {
    const database = await openTestDatabase("embedded");
    const own = database.config.dataDir ?? "";
    const make = (name: string, change: (postgres: string) => void): string => {
      const dataDir = join(folder, name);
      cpSync(own, dataDir, { recursive: true });
      chmodSync(join(dataDir, "postgres"), 0o755);
      change(join(dataDir, "postgres"));
      return dataDir;
    };
    await refused(
      make("damaged", (postgres) => rmSync(join(postgres, "PG_VERSION"))),
      /holds files, and no whole database: PG_VERSION is missing\.$/m,
    );
    await refused(
      make("another", (postgres) => writeFileSync(join(postgres, "PG_VERSION"), "15\n")),
      /is of PostgreSQL 15; the embedded engine is 18\.$/m,
      "migrate",
    );
    await refused(
      make("served", (postgres) => writeFileSync(join(postgres, "postmaster.opts"), "postgres")),
      /is a PostgreSQL server's own\.$/m,
      "verify",
    );
    await refused(
      make("file", (postgres) => {
        rmSync(postgres, { recursive: true });
        writeFileSync(postgres, "a diary");
      }),
      /cannot be read: Error: ENOTDIR/,
    );
    await database.drop();
  });

  it("is refused by a name that only a shell would read, or with a space around it", async () => {
    for (const dataDir of ["~/kopeck", `${folder}/data `]) {
      await refused(dataDir, /KOPECK_DATA_DIR must be a whole path/);
    }
    assert.ok(!existsSync("~"));
  });

  const skip = !ENGINES.includes("postgres") && "needs PostgreSQL";
  it("makes no operator whose token it could not keep", { skip }, async () => {
    const database = await openTestDatabase("postgres");
    const DATABASE_URL = database.config.databaseUrl ?? "";
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    const init = (dataDir: string) =>
      runKopeck({ ...LIVE, DATABASE_URL, KOPECK_DATA_DIR: dataDir }, ["init"]).ended;
    const { code, stdout, stderr } = await init(file);
    assert.equal(code, 1, stdout);
    assert.equal(stdout, "");
    assert.match(stderr, /^kopeck: The token cannot be kept in KOPECK_DATA_DIR [^\n]+\n$/);
    // Beside another PostgreSQL's folder, which its group may read.
    const kept = join(folder, "kept");
    mkdirSync(join(kept, "postgres"), { recursive: true });
    writeFileSync(join(kept, "postgres/postmaster.opts"), "postgres");
    for (const one of ["", "postgres"]) chmodSync(join(kept, one), 0o750);
    const made = await init(kept);
    assert.equal(made.code, 0, made.stderr);
    assert.deepEqual([modeOf(kept, ""), modeOf(kept, "postgres")], [0o750, 0o750]);
    await database.drop();
  });
});
