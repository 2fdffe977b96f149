// What a reader of a screen would stumble over, as axe finds it on a page that stands in a browser.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Rows of one table that are made of the same elements, of the same classes and with the same attributes, are told
 * apart by their words alone: after three of a kind the others say nothing new, and take a second.
 */
const TWINS = `[...document.querySelectorAll("tbody")].flatMap((body) => {
  const seen = {};
  const kindOf = (one) => one.tagName + one.className + one.getAttributeNames() + !one.textContent.trim();
  return [...body.rows].filter((row) => {
    const kind = [row, ...row.querySelectorAll("*")].map(kindOf).join();
    seen[kind] = (seen[kind] ?? 0) + 1;
    return seen[kind] > 3;
  });
})`;

/**
 * Only what is wrong comes back: all that is right would take longer to bring than to find. What axe would load
 * again before it looks is asked about by the one rule for sound that begins by itself: no page has any.
 */
const FIND = `axe.run({ include: document, exclude: ${TWINS} }, { resultTypes: ["violations"], preload: false }).then(({ violations }) => [
  ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))),
  ...[...document.querySelectorAll("audio, video")].map((one) => "sound: " + one.outerHTML.slice(0, 200)),
])`;

/** Brings axe to every page that is opened there from now on. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: AXE });
}

export async function problems(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FIND);
}
