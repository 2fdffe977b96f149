// Completion of words and options in bash, zsh and fish. The scripts ask this command itself, so they
// never have to be installed anew.

import { type Manual, UsageFailure } from "./command.ts";
import { manualOf } from "./manual.ts";
import { optionName } from "./options.ts";
import { COMMANDS } from "./table.ts";

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
