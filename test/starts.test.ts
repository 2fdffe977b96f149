// The count of starts from end to end in its shortest form: fresh processes, each with one embedded
// engine after another, as Kopeck starts them and with V8 as it comes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";

const STARTS = join(import.meta.dirname, "../bench/starts.ts");
const KOPECK = join(import.meta.dirname, "../bin/kopeck.mjs");

it("npm run bench:starts counts a few starts, of which none dies as Kopeck starts them", () => {
  const from = process.env["KOPECK_TEST_TEMPLATE"] ?? "";
  const args = [STARTS, "--count", "2", "--bare", "1", "--from", from];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.match(stdout, /^as Kopeck starts: 2 starts, 0 died \(/);
  assert.match(stdout, /^V8 as it comes: 1 starts, /m);
  assert.equal(status, 0);
});

it("npm run bench:starts refuses a count that is none", () => {
  const { status, stderr } = spawnSync(process.execPath, [STARTS, "--count", "many"], {
    encoding: "utf8",
  });
  assert.equal(stderr, "--count, --bare and --seconds are whole numbers.\n");
  assert.equal(status, 2);
});

it("a start loads neither what typebox makes schemas with, 450 files, nor Node's http as a module", () => {
  const tell = `import module from "node:module"; module.registerHooks({ load(url, context, next) {
    if (context.conditions.includes("import")) process.stderr.write(url + "\\n");
    return next(url, context); } });`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`, KOPECK, "openapi"];
  const { status, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  assert.equal(status, 0);
  const loaded = stderr.split("\n");
  assert.ok(loaded.some((file) => file.includes("/typebox/build/schema/")));
  assert.deepEqual(
    loaded.filter((file) => /\/typebox\/build\/(?:type|value)\/|^node:https?$/.test(file)),
    [],
  );
});
