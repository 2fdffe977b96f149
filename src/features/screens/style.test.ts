// What every screen loads stays small, and the script is one that a strict policy lets run.

import assert from "node:assert/strict";
import { it } from "node:test";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

it("the style has at most 16 kB, the script 5 kB as it is sent", () => {
  assert.ok(Buffer.byteLength(STYLE) <= 16 * 1024, String(Buffer.byteLength(STYLE)));
  assert.ok(gzipSync(SCRIPT).length <= 5 * 1024, String(gzipSync(SCRIPT).length));
});

it("the script is one, and writes neither markup, nor styles, nor code", () => {
  new Script(SCRIPT);
  assert.doesNotMatch(
    SCRIPT,
    /innerHTML|outerHTML|\beval\b|new Function|\.style\b|document\.write/,
  );
});

it("the style is closed, loads nothing, and leaves no colour to one scheme", () => {
  assert.equal(STYLE.split("{").length, STYLE.split("}").length);
  assert.doesNotMatch(STYLE, /url\(|@import|\n/);
});
