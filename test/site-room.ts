// The desk and the cabinet in a browser: a gateway of its own under a name that passkeys accept, and people with a
// browser each. Whatever a page complains about in its console is kept and asked for at the end.

import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Config } from "../src/platform/config.ts";
import type { Outgoing } from "../src/platform/outgoing.ts";
import { openBrowser } from "./browser.ts";
import { openTestGateway } from "./gateway.ts";
import { ONE_ENGINE } from "./one-gateway.ts";
import { freePort } from "./process.ts";

export type SiteRoom = Awaited<ReturnType<typeof openSiteRoom>>;

export async function openSiteRoom(changes: Partial<Config> = {}, http?: Outgoing) {
  const browser: Browser = await openBrowser();
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const gateway = await openTestGateway(
    ONE_ENGINE,
    { ...changes, port, baseUrl },
    http && { http },
  );
  await gateway.history;
  const heard: string[] = [];

  const somebody = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: baseUrl,
      viewport: { width: 1280, height: 900 },
      locale: "en-US",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.on("console", (message) => {
      const { url } = message.location();
      if (message.type() === "error") heard.push(`${message.text()} ${url} on ${page.url()}`);
    });
    page.on("pageerror", (error) => heard.push(`${String(error)} on ${page.url()}`));
    return page;
  };

  return {
    gateway,
    baseUrl,
    browser,
    somebody,

    /** Anna, who is at the desk and in the cabinet; she speaks what her browser does. */
    async anna(options: BrowserContextOptions = {}): Promise<Page> {
      const page = await somebody(options);
      await page.goto("/sign-in?then=/desk");
      await page.locator('form[action="/sign-in/sandbox"] button').click();
      await page.waitForURL(`${baseUrl}/desk`);
      return page;
    },

    /** What the console said that it should not have; empty again afterwards. */
    complaints: (): string[] => heard.splice(0),

    async close(): Promise<void> {
      await browser.close();
      await gateway.stop();
      assert.deepEqual(heard, []);
    },
  };
}
