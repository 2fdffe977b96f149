// npm test [-- FILE …]: every test there is, or those of the named files. What begins with -- goes to Node's
// own runner, such as --test-name-pattern or --test-only.

import { spawnSync } from "node:child_process";

const EVERY_FILE = "{src,test}/**/*.test.ts";
/** Only for what hangs: on a busy machine everything takes its time. */
const TIMEOUT_MS = 600_000;
const AT_ONCE = 3;

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith("--"));
const files = args.filter((arg) => !arg.startsWith("--"));
const { status } = spawnSync(
  process.execPath,
  [
    ...["--test", `--test-timeout=${TIMEOUT_MS}`, `--test-concurrency=${AT_ONCE}`],
    ...["--test-global-setup=test/global-setup.ts", ...flags],
    ...(files.length > 0 ? files : [EVERY_FILE]),
  ],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
