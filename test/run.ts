// npm test [-- FILE …]: every test there is, or those of the named files. What begins with -- goes to Node's
// own runner, such as --test-name-pattern or --test-only.
//
// A process loads the gateway in a second and is slow at first, so that all files together share a few
// processes: in one of them, one file after another. Whoever names files gives each a process of its own.

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
/** It measures milliseconds, which take longer where others have left their garbage. */
const ALONE = "test/costly-bodies.test.ts";

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith("--"));
const files = args.filter((arg) => !arg.startsWith("--"));
const directory = mkdtempSync(join(tmpdir(), "kopeck-run-"));
try {
  const { status } = spawnSync(
    process.execPath,
    [
      ...["--test", `--test-timeout=${FILES_IN_A_PROCESS * FILE_TIMEOUT_MS}`],
      ...[`--test-concurrency=${AT_ONCE}`, "--test-global-setup=test/global-setup.ts", ...flags],
      ...(files.length > 0 ? files : everyFile()),
    ],
    { stdio: "inherit" },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true });
}

function everyFile(): string[] {
  const all = globSync(EVERY_FILE).filter((file) => file !== ALONE);
  // Those of test/ take longest, and begin first.
  return [ALONE, ...together(all.toSorted().toReversed())];
}

/** Each a file that has others run, one after another, as suites: a file's tests begin once it is loaded. */
function together(all: readonly string[]): string[] {
  const count = Math.ceil(all.length / FILES_IN_A_PROCESS);
  return Array.from({ length: count }, (_, index) => {
    const own = all.slice(index * FILES_IN_A_PROCESS, (index + 1) * FILES_IN_A_PROCESS);
    const lines = own.map((file) => {
      const address = JSON.stringify(pathToFileURL(resolve(file)).href);
      const options = JSON.stringify({ timeout: FILE_TIMEOUT_MS });
      return `await describe(${JSON.stringify(file)}, ${options}, () => import(${address}));\n`;
    });
    const path = join(directory, `${index}.test.mjs`);
    writeFileSync(path, `import { describe } from "node:test";\n${lines.join("")}`);
    return path;
  });
}
