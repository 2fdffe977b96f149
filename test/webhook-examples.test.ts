// The examples of docs/webhooks.md, as a receiver would paste them: right signatures pass, wrong ones
// do not, in all three languages.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { signerOf } from "../src/features/webhooks/signature.ts";

const document = readFileSync(join(import.meta.dirname, "../docs/webhooks.md"), "utf8");
const key = "sandbox_webhook_key";
const body = '{"amount":"1000.00","custom_fields":{"a":"ä"},"status":"success"}';
const keys = { key, secret: "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=" };
const { family: right } = signerOf(keys)({ id: "event", sentAt: new Date(0), body });

function example(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(document)?.[1];
  assert.ok(found, `an example in ${language}`);
  return found;
}

/** What each language needs to be asked: argument 1 is the signature, 2 the key; the body is stdin. */
const LANGUAGES = [
  {
    name: "ts",
    file: "check.ts",
    run: [process.execPath],
    asked: `
import { readFileSync } from "node:fs";
const [signature = "", key = ""] = process.argv.slice(2);
console.log(isFromKopeck(readFileSync(0), signature, key));`,
  },
  {
    name: "php",
    file: "check.php",
    run: ["php"],
    asked: `
echo is_from_kopeck(file_get_contents('php://stdin'), $argv[1], $argv[2]) ? "true\\n" : "false\\n";`,
  },
  {
    name: "python",
    file: "check.py",
    run: ["python3"],
    asked: `
import sys
print(str(is_from_kopeck(sys.stdin.buffer.read(), sys.argv[1], sys.argv[2])).lower())`,
  },
];

describe("the examples of docs/webhooks.md", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "kopeck-examples-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  for (const { name, file, run, asked } of LANGUAGES) {
    const [program = "", ...flags] = run;
    const missing = spawnSync(program, ["--version"]).error !== undefined;
    if (missing && process.env["CI"]) throw new Error(`${program} is not installed.`);
    it(name, { skip: missing && `needs ${program}` }, () => {
      const path = join(directory, file);
      writeFileSync(path, (name === "php" ? "<?php\n" : "") + example(name) + asked);
      const verdict = (signature: string, content: string): string => {
        const args = [...flags, path, signature, key];
        const { stdout, stderr } = spawnSync(program, args, { input: content, encoding: "utf8" });
        assert.equal(stderr, "");
        return stdout.trim();
      };
      assert.equal(verdict(right, body), "true");
      assert.equal(verdict(right, `${body} `), "false");
      assert.equal(
        verdict(
          right.replace(/^./, (digit) => (digit === "0" ? "1" : "0")),
          body,
        ),
        "false",
      );
      assert.equal(verdict("", body), "false");
    });
  }
});
