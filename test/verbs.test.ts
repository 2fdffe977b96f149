// The command line as a process: help, what it refuses, and the commands on this machine that need no life
// of their own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { promisify } from "node:util";
import { helpCommand } from "../src/cli/help.ts";
import { rotateSecret } from "../src/cli/local/rotate-secret.ts";
import { manualOf, summaryOf } from "../src/cli/manual.ts";
import { readOptions } from "../src/cli/options.ts";
import { COMMANDS } from "../src/cli/table.ts";
import { killLeftovers, runKopeck } from "./process.ts";

after(killLeftovers);

it("the command line lists every command", async () => {
  const { code, stdout } = await runKopeck({}, ["--help"]).ended;
  assert.equal(code, 0);
  const lines = stdout.split("\n").map((line) => line.trim().replaceAll(/ +/g, " "));
  for (const command of COMMANDS) {
    const line = `kopeck ${command.words} ${summaryOf(command)}`;
    assert.ok(lines.includes(line), line);
  }
});

it("the command line explains every command, with an example that it understands itself", async () => {
  for (const command of COMMANDS) {
    const { words } = command;
    const manual = await manualOf(command);
    const help = helpCommand(words, manual);
    assert.ok(help.startsWith(`Usage: kopeck ${words}`));
    assert.match(help, new RegExp(`\nExample:\n(?:\n  .*)*\n  .*kopeck ${words}\\b`));
    const [explained = ""] = help.split("Example:");
    for (const line of explained.split("\n")) assert.ok(line.length <= 100, line);
    assert.throws(() => readOptions(words, manual, ["--sideways"]), {
      message: `Unknown option '--sideways'. "kopeck ${words} --help" says what there is.`,
      exitCode: 2,
    });
    if (!("call" in command)) continue;
    const typed = (manual.example.match(/"[^"]*"|\S+/g) ?? [])
      .slice(1)
      .map((word) => word.replaceAll('"', ""));
    const count = words.split(" ").length;
    assert.equal(typed.slice(0, count).join(" "), words);
    readOptions(words, manual, typed.slice(count), () => "2202200000000007");
  }
});

it("the command line has no example, here or in a document, that shows a secret to the list of processes", async () => {
  const manuals = await Promise.all(COMMANDS.map(manualOf));
  const helps = manuals.flatMap(({ description, example }) => [description, example]);
  const documents = ["README.md", "docs/operations.md"].flatMap((path) => {
    const text = readFileSync(join(import.meta.dirname, "..", path), "utf8");
    return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
  });
  const lines = [...helps, ...documents]
    .flatMap((text) => text.replaceAll("\\\n", "").split("\n"))
    // The sandbox has no secrets: its keys are everybody's.
    .filter((line) => !line.includes("localhost:8080"));
  for (const [what, pattern] of [
    ["a password in an address", /:\/\/\w+:[^$\s]+@/],
    ["a header with a secret", /-H "[^"]*\$/],
    ["a password in a statement", /-c "[^"]*password/],
    ["a key that nobody keeps", /=\$\(openssl[^)]*\) +\S/],
    ["a card's number", /\b\d{16}\b/],
  ] as const) {
    assert.deepEqual(
      lines.filter((line) => pattern.test(line)),
      [],
      what,
    );
  }
});

it("the command line keeps the new secret key in a file before it is used, by its own example", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kopeck-example-"));
  const standIn = `#!/bin/sh\nprintf %s "$KOPECK_NEW_SECRET_KEY" > used\n`;
  writeFileSync(join(folder, "kopeck"), standIn, { mode: 0o755 });
  const options = { cwd: folder, env: { PATH: `${folder}:${process.env["PATH"]}` } };
  const paste = () =>
    promisify(execFile)("bash", ["-euc", `umask 000\n${rotateSecret.example}`], options);
  await paste();
  const used = readFileSync(join(folder, "used"), "utf8");
  assert.match(used, /^[0-9a-f]{64}$/);
  const kept = join(folder, "new-secret-key");
  assert.equal(readFileSync(kept, "utf8").trim(), used);
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  // By now everything is sealed with it: pasted once more, the example must leave the only copy alone.
  rmSync(join(folder, "used"));
  await assert.rejects(paste);
  assert.equal(readFileSync(kept, "utf8").trim(), used);
  assert.equal(existsSync(join(folder, "used")), false);
  rmSync(folder, { recursive: true });
});
