// docs/money-in.md and docs/payouts.md, followed by their own lines on a fresh sandbox; and every command that
// any document or page names. Only what names a machine or a thing is another: ports, folders, ids.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { promisify } from "node:util";
import { manualOf } from "../src/cli/manual.ts";
import { optionName } from "../src/cli/options.ts";
import { COMMANDS } from "../src/cli/table.ts";
import { blocksIn, PROJECT, textOf } from "./document.ts";
import { openTestDatabase } from "./gateway.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

after(killLeftovers);

const folder = mkdtempSync(join(tmpdir(), "kopeck-manuals-"));
const database = await openTestDatabase("embedded");
const port = String(await freePort());
const home = { PORT: port, KOPECK_DATA_DIR: database.config.dataDir ?? "" };
const running = runKopeck(home);
await ready(running);
after(async () => {
  running.child.kill("SIGTERM");
  await running.ended;
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** Somebody at a terminal is asked, and says yes; a command of this machine alone asks nothing. */
const SHELL = `
kopeck() {
  case "$1 \${2-}" in
    "payout-batch s"* | "transfer import") '${process.execPath}' '${PROJECT}/bin/kopeck.mjs' "$@" ;;
    *) '${process.execPath}' '${PROJECT}/bin/kopeck.mjs' "$@" --yes ;;
  esac
}
`;

async function follow(lines: string, things: Readonly<Record<string, string>> = {}) {
  const here = lines
    .replaceAll("localhost:8080", `localhost:${port}`)
    .replaceAll("https://pay.example", `http://localhost:${port}`);
  const env = { ...home, PATH: process.env["PATH"], KOPECK_URL: running.url, ...things };
  const options = { cwd: folder, env };
  const { stdout } = await promisify(execFile)("bash", ["-euc", SHELL + here], options);
  return stdout;
}

/** The value beside a name in what a command has printed. */
function printed(text: string, name: string): string {
  const [, value = ""] = new RegExp(`^${name} +(\\S+)`, "m").exec(text) ?? [];
  assert.notEqual(value, "", `${name} in ${text}`);
  return value;
}

/** The README's own lines: an order, its details, and the money; a day passes only where it is asked for. */
async function payAnOrder(order: string, amount: number, isReleased = false): Promise<void> {
  const lines = blocksIn("README.md", "A payment in curl").slice(0, 3).join("");
  const asked = lines
    .replace('"order-1"', `"${order}"`)
    .replace('"amount":1000', `"amount":${amount}`);
  const [untilPaid = ""] = asked.split("curl -sw '\\n' localhost:8080/sandbox/clock");
  await follow(isReleased ? asked : untilPaid);
}

it("docs/money-in.md works on a fresh sandbox, command by command", async () => {
  const [account = "", statement = "", ownFile = ""] = blocksIn("docs/money-in.md", "Statements");
  const [list = "", text = ""] = blocksIn("docs/money-in.md", "Add a phone");
  const requisite = { REQUISITE_ID: "00000000-0000-4000-8000-000000000101" };
  assert.match(await follow(account, requisite), /^account +\S*0101$/m);

  await payAnOrder("for-the-statement", 1000);
  const brought = await follow(statement);
  // Tried, and then done: the money was known, and the line proves it.
  assert.deepEqual(brought.match(/^duplicate +\d+$/gm), Array(2).fill("duplicate      1"));
  assert.equal(printed(brought, "known_lines"), "0");

  const [profile = ""] = blocksIn("docs/money-in.md", "Statements", /json/);
  // As some editors write it.
  writeFileSync(join(folder, "profile.json"), `\ufeff${profile}`);
  const columns = JSON.parse(profile) as Record<string, string>;
  const names = ["date", "amount", "id", "party_name"].map((name) => columns[name]);
  const rows = [
    [...names, "Назначение"],
    ["01.03.2026", "500,00", "7712-A", "Иван П.", "перевод"],
  ];
  writeFileSync(join(folder, "march.csv"), `${rows.map((row) => row.join(";")).join("\n")}\n`);
  assert.equal(printed(await follow(ownFile), "new"), "1");

  const phone = await follow(list, requisite);
  writeFileSync(join(folder, "token-header"), `Access-Token: ${printed(phone, "token")}\n`);
  assert.equal(printed(await follow(text), "amount"), "7000.00");
  const [beat = ""] = blocksIn("docs/money-in.md", "Heartbeats");
  const heard = JSON.parse(await follow(beat, { SOURCE_ID: printed(phone, "source_id") }));
  assert.deepEqual([heard.status, heard.data.accepted], [200, 0]);

  const [reconcile = ""] = blocksIn("docs/money-in.md", "Reconciliation");
  // No statement with balances tells of that day; of the day that was brought above, everything is explained.
  assert.match(await follow(reconcile), /^requisites:\nnothing$/m);
  const compared = await follow(reconcile.replace(/ --requisite-id.*/, ""));
  assert.match(compared, /\bequal\b/);
});

it("docs/payouts.md works on a fresh sandbox, command by command", async () => {
  await follow("kopeck rail pause sandbox");
  await payAnOrder("for-payouts", 5000, true);
  const [tariff = ""] = blocksIn("docs/payouts.md", "Limits and holds");
  assert.equal(printed(await follow(tariff), "four_eyes_over"), "80000.00");
  const [ask = ""] = blocksIn("README.md", "A payment in curl").slice(-1);
  const [settings = ""] = blocksIn("README.md", "A payment in curl").slice(3, 4);
  const [keys = ""] = /^USER_ID=.*\nSECRET=.*\n/m.exec(settings) ?? [];
  const [wish = ""] = ask.split("curl -sw '\\n' localhost:8080/sandbox/clock");
  for (const order of ["desk-1", "desk-2", "file-1", "file-2", "file-3"]) {
    await follow(keys + wish.replace("payout-1", order));
    // The first ones to a destination are held, as the tariff says.
    await follow(`kopeck payout approve ${order}`);
  }

  const [desk = ""] = blocksIn("docs/payouts.md", "At the desk");
  const [list = "", take = "", sent = "", notSent = ""] = desk.trim().split("\n");
  assert.equal((await follow(list)).match(/ queued /g)?.length, 5);
  const of = (order: string, line: string) => line.replace("1a2b3c4d5e6f", order);
  assert.match(
    await follow(of("desk-1", take)),
    /^Send exactly 98\.50 RUB to 2200000000000301, until/,
  );
  assert.equal(printed(await follow(of("desk-1", sent)), "state"), "done");
  await follow(of("desk-2", take));
  assert.equal(printed(await follow(of("desk-2", notSent)), "state"), "queued");

  const [file = ""] = blocksIn("docs/payouts.md", "As a file");
  const [make = "", save = "", settle = ""] = file.trim().split("\n");
  const batch = printed(await follow(make), "batch_id").slice(-12);
  const saved = (line: string) => line.replace("7f3a9c21d0b4", batch);
  const [name = ""] = (await follow(saved(save))).split("\n");
  const numbers = [...(await follow(`cat ${name}`)).matchAll(/^K\w{12}(?=;)/gm)].map(
    ([one]) => one,
  );
  assert.equal(numbers.length, 3);
  const [example = ""] = blocksIn("docs/payouts.md", "As a file", /(?:)/);
  const examples = [...example.matchAll(/^K\w{12}(?=;)/gm)].map(([one]) => one);
  const answer = examples.reduce(
    (all, one, index) => all.replace(one, numbers[index] ?? ""),
    // A reference proves one payout: the desk's example has used this one.
    example.replace("B60721203517031F0B10110011700501", "B60721203517031F0B10110011700502"),
  );
  writeFileSync(join(folder, "answer.csv"), answer);
  await follow(saved(settle));
  const states = await follow("for one in 1 2 3; do kopeck payout show file-$one; done");
  assert.deepEqual(
    (states.match(/^state +\w+/gm) ?? []).map((line) => line.split(/ +/)[1]).sort(),
    ["done", "failed", "queued"],
  );
});

it("every command that a document or a page names is there, with its options", async () => {
  const decisions = readdirSync(join(PROJECT, "docs/decisions")).map((name) => `decisions/${name}`);
  const documents = [...readdirSync(join(PROJECT, "docs")), ...decisions]
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  const wrong: string[] = [];
  let named = 0;
  const pages = ["desk", "cabinet"].flatMap((room) =>
    readdirSync(join(PROJECT, "src/features", room))
      .filter((name) => name.endsWith(".page.ts"))
      .map((name) => `src/features/${room}/${name}`),
  );
  for (const path of ["README.md", "SECURITY.md", ...documents, ...pages]) {
    const text = textOf(path);
    const quoted = [...text.matchAll(/```(?:sh|bash)\n(.*?)```|`([^`\n]+)`/gs)];
    // What stands at the foot of a page is a text of its code.
    const pieces = path.endsWith(".ts")
      ? (text.match(/(?<=["'`])kopeck [^`\n]*?(?=["'`][,; ])/g) ?? [])
      : quoted.flatMap(([, block = "", inline = ""]) => [
          ...block.replaceAll("\\\n", " ").split("\n"),
          inline,
        ]);
    for (const piece of pieces) {
      const [, typed = ""] = /(?:^|sudo |npx |\| )kopeck ([a-z][^|<>#]*)/.exec(piece) ?? [];
      if (typed === "" || /^(?:help|login|owner|serve)\b/.test(typed)) continue;
      named += 1;
      const command = COMMANDS.find(({ words }) => `${typed} `.startsWith(`${words} `));
      const isFamily = COMMANDS.some(({ words }) => words.startsWith(`${typed.trim()} `));
      if (command === undefined) {
        if (!isFamily) wrong.push(`${path}: kopeck ${typed}`);
        continue;
      }
      const { options } = await manualOf(command);
      const known = new Set([
        "json",
        "yes",
        "help",
        "all",
        ...options.map(({ name }) => optionName(name)),
      ]);
      for (const [, option = ""] of typed.matchAll(/ --([a-z][a-z0-9-]*)/g)) {
        if (!known.has(option.replace(/^no-/, ""))) wrong.push(`${path}: kopeck ${typed}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(named > 150, `${named} commands are named`);
});
