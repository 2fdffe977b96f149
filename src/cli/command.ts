// What a command is: words, and either a call of the API or work of its own.

export type Command = DoorCommand | LocalCommand;

/** Calls a running gateway. Its options, their kinds and their help come from the API's description. */
export interface DoorCommand {
  /** "shop create": what is typed after kopeck. */
  readonly words: string;
  /** "POST /manage/shops": the call, as the API's description names it. */
  readonly call: string;
  /** In the place of the call's own, where the words say less or more than the call does. */
  readonly summary?: string;
  /** Fields that are given by their place instead of by an option, after those of the path. */
  readonly places?: readonly string[];
  /** Fields that must be given, though the call has other ways that do without. */
  readonly needs?: readonly string[];
  /** Fields that the words have decided already. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** The columns of a list, for people; everything for programs. */
  readonly columns?: string;
  /** What of the answer the rows are; items without it. */
  readonly part?: string;
  /** What a person has to do now, said before all the rest; moments as the service's zone tells them. */
  readonly says?: (answer: Input, timeOf: (moment: unknown) => string) => string;
  /** What cannot be undone, as a question to whoever is about to do it. */
  readonly warning?: string;
  /** Of what was typed, whether it cannot be undone; all of it where this is left out. */
  readonly asks?: (input: Input) => boolean;
  /** What will happen instead, where that depends on the thing; undefined where the warning is right. */
  readonly warns?: (
    ask: (path: string, input: Input) => Promise<Input>,
    input: Input,
  ) => Promise<string | undefined>;
  /** What went wrong though the gateway has answered: the command fails with this line. */
  readonly fails?: (answer: Input) => string | undefined;
  /** A field that is read from a file of lines, and how a line becomes an item. */
  readonly file?: {
    readonly field: string;
    readonly description: string;
    readonly item: (line: string) => unknown;
  };
  readonly example?: string;
}

export type Doors = Readonly<Record<string, Omit<DoorCommand, "words">>>;

/** Does work of its own: on this machine, or through several calls. It is loaded when it is called, so that starting is quick. */
export interface LocalCommand {
  readonly words: string;
  readonly summary: string;
  /** The calls of the API that are made by it alone. */
  readonly calls?: readonly string[];
  load(): Promise<LocalWork>;
}

export interface LocalWork {
  readonly description: string;
  /** What is given by its place. */
  readonly places?: readonly Field[];
  readonly options: readonly Field[];
  readonly example: string;
  /** Resolves with the exit code; an error with an exit code of its own is one line and that code. */
  run(call: LocalCall): Promise<number>;
}

export interface LocalCall {
  readonly input: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
}

/** What was typed, by the names of the fields. */
export type Input = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly kind: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly description: string;
  readonly required?: boolean;
  readonly choices?: readonly string[];
  readonly example?: unknown;
  readonly maximum?: number | undefined;
  /** Taken, and of no use to this command: the help does not name it. */
  readonly isIdle?: boolean;
}

export function flag(name: string, description: string, isIdle = false): Field {
  return { name, kind: "boolean", description, isIdle };
}

export interface Manual {
  readonly description: string;
  readonly places: readonly Field[];
  readonly options: readonly Field[];
  readonly example: string;
}

/** The one way to fail: a line on standard error, and an exit code of its kind. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Whoever typed it can mend it. */
export class UsageFailure extends CommandFailure {
  constructor(message: string) {
    super(message, 2);
  }
}
