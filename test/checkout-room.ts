// The payment page in a browser: a gateway of its own, a browser, payers who look at it, and what
// happens behind their backs. Whatever a page complains about in its console is kept and asked for.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "./browser.ts";
import { type EngineName, openTestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";
import { pages } from "./pages.ts";
import { freePort } from "./process.ts";

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };
export const DAY_SECONDS = 24 * 60 * 60;

export interface Payer {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the console said that it should not have; empty again afterwards. */
  complaints(): string[];
  /** Origins other than the gateway's that were asked for anything. */
  readonly strangers: Set<string>;
}

export type CheckoutRoom = Awaited<ReturnType<typeof openCheckoutRoom>>;

/** Nothing else on a page is done every second. */
const NO_SECONDS = `(() => {
  const real = window.setInterval;
  window.setInterval = (work, ms) => (ms === 1000 ? 0 : real(work, ms));
})()`;

interface RoomOptions {
  /** Receipts stay to be looked at: the seconds after which one leads back to the shop are not counted. */
  readonly receiptsStay?: boolean;
}

export async function openCheckoutRoom(
  engine: EngineName,
  { receiptsStay = false }: RoomOptions = {},
) {
  const browser = await openBrowser();
  // Not while the browser starts, which takes seconds in which another could have it.
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const gateway = await openTestGateway(engine, { port, baseUrl });
  const own = manage(gateway);
  const payers: Payer[] = [];

  const { post, link, ...page } = pages(gateway);
  const choose = async (id: string, service = "p2p_card", bank = "sber"): Promise<void> => {
    assert.equal((await page.choose(id, service, bank)).status, 303);
  };

  return {
    gateway,
    browser,
    baseUrl,
    manage: own,
    choose,
    post,
    link,
    pass: orders(gateway).pass,

    /** A payer with a browser of her own, who understands English unless she says otherwise. */
    async payer(options: BrowserContextOptions = {}): Promise<Payer> {
      const context = await browser.newContext({
        viewport: PHONE,
        locale: "en-US",
        reducedMotion: "reduce",
        ...options,
      });
      context.setDefaultTimeout(60_000);
      const strangers = new Set<string>();
      // The shops of these tests do not exist: whoever goes back to one finds a plain page.
      await context.route(
        (url) => url.origin !== baseUrl,
        async (route) => {
          strangers.add(new URL(route.request().url()).origin);
          await route.fulfill({ contentType: "text/html", body: "<h1>The shop</h1>" });
        },
      );
      if (receiptsStay) await context.addInitScript(NO_SECONDS);
      const page = await context.newPage();
      const heard: string[] = [];
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) heard.push(message.text());
      });
      page.on("pageerror", (error) => heard.push(String(error)));
      page.on("dialog", (dialog) => {
        heard.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      const payer = { page, context, strangers, complaints: () => heard.splice(0) };
      payers.push(payer);
      return payer;
    },

    /** An invoice whose details have been issued. */
    async issued(changes: Record<string, unknown> = {}, service?: string): Promise<string> {
      const id = await link(changes);
      await choose(id, service);
      return id;
    },

    /** The payer says to have paid, and waits so long that the page asks what was sent. */
    async said(id: string, word: Record<string, string> = {}): Promise<void> {
      assert.equal((await page.say(id, word)).status, 303);
    },

    /** Money arrives for the latest payment of an invoice, as the bank would tell of it. */
    async transfer(id: string, payer = "A payer"): Promise<void> {
      const { items } = await own.get(`payments?invoice_id=${id}`);
      const { requisite_id, to_pay } = items[0];
      const { card } = await own.post(`requisites/${requisite_id}/reveal`);
      const money = { wallet: card, amount: to_pay, payer, reference: randomUUID() };
      assert.equal((await own.post("transfers", money)).invoice_id, id);
    },

    /** Ends the payers of a test; none of them may have had anything to complain about. */
    async leave(): Promise<void> {
      const left = payers.splice(0);
      const complaints = left.flatMap((payer) => payer.complaints());
      await Promise.all(left.map(({ context }) => context.close()));
      assert.deepEqual(complaints, []);
    },

    async close(): Promise<void> {
      await browser.close();
      await gateway.stop();
    },
  };
}
