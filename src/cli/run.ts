// Runs one command, from the typed words to an exit code.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, UsageFailure } from "./command.ts";
import { helpCommand, helpOverview } from "./help.ts";
import { manualOf } from "./manual.ts";
import { readOptions } from "./options.ts";
import { COMMANDS } from "./table.ts";

/** Runs what was typed after "kopeck" and answers with the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  // Without a word the gateway runs: what "npm start" and a container do.
  const [first = "serve", ...rest] = args;
  const typed = first === "help" ? [...rest, "--help"] : [first, ...rest];
  const command = findCommand(typed);
  // A gateway outlives whoever reads what it says.
  if (command?.words !== "serve") endWithReader();
  if (command === undefined) return print(await aboutCommands(typed));
  const own = typed.slice(command.words.split(" ").length);
  const manual = await manualOf(command);
  if (own.some(isCallForHelp)) return print(helpCommand(command.words, manual));
  const input = readOptions(command.words, manual, own);
  if ("load" in command) return (await command.load()).run({ input, env: process.env, print });
  const { callDoor } = await import("./door.ts");
  return print(await callDoor(command, input));
}

function findCommand(args: readonly string[]): Command | undefined {
  return COMMANDS.find(({ words }) => words.split(" ").every((word, at) => word === args[at]));
}

/** What names no command itself: help, the version, a noun alone. */
async function aboutCommands(typed: readonly string[]): Promise<string> {
  const [first = "", second] = typed;
  if (isCallForHelp(first)) return helpOverview();
  if (first === "--version" || first === "-v") return `${VERSION}\n`;
  // One word, or two of a merchant's people: "my invoice".
  const nouns = [first, `${first} ${second}`].filter((noun) =>
    COMMANDS.some(({ words }) => words.startsWith(`${noun} `)),
  );
  const noun = nouns.at(-1) ?? "";
  const next = typed[nouns.length];
  if (noun !== "" && (next === undefined || next === "help" || isCallForHelp(next))) {
    return helpOverview(noun);
  }
  const [words, list] = [`${noun} ${next}`.trim(), `help ${noun}`.trim()];
  throw new UsageFailure(`There is no command "${words}". "kopeck ${list}" lists them.`);
}

function isCallForHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

const UNWRITTEN =
  "what was asked for may have been done all the same, and a secret that was in it is lost: make it anew";

/** Whoever reads a command's answer may stop reading: no failure. A full disk is one. */
function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(
      `kopeck: The answer could not be written (${error.message}): ${UNWRITTEN}.\n`,
    );
    process.exit(1);
  });
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");

const VERSION = String((JSON.parse(manifest) as { version: string }).version);
