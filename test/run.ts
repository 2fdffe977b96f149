// npm test [-- FILE …]: every test there is, or those of the named files. What begins with -- goes to Node's
// own runner, such as --test-name-pattern or --test-only.
//
// A process loads the gateway in a second and is slow at first, so that all files together share a few
// processes: in one of them, one file after another. Whoever names files gives each a process of its own.
// A test that fails may leave a gateway open: its process is ended a minute after the last test, and says so.

import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const EVERY_FILE = "{src,test}/**/*.test.ts";
/** Only for what hangs: on a busy machine everything takes its time. */
const FILE_TIMEOUT_MS = 600_000;
const AT_ONCE = 3;
const FILES_IN_A_PROCESS = 20;
const LEFT_OPEN = import.meta.resolve("./left-open.ts");
/** It measures milliseconds, which take longer where others have left their garbage. */
const ALONE = "test/costly-bodies.test.ts";

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith("--"));
const files = args.filter((arg) => !arg.startsWith("--"));
for (const pattern of files.filter((one) => globSync(one).length === 0)) {
  process.stderr.write(`No file is called ${pattern}.\n`);
  process.exit(2);
}
let made = 0;
const directory = mkdtempSync(join(tmpdir(), "kopeck-run-"));
try {
  process.exitCode = run(files.length > 0 ? files.flatMap(named) : everyFile());
} finally {
  rmSync(directory, { recursive: true });
}

/** The runner's exit code. */
function run(own: readonly string[]): number {
  const { status } = spawnSync(
    process.execPath,
    [
      "--test",
      `--test-timeout=${FILES_IN_A_PROCESS * FILE_TIMEOUT_MS}`,
      `--test-concurrency=${AT_ONCE}`,
      "--test-global-setup=test/global-setup.ts",
      ...flags,
      ...own,
    ],
    { stdio: "inherit" },
  );
  return status ?? 1;
}

function named(pattern: string): string[] {
  return globSync(pattern).map((file) => together([file]));
}

function everyFile(): string[] {
  const all = globSync(EVERY_FILE).filter((file) => file !== ALONE);
  const count = Math.ceil(all.length / FILES_IN_A_PROCESS);
  // Those of test/ take longest, and begin first.
  const sorted = all.toSorted().toReversed();
  const groups = Array.from({ length: count }, (_, index) =>
    sorted.slice(index * FILES_IN_A_PROCESS, (index + 1) * FILES_IN_A_PROCESS),
  );
  return [[ALONE], ...groups].map(together);
}

/** A file that has others run, one after another, as suites: a file's tests begin once it is loaded. */
function together(files: readonly string[]): string {
  const suites = files.map((file) => {
    const address = JSON.stringify(pathToFileURL(resolve(file)).href);
    const options = JSON.stringify({ timeout: FILE_TIMEOUT_MS });
    return `await describe(${JSON.stringify(file)}, ${options}, () => import(${address}));`;
  });
  const path = join(directory, `${made++}.test.mjs`);
  const lines = [
    `import { describe } from "node:test";`,
    ...suites,
    `await import("${LEFT_OPEN}");`,
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
