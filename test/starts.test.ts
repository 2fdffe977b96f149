// What a start of the process loads: it decides how long a command takes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";

const KOPECK = join(import.meta.dirname, "../bin/kopeck.mjs");

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
