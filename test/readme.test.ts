// The README's own lines, pasted in order into a shell, against a gateway that was just started.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { ROW_NAMES } from "../bench/rows.ts";
import { blocksIn, PROJECT as root, textOf } from "./document.ts";
import { openTestDatabase } from "./gateway.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

const readme = textOf("README.md");

after(killLeftovers);

const blocks = (section: string) => blocksIn("README.md", section);

describe("the README", () => {
  it("walks through a payment and all endpoints with its curl lines", async () => {
    const database = await openTestDatabase("embedded");
    const port = String(await freePort());
    const running = runKopeck({ PORT: port, KOPECK_DATA_DIR: database.config.dataDir ?? "" });
    await ready(running);
    const script = blocks("A payment in curl").join("").replaceAll(":8080", `:${port}`);
    const { stdout } = await promisify(execFile)("bash", ["-euc", script]);
    running.child.kill("SIGTERM");
    await running.ended;
    await database.drop();

    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { data: Record<string, unknown>; status: number });
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const keys = answers.map(({ data }) => Object.keys(data)[0]);
    assert.deepEqual(keys, [
      "id",
      "step_two_type",
      "ending",
      "now",
      "invoice_id",
      "tariffs",
      "banks",
      "balance",
      "payoff_id",
      "now",
      "payoff_id",
    ]);
    const { transfers = [] } = (answers[2]?.data ?? {}) as {
      transfers?: { state: string; fresh: boolean }[];
    };
    assert.deepEqual(
      transfers.map(({ state, fresh }) => [state, fresh]),
      [["matched", true]],
    );
    assert.equal(answers[4]?.data["status"], "success");
    assert.deepEqual(answers[7]?.data, { balance: 960, active_balance: 960, freeze_balance: 0 });
    const { status, amount_receive } = answers[10]?.data ?? {};
    assert.deepEqual([status, amount_receive], ["success", "98.00"]);
  });

  it("names the commands that exist", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    for (const [, name = ""] of readme.matchAll(/npm (?:run )?(start|test|check)\b/g)) {
      assert.ok(name in scripts, name);
    }
    assert.deepEqual(blocks("Run it")[0], "npm ci && npm start\n");
  });
});

it("SECURITY.md names only tests, parts and rows that there are", () => {
  const text = textOf("SECURITY.md");
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
  const tests = all(/`((?:test|src)\/[^`]+\.test\.ts)`/g);
  const parts = all(/part `(\w+)`/g).map((part) => `torture/${part}.ts`);
  const rows = all(/row `(\w+)`/g);
  assert.ok(tests.length > 15 && parts.length > 0 && rows.length > 0);
  const missing = [
    ...[...tests, ...parts].filter((file) => !existsSync(join(root, file))),
    ...rows.filter((row) => !ROW_NAMES.includes(row)),
  ];
  assert.deepEqual(missing, []);
});
