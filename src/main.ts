// The process: runs the command that was typed. Whatever its user can mend is one clear line and the
// exit code that the failure brings along.

import { runCommand } from "./cli/run.ts";

// What it writes is its owner's: the database, keys, an operator's token.
process.umask(0o077);
try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Error && "exitCode" in error)) throw error;
  process.stderr.write(`kopeck: ${error.message}\n`);
  process.exit(Number(error.exitCode));
}
