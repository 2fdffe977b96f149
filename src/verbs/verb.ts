// What a verb of the command line is, and how it reads its options.

import { type ParseArgsConfig, parseArgs } from "node:util";
import { StartFailure } from "../platform/failure.ts";

export interface Call {
  /** What stands after the verb. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
}

export interface Command {
  /** What --help prints: what it does, its options, an example. */
  readonly help: string;
  /** Resolves with the process's exit code; a StartFailure is one line and exit code 1. */
  run(call: Call): Promise<number>;
}

/** One line of the table. The command is loaded when it is called, so that starting is quick. */
export interface Verb {
  /** The words that call it: "verify", "secret rotate". */
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/** A verb takes options only; whatever else stands there is named in one line. */
export function readOptions<const Known extends Options>(name: string, call: Call, known: Known) {
  try {
    return parseArgs({ args: [...call.args], options: known, strict: true }).values;
  } catch (error) {
    // The first sentence names the argument; what follows in it is about parsing.
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split(/[.\n]/);
    throw new StartFailure(`${reason}. "kopeck ${name} --help" says what there is.`);
  }
}
