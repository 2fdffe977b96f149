// The commands of a document, as somebody who follows it would paste them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const PROJECT = join(import.meta.dirname, "..");

export function textOf(path: string): string {
  return readFileSync(join(PROJECT, path), "utf8");
}

/** The blocks below a heading, up to the next one of the same rank or above it. */
export function blocksIn(path: string, heading: string, language = /sh|bash/): string[] {
  const isOne = new RegExp(`^(?:${language.source})$`);
  const blocks: string[] = [];
  let rank = 0;
  // A block, whose comments look like headings, or a heading.
  const parts = textOf(path).matchAll(/^```(\w*)\n(.*?)^```|^(#+) ([^\n]*)/gms);
  for (const [, name, lines = "", marks = "", title] of parts) {
    if (title === heading) rank = marks.length;
    else if (title !== undefined && marks.length <= rank) rank = 0;
    else if (name !== undefined && rank > 0 && isOne.test(name)) blocks.push(lines);
  }
  assert.ok(blocks.length > 0, `${path}, ${heading}: commands`);
  return blocks;
}
