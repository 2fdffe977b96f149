// Help at every level: all commands, those of one noun, one command with its options and an example.

import { type Command, type Field, type Manual, UsageFailure } from "./command.ts";
import { manualOf, summaryOf } from "./manual.ts";
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
For the shell:
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
  ["completion <shell>", "Print what makes bash, zsh or fish complete commands"],
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

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_kopeck() {
  local words
  words="$(kopeck complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _kopeck kopeck
`,
  zsh: `#compdef kopeck
_kopeck() {
  local -a candidates
  candidates=(\${(f)"$(kopeck complete "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"})
  compadd -- $candidates
}
compdef _kopeck kopeck
`,
  fish: `complete -c kopeck -f -a '(kopeck complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

const SHELLS = Object.keys(SCRIPTS).map((shell) => ["completion", shell]);

export const completion: Manual = {
  description: `Prints what makes a shell complete commands and options, for the shell to read at its start; in fish
"kopeck completion fish | source".`,
  places: [
    {
      name: "shell",
      kind: "string",
      description: "Which shell.",
      required: true,
      choices: Object.keys(SCRIPTS),
    },
  ],
  options: [],
  example: 'eval "$(kopeck completion bash)"',
};

export function completionScript(shell: string | undefined): string {
  const script = shell === undefined ? undefined : SCRIPTS[shell];
  if (script === undefined) throw new UsageFailure("Name a shell: bash, zsh or fish.");
  return script;
}

/** What may stand at the place of the last word, one candidate a line. */
export async function complete(typed: readonly string[]): Promise<string> {
  const before = typed.slice(0, -1).filter((word) => !word.startsWith("-"));
  const command = COMMANDS.find(({ words }) => startsWith(before, words.split(" ")));
  const candidates =
    command === undefined ? nextWords(before) : optionsOf(await manualOf(command), typed.at(-2));
  const fitting = candidates.filter((word) => word.startsWith(typed.at(-1) ?? ""));
  return [...new Set(fitting)].map((word) => `${word}\n`).join("");
}

function nextWords(before: readonly string[]): string[] {
  const all = [...COMMANDS.map(({ words }) => words.split(" ")), ...SHELLS, ["help"]];
  return all
    .filter((words) => startsWith(words, before))
    .flatMap((words) => words[before.length] ?? []);
}

/** Or the choices of the option that stands before. */
function optionsOf({ options }: Manual, last: string | undefined): readonly string[] {
  const { choices = [] } = options.find(({ name }) => `--${optionName(name)}` === last) ?? {};
  if (choices.length > 0) return choices;
  const shown = options.filter(({ isIdle }) => isIdle !== true);
  return [...shown.map(({ name }) => `--${optionName(name)}`), "--help"];
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, index) => words[index] === word);
}
