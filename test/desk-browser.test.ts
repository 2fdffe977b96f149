// From the first start to the last webhook in a real browser, on a live gateway that nobody has used yet: the first
// operator comes by a link, sets everything up, a merchant sells and is paid out, with script and a passkey. Each page
// and form without script is asked by the tests of the pages.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { jobs } from "../src/features/jobs.ts";
import { inBrowser } from "./browser.ts";
import { createH2h, createInvoice } from "./cast.ts";
import { ENGINES, openTestDatabase } from "./gateway.ts";
import { applyImports } from "./imports.ts";
import { DAY } from "./orders.ts";
import { CARD, cardEndingIn } from "./payouts.ts";
import { killLeftovers, runKopeck } from "./process.ts";
import { openSiteRoom } from "./site-room.ts";
import { type Walker, walker } from "./site-walker.ts";
import { statement1c } from "./statement-file.ts";

const KEY = "0123456789abcdef".repeat(4);
const ACCOUNT = "40817810000000000101";
const OUR_CARD = cardEndingIn("0042");

/** A gateway before its first start, the link that "kopeck init" prints, and its start. */
async function firstStart() {
  const database = await openTestDatabase("postgres");
  const sent: string[] = [];
  const http = {
    async post(url: string) {
      sent.push(url);
      return { status: 200, durationMs: 1 };
    },
    close() {},
  };
  const folder = mkdtempSync(join(tmpdir(), "kopeck-walk-"));
  const { databaseUrl = "" } = database.config;
  const env = {
    KOPECK_MODE: "live",
    KOPECK_SECRET_KEY: KEY,
    KOPECK_DATA_DIR: folder,
    KOPECK_BASE_URL: "https://pay.example",
    DATABASE_URL: databaseUrl,
  };
  const words = ["init", "--name", "Anna", "--email", "anna@example.com"];
  const init = await runKopeck(env, words).ended;
  assert.equal(init.code, 0, init.stderr);
  const path = /\/welcome\/[\w-]+/.exec(init.stdout)?.[0] ?? "";
  const secretKey = Buffer.from(KEY, "hex");
  const room = await openSiteRoom({ mode: "live", secretKey, ...database.config }, http);
  const { gateway, baseUrl } = room;
  gateway.clock.advance((Date.now() - gateway.clock.now().getTime()) / 1000);
  return {
    room,
    gateway,
    sent,
    folder,
    link: baseUrl + path,
    /** What has fallen due is done. */
    async settle(seconds = 0): Promise<void> {
      gateway.clock.advance(seconds);
      for (const { due } of jobs) await due?.settle(gateway.app);
    },
    async close(): Promise<void> {
      await room.close();
      await database.drop();
      rmSync(folder, { recursive: true });
      killLeftovers();
    },
  };
}

/** Of an address, the part that says which one it is. */
const idIn = ({ page }: Walker): string => /[\da-f-]{36}/.exec(page.url())?.[0] ?? "";

