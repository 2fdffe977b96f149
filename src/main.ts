// The process: finds the verb that the command line names and runs it; what opens no database is a
// command to a running gateway. Whatever the operator can mend is one clear line and exit code 1.

import { StartFailure } from "./platform/failure.ts";
import { verbs } from "./verbs/list.ts";
import type { Verb } from "./verbs/verb.ts";

/** The verb whose words the arguments begin with. */
function findVerb(args: readonly string[]): Verb | undefined {
  return verbs.find(({ name }) => name.split(" ").every((word, index) => word === args[index]));
}

/** Whoever reads a command's answer may stop reading: no failure. A gateway outlives its reader. */
function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}

async function run(args: readonly string[]): Promise<number> {
  // Without a verb the gateway runs: what "npm start" and a container do.
  const typed = args.length === 0 ? ["serve"] : args;
  const verb = findVerb(typed);
  if (verb?.name !== "serve") endWithReader();
  if (verb === undefined) {
    const { runCommand } = await import("./cli/run.ts");
    return runCommand(typed, verbs);
  }
  const command = await verb.load();
  const own = typed.slice(verb.name.split(" ").length);
  const print = (text: string): void => void process.stdout.write(text);
  if (own.includes("--help") || own.includes("-h")) {
    print(command.help);
    return 0;
  }
  return command.run({ args: own, env: process.env, print });
}

// What it writes is its owner's: the database, keys, an operator's token.
process.umask(0o077);
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`kopeck: ${error.message}\n`);
  process.exit(1);
}
