// Help for all commands, a noun or one command.

import type { Command, Field, Manual } from "./command.ts";
import { summaryOf } from "./manual.ts";
import { optionName } from "./options.ts";
import { COMMANDS } from "./table.ts";

/** Everything, or the commands that begin with these words. */
export function helpOverview(noun = ""): string {
  const rows = COMMANDS.filter(({ words }) => noun === "" || words.startsWith(`${noun} `));
  const longest = Math.max(...rows.map(({ words }) => words.length));
  const list = (commands: readonly Command[]): string =>
    commands
      .map((command) => `  kopeck ${command.words.padEnd(longest)}  ${summaryOf(command)}\n`)
      .join("");
  const isOwn = ({ words }: Command): boolean => words.startsWith("my ");
  if (noun !== "") return `${rows.some(isOwn) ? OWN : ""}${list(rows)}\n${MORE}`;
  return `Kopeck, a payment gateway for bank transfers.

On this machine, on the database:
${list(rows.filter((command) => !("call" in command)))}
About the command line:
${OTHERS.map(([words, about]) => `  kopeck ${words.padEnd(longest)}  ${about}\n`).join("")}
On a running gateway (KOPECK_URL, KOPECK_TOKEN; on the same machine both are found):
${list(rows.filter((command) => "call" in command && !isOwn(command)))}
${OWN}${list(rows.filter(isOwn))}
${MORE}`;
}

const OWN = `For a merchant's people (KOPECK_URL, and in KOPECK_TOKEN a personal token, which /my/keys makes):
`;

/** What is no command of its own. */
const OTHERS = [
  ["help <words>", "Explain a command, or list those that begin so"],
  ["--version", "Say which Kopeck this is"],
] as const;

const MORE = `"kopeck <words> --help" explains one of them. A value of - is a line of standard input: so a card's
number is in no list of processes and no shell's history.

Where an id is asked for, its last four characters or more will do; an order id for an invoice, a
payment or a payout; the name of a shop, a user, an operator or a token; a person's e-mail address;
the last four digits of its card or phone for a requisite. What fits several is refused. A day, as in
--from 2026-03-01, begins at midnight where the service is, whose times are shown.

Exit codes: 0 done, 1 refused, 2 wrong usage,
3 the gateway cannot be reached or does not know the token.
`;

export function helpCommand(words: string, manual: Manual): string {
  const places = manual.places.map((field) => [`<${optionName(field.name)}>`, field] as const);
  const options = manual.options
    .filter(({ isIdle }) => !isIdle)
    .map((field) => [nameOf(field), field] as const);
  const rows = [...places, ...options];
  const usage = ["kopeck", words, ...places.map(([name]) => name)];
  if (options.length > 0) usage.push("[options]");
  const lines = manual.description.split("\n").map((line) => wrapped(line));
  return `Usage: ${usage.join(" ")}

${lines.join("\n")}

${rows.map(([name, field]) => row(name, field)).join("")}${rows.length === 0 ? "" : "\n"}Example:

${manual.example.replaceAll(/^/gm, "  ")}
`;
}

function nameOf({ name, kind }: Field): string {
  return kind === "boolean" ? `--[no-]${optionName(name)}` : `--${optionName(name)}`;
}

const WIDTH = 100;
const NAMES = 24;

function row(name: string, { description, choices = [], required, kind }: Field): string {
  const text = [
    ...(required ? [] : ["optional."]),
    ...(description === "" ? [] : [description]),
    ...(choices.length === 0 ? [] : [`One of: ${choices.join(", ")}.`]),
    ...(kind === "array" ? ["May stand there several times."] : []),
  ].join(" ");
  return `  ${name.padEnd(NAMES)}  ${wrapped(text, NAMES + 4)}\n`;
}

/** In lines that a terminal has room for; the first of them begins where the text is put. */
function wrapped(text: string, left = 0): string {
  const line = new RegExp(`\\S(?:.{0,${WIDTH - left - 1}}(?=\\s|$)|\\S*)`, "g");
  return (text.match(line) ?? []).join(`\n${" ".repeat(left)}`);
}
