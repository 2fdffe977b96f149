// What a command of the terminal is: words, the management call behind them, and how its answer looks.
// Options, their kinds and their help come from the API's own description.

export interface Command {
  /** "shop create": what is typed after kopeck. */
  readonly words: string;
  /** "POST /manage/shops": the call, as the API's description names it. */
  readonly call: string;
  /** Fields that are given by their place instead of by an option. */
  readonly places?: readonly string[];
  /** Fields that the words have decided already. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** The columns of a list, for people; everything for programs. */
  readonly columns?: readonly string[];
  /** What cannot be undone, as a question to whoever is about to do it. */
  readonly warning?: string;
  /** A field that is read from a file of lines, and how a line becomes an item. */
  readonly file?: { readonly field: string; readonly item: (line: string) => unknown };
  readonly example: string;
}

/** Whoever typed it can mend it: one line, and exit code 2. */
export class UsageFailure extends Error {}
