// Help at every level: all commands, those of one noun, one command with its options and an example.

import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { type Call, describeCall, type Field } from "./description.ts";
import { COMMON_OPTIONS, optionFields, optionName } from "./options.ts";

/** A verb that opens the database instead; it explains itself. */
export interface LocalVerb {
  readonly name: string;
  readonly summary: string;
}

/** Everything, or the commands that begin with this noun. */
export function helpOverview(localVerbs: readonly LocalVerb[], noun?: string): string {
  const remote = COMMANDS.filter(({ words }) => noun === undefined || words.split(" ")[0] === noun);
  const lines = remote.map(({ words, call }) => [words, describeCall(call).summary] as const);
  const local = localVerbs.map(({ name, summary }) => [name, summary] as const);
  const table = noun === undefined ? [...local, ...lines] : lines;
  const longest = Math.max(...table.map(([words]) => words.length));
  const list = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([words, summary]) => `  kopeck ${words.padEnd(longest)}  ${summary}\n`).join("");
  if (noun !== undefined) return `${list(lines)}\n${MORE}`;
  return `Kopeck, a payment gateway for bank transfers.

On this machine, on the database:
${list(local)}
On a running gateway (KOPECK_URL, KOPECK_TOKEN; on the same machine both are found):
${list(lines)}
${MORE}`;
}

const MORE = `"kopeck <words> --help" explains one of them. A value of - is a line of standard input: so a
card's number is in no list of processes and no shell's history.

Exit codes: 0 done, 1 refused, 2 wrong usage,
3 the gateway cannot be reached or does not know the token.
`;

export function helpCommand(command: Command): string {
  const call = describeCall(command.call);
  const places = (command.places ?? []).map((name) => `<${optionName(name)}>`);
  const usage = ["kopeck", command.words, ...places, "[options]"].join(" ");
  const described = [call.summary, call.description].filter(Boolean).join(". ");
  const placed = (command.places ?? []).flatMap((name) => placeRow(call, name));
  const options = optionFields(command, call).map(optionRow);
  const file = command.file === undefined ? [] : [row("--file", "A file of lines.", true)];
  const common = Object.entries(COMMON_OPTIONS)
    .filter(([name]) => name !== "all" || call.isPage)
    .filter(([name]) => name !== "yes" || command.warning !== undefined)
    .map(([name, words]) => row(`--${name}`, words, false));
  return `${described.replace(/\.$/, "")}.
${command.warning === undefined ? "" : `Cannot be undone: ${command.warning}\n`}
  ${usage}

${[...placed, ...options, ...file, ...common].join("")}
Example:

  kopeck ${command.example}
`;
}

function placeRow(call: Call, name: string): string[] {
  const field = call.fields.find((one) => one.name === name);
  return field === undefined ? [] : [row(`<${optionName(name)}>`, words(field), true)];
}

function optionRow(field: Field): string {
  const name = optionName(field.name);
  return row(
    field.kind === "boolean" ? `--[no-]${name}` : `--${name}`,
    words(field),
    field.required,
  );
}

function words({ description, choices }: Field): string {
  return choices.length === 0 ? description : `${description} One of: ${choices.join(", ")}.`;
}

function row(name: string, text: string, required: boolean): string {
  return `  ${name.padEnd(24)}  ${required ? "" : "optional. "}${text}\n`;
}
