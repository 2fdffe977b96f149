// What the command leaves on a disk is its owner's alone, whatever the umask: the embedded database with
// everything in it, an operator's token, the gateway's address.

import assert from "node:assert/strict";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
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
  ...{ KOPECK_MODE: "live", KOPECK_BASE_URL: "https://pay.example" },
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
    const env = { ...LIVE, KOPECK_DATA_DIR: dataDir };
    const made = await runKopeck(env, ["init"]).ended;
    assert.equal(made.code, 0, made.stderr);
    assert.equal(modeOf(dataDir), 0o700);
    assert.equal(modeOf(dataDir, "operator-token"), 0o600);
    await serve(env, () => {
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
    const env = { ...LIVE, KOPECK_DATA_DIR: join(folder, "loop") };
    symlinkSync(env.KOPECK_DATA_DIR, env.KOPECK_DATA_DIR);
    const { code, stderr } = await runKopeck(env, ["verify"]).ended;
    assert.equal(code, 1);
    assert.match(stderr, /^kopeck: KOPECK_DATA_DIR \S+ cannot be used: Error: ELOOP[^\n]+\n$/);
    const missing = await runKopeck({ ...env, KOPECK_DATA_DIR: join(folder, "none") }, ["verify"])
      .ended;
    assert.match(missing.stderr, /^kopeck: There is no database in [^\n]+\n$/);
  });
});
