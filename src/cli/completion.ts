// Completion of words and options in bash, zsh and fish. The scripts ask this command itself, so they
// never have to be installed anew.

import { UsageFailure } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { describeCall } from "./description.ts";
import type { LocalVerb } from "./help.ts";
import { COMMON_OPTIONS, optionFields, optionName } from "./options.ts";

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

export function completionScript(shell: string | undefined): string {
  const script = shell === undefined ? undefined : SCRIPTS[shell];
  if (script === undefined) throw new UsageFailure("Name a shell: bash, zsh or fish.");
  return script;
}

/** What may stand at the place of the last word, one candidate a line. */
export function complete(localVerbs: readonly LocalVerb[], typed: readonly string[]): string {
  const before = typed.slice(0, -1).filter((word) => !word.startsWith("-"));
  const command = COMMANDS.find(({ words }) => startsWith(before, words.split(" ")));
  const last = typed.at(-1) ?? "";
  if (command === undefined) {
    const local = localVerbs.map(({ name }) => name.split(" "));
    const all = [...local, ...COMMANDS.map(({ words }) => words.split(" "))];
    const next = all
      .filter((words) => startsWith(words, before))
      .map((words) => words[before.length]);
    return lines(next.filter((word) => word?.startsWith(last)));
  }
  const fields = optionFields(command, describeCall(command.call));
  const asked = typed.at(-2)?.replace(/^--/, "");
  const choices = fields.find(({ name }) => optionName(name) === asked)?.choices ?? [];
  if (choices.length > 0) return lines(choices.filter((choice) => choice.startsWith(last)));
  const names = [...fields.map(({ name }) => optionName(name)), ...Object.keys(COMMON_OPTIONS)];
  return lines(names.map((name) => `--${name}`).filter((name) => name.startsWith(last)));
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, index) => words[index] === word);
}

function lines(candidates: readonly (string | undefined)[]): string {
  return [...new Set(candidates)]
    .filter(Boolean)
    .map((word) => `${word}\n`)
    .join("");
}