const skip = !ENGINES.includes("postgres") && "live mode needs PostgreSQL";
inBrowser("the desk and the cabinet, from the first start on", () => {
  it("with script, by a passkey", { skip }, async () => {
    const start = await firstStart();
    const { room, gateway, sent } = start;
    try {
      const anna = await walker(room, start.link);
      await anna.open("/desk/setup");
      const before = Number.parseInt(
        await anna.words().then((text) => /(\d) of \d/.exec(text)?.[1] ?? ""),
        10,
      );

      // A merchant, and who signs in for them.
      await anna.send("/desk/merchants/new", { name: "Tea and Spoon" });
      await anna.press("Go on");
      assert.equal(await anna.heading(), "Tea and Spoon");
      const userId = idIn(anna);
      await anna.press("Invite somebody");
      const vera = { name: "Vera", email: "vera@example.com", role: "owner", language: "en" };
      await anna.send(`/desk/merchants/${userId}/people/invite`, vera, "");
      const owner = await walker(room, await anna.shown(/\/welcome\//));
      assert.match(owner.page.url(), /\/my$/);

      // Where they sell, what it costs, where money arrives.
      const hook = "https://shop.example/hook";
      const shop = { user_id: userId, name: "Kiosk", hook_url: hook, h2h_enabled: "true" };
      await anna.send("/desk/shops/new", shop);
      await anna.press("Go on");
      const shopId = idIn(anna);
      await anna.send(`/desk/shops/${shopId}/new-key`);
      const key = await anna.shown(/^[\w-]{20,}$/);
      const costs = { service: "p2p_card", shop_percent: "4", user_percent: "2" };
      const bounds = { min_sum: "100", max_sum: "100000", enabled: "true" };
      await anna.send("/desk/tariffs/set", { ...costs, ...bounds });
      await anna.send("/desk/requisites/new", {
        bank: "sber",
        receiver_name: "Иван И.",
        card: OUR_CARD,
        account: ACCOUNT,
      });
      const requisiteId = idIn(anna);
      const payout = { service: "card", percent: "1", min_sum: "10", max_sum: "5000" };
      await anna.send("/desk/payout-tariffs/set", {
        ...payout,
        hold_over: "100",
        enabled: "true",
      });

      // An order, and money for it.
      const order = async (order_id: string, amount: number) => {
        const kiosk = { id: shopId, key };
        const made = await createInvoice(gateway, { order_id, amount }, kiosk);
        assert.equal(made.status, 200, made.text);
        const details = await createH2h(gateway, made.body.data.id, {}, kiosk);
        assert.equal(details.status, 200, details.text);
        return { id: made.body.data.id, toPay: details.body.data.amount };
      };
      const first = await order("tea-1", 1_000);
      const money = { requisite_id: requisiteId, amount: first.toPay, reference: "B-1" };
      await anna.send("/desk/transfers/new", money);
      assert.match(await anna.words(), /Matched/);
      await start.settle(DAY);
      await anna.signIn();
      await owner.signIn();
      await anna.open("/desk/setup");
      const done = /(\d) of \d/.exec(await anna.words())?.[1];
      assert.ok(Number(done) >= before + 3, `${before} and then ${done}`);
      await anna.open(`/desk/invoices/${first.id}`);
      assert.match(await anna.words(), /Paid/);

      // Some of it goes back.
      await anna.send(`/desk/invoices/${first.id}/refund`, { amount: "100", reason: "One cup" });
      await anna.open("/desk/refunds");
      assert.match(await anna.words(), /One cup/);

      // Some of it is paid out: asked for in the cabinet, approved and sent at the desk.
      await owner.send("/my/payouts/new", { service: "card", wallet_to: CARD, amount: "200" });
      const payoutId = idIn(owner);
      const path = `/desk/payouts/${payoutId}`;
      await anna.send(`${path}/approve`, {}, path);
      await anna.send(`${path}/take`, {}, path);
      assert.equal((await anna.shown(/^[\d ]{16,19}$/)).replaceAll(" ", ""), CARD);
      await anna.send(`${path}/sent`, { bank_reference: `B${"1".padStart(31, "0")}` }, path);
      await owner.open(`/my/payouts/${payoutId}`);
      assert.match(await owner.words(), /The money has left/);

      // A statement with a sum that nobody expected, assigned without touching the mouse.
      const second = await order("tea-2", 500);
      const { timeZone } = gateway.app.config;
      // A bank's day is that of its place.
      const day = new Intl.DateTimeFormat("en-CA", { timeZone }).format(gateway.clock.now());
      const sum = Number(second.toPay) - 20;
      const file = join(start.folder, "kl_to_1c.txt");
      writeFileSync(file, statement1c([{ account: ACCOUNT, days: { [day]: [{ sum }] } }]));
      await anna.send("/desk/imports/new", { file });
      assert.match(await anna.words(), /Nothing is stored yet/);
      await anna.send("/desk/imports/new", {}, "");
      await applyImports(gateway);
      await anna.open("/desk/suspense");
      await assignByKeyboard(anna);
      await anna.open(`/desk/invoices/${second.id}`);
      assert.match(await anna.words(), /Paid/);

      // The shop hears of it, and once more when it is asked for.
      await start.settle();
      const told = sent.filter((url) => url === hook).length;
      await anna.open(`/desk/events?invoice_id=${second.id}`);
      await anna.page.locator("main .rows a.open, main .rows tbody a").first().click();
      const event = `/desk/events/${idIn(anna)}`;
      await anna.send(`${event}/send`, {}, event);
      await start.settle();
      assert.equal(sent.filter((url) => url === hook).length, told + 1);
      await findByKeys(anna, first.id);
    } finally {
      await start.close();
    }
  });
});

/** The one candidate, the reason, and Enter, by keys of the bench. */
async function assignByKeyboard({ page, words }: Walker): Promise<void> {
  const focused = "document.activeElement.name";
  await page.keyboard.press("1");
  const until = async (name: string): Promise<void> => {
    for (let steps = 0; (await page.evaluate(focused)) !== name; steps += 1) {
      assert.ok(steps < 60, `no way to ${name}`);
      await page.keyboard.press("Tab");
    }
  };
  assert.equal(await page.locator("input[name=payment_id]").first().isChecked(), true);
  await page.keyboard.press("r");
  const button = await page.evaluate("document.activeElement.value");
  assert.equal(button, "return", "it is offered, and takes Enter");
  for (const _ of ["assign", "reason"]) await page.keyboard.press("Shift+Tab");
  await until("reason");
  await page.keyboard.type("The payer called");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing waits").waitFor();
  assert.match(await words(), /Every transfer has its payment/);
}

/** Anything is two keys and a few letters away. */
async function findByKeys({ page, heading }: Walker, invoiceId: string): Promise<void> {
  await page.goto("/desk");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("tea-1");
  await page.keyboard.press("Enter");
  await page.locator(`main a[href*="${invoiceId}"]`).first().click();
  await page.waitForURL(new RegExp(invoiceId));
  assert.match(await heading(), /tea-1/);
}
