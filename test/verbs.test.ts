// The command line as a process: help, what it refuses, and the verbs that need no life of their own.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { verbs } from "../src/verbs/list.ts";
import { onEachEngine, openTestDatabase } from "./gateway.ts";
import { killLeftovers, runKopeck } from "./process.ts";

after(killLeftovers);

describe("the command line", () => {
  it("lists every verb", async () => {
    const { code, stdout } = await runKopeck({}, ["--help"]).ended;
    assert.equal(code, 0);
    for (const { name, summary } of verbs) {
      assert.match(stdout, new RegExp(`^ {2}kopeck ${name} +${summary}$`, "m"));
    }
  });

  for (const { name, load } of verbs) {
    it(`explains ${name}, with an example`, async () => {
      const { help } = await load();
      assert.ok(help.startsWith(`Usage: kopeck ${name}`));
      assert.match(help, new RegExp(`\n  .*kopeck ${name}\\b`), "an example");
      for (const line of help.split("\n")) assert.ok(line.length <= 100, line);
    });

    it(`refuses an option that ${name} does not have before it does anything`, async () => {
      const command = await load();
      const print = (): void => assert.fail("it did something");
      const call = { args: ["--sideways"], env: {}, print };
      await assert.rejects(command.run(call), { message: /^Unknown option '--sideways'/ });
    });
  }

  for (const [args, line] of [
    [["serve", "--loud"], /^kopeck: Unknown option '--loud'\. "kopeck serve --help"[^\n]+\n$/],
    [["migrate", "twice"], /^kopeck: Unexpected argument 'twice'\. [^\n]+\n$/],
  ] as const) {
    it(`refuses ${args.join(" ")} in one line`, async () => {
      const { code, stdout, stderr } = await runKopeck({}, args).ended;
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.match(stderr, line);
    });
  }

  it("prints a verb's help and does nothing else", async () => {
    const { code, stdout } = await runKopeck({ PORT: "nonsense" }, ["serve", "--help"]).ended;
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: kopeck serve\n/);
  });
});

onEachEngine("kopeck migrate", (engine) => {
  it("says what it applied, and later that all was there", async () => {
    const database = await openTestDatabase(engine);
    const { dataDir = "", databaseUrl = "" } = database.config;
    const env = { KOPECK_DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    const first = await runKopeck(env, ["migrate"]).ended;
    assert.equal(first.code, 0, first.stderr);
    // The embedded test databases are copies of one that was migrated already.
    if (engine === "postgres") assert.match(first.stdout, /^applied 0001_gateway\.sql\n/);
    const second = await runKopeck(env, ["migrate"]).ended;
    assert.deepEqual(second, {
      code: 0,
      stdout: "all migrations were there already\n",
      stderr: "",
    });
    await database.drop();
  });
});
