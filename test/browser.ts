// A real browser for the tests of the pages: the Chromium that the machine has, one process for a test
// file. A machine without one is told how to get it; in CI nothing may be missing.

import { accessSync, constants } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { describe } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";

/** The first is Chromium without windows: the same pages for half of the processor's time. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser"];
const MISSING =
  "Chromium is not installed: the pages are not tried (apt-get install chromium-headless-shell).";

function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(MISSING);
  // Chromium's own sandbox needs a user who is not root.
  const args = userInfo().uid === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/**
 * A page whose time goes on only where a test says so, from before it is there. An hour ahead: what is open
 * before it has a clock that goes, and none can be set back. A payment page goes by the server's.
 */
export async function standStill(page: Page): Promise<void> {
  const time = Date.now();
  await page.clock.install({ time });
  await page.clock.pauseAt(time + 3_600_000);
}

/** In CI the tests are run all the same, and fail with the same words. */
export function inBrowser(name: string, tests: () => void): void {
  const isMissing = findChromium() === undefined && !process.env["CI"];
  describe(name, { skip: isMissing && MISSING }, tests);
}
