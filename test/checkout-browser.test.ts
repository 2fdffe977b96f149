// A payer's way through the payment page, in a real browser: with and without script, by keyboard, with
// a wrong clock, with a network that loses things. Time is moved, never waited for.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { inBrowser, standStill } from "./browser.ts";
import { type CheckoutRoom, DAY_SECONDS, DESKTOP, openCheckoutRoom } from "./checkout-room.ts";
import { ENGINES } from "./gateway.ts";

const DETAILS_SECONDS = 20 * 60;

inBrowser("the payment page in a browser", () => {
  let room: CheckoutRoom;
  before(async () => {
    room = await openCheckoutRoom(ENGINES.at(-1) ?? "embedded");
  });
  after(() => room?.close());
  // Past every quarantine: each test finds all slots free.
  beforeEach(() => room.pass(2 * DAY_SECONDS));
  afterEach(() => room.leave());

  const title = (page: Page, name: string): Locator =>
    page.getByRole("heading", { level: 1, name });
  const open = (page: Page, id: string, query = "") =>
    page.goto(`${room.baseUrl}/pay/${id}${query}`);
  /** From another tab: the page looks at once whether anything has happened. */
  const comeBack = async (page: Page): Promise<void> => {
    // Its script listens by then.
    await page.waitForLoadState();
    const looked = page.waitForResponse((response) => response.url() === page.url());
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await (await looked).finished();
  };
  const focused = (page: Page): Promise<string> =>
    page.evaluate("document.activeElement.innerText || document.activeElement.ariaLabel || ''");

  it("leads from the demo shop to the receipt, and back by the button", async () => {
    const { page, context } = await room.payer();
    await page.goto(`${room.baseUrl}/`);
    await page.getByRole("link", { name: "the demo shop" }).click();
    await page.getByRole("button", { name: "Create an invoice" }).click();
    await title(page, "How do you want to pay?").waitFor();
    await page.getByRole("link", { name: "Transfer to a card fee 29.80 ₽" }).click();
    await title(page, "Which bank do you pay from?").waitFor();
    await page.getByRole("button", { name: "Sberbank" }).click();
    await title(page, "Transfer exactly").waitFor();
    await page.getByText(/^2202 2000 0000 00\d\d$/).waitFor();
    // The same page on another screen hears of the money by itself.
    const other = await context.newPage();
    await other.goto(page.url());
    await title(other, "Transfer exactly").waitFor();
    await page.getByRole("button", { name: "Simulate the transfer" }).click();
    await title(other, "Paid").waitFor();
    await title(page, "Paid").waitFor();
    await page.getByRole("link", { name: "Back to Tea and Spoon (127.0.0.1:" }).click();
    await page.getByText("Thank you! Your tea is on its way").waitFor();
  });

  it("hears of money that the bank tells of, moves the focus there and lets go of the stream", async () => {
    const { page } = await room.payer();
    const id = await room.issued();
    const ended = page.waitForEvent("requestfailed", (one) => one.url().includes("/changes"));
    await open(page, id);
    await title(page, "Transfer exactly").waitFor();
    await page.getByRole("link", { name: "Another bank or method" }).focus();
    await comeBack(page);
    assert.equal(await focused(page), "Another bank or method", "there was no news");
    await room.transfer(id);
    await title(page, "Paid").waitFor();
    assert.equal(await focused(page), "Paid");
    assert.equal(await page.title(), "Paid · Tea and Spoon");
    await ended;
  });

  it("misses no change that happens while it looks, and none that it fails to see", async () => {
    const payer = await room.payer();
    const { page } = payer;
    const id = await room.link();
    await open(page, id);
    await page.waitForFunction("performance.getEntriesByType('resource').length > 0");
    // The answer that tells of the details is held back until the money has arrived as well.
    const looks: string[] = [];
    const money = Promise.withResolvers<void>();
    const details = Promise.withResolvers<void>();
    await page.route(`**/pay/${id}*`, async (route) => {
      looks.push(route.request().url());
      if (looks.length === 2) return route.abort();
      const response = await route.fetch();
      if (looks.length === 1) {
        details.resolve();
        await money.promise;
      }
      await route.fulfill({ response });
    });
    await room.choose(id);
    await details.promise;
    await room.transfer(id);
    const { tellPagesJob } = await import("../src/features/checkout/tell-pages.job.ts");
    await tellPagesJob.run(room.gateway.app);
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    money.resolve();
    await title(page, "Paid").waitFor();
    assert.equal(looks.length, 3);
    payer.complaints();
  });

  it("says by itself that details have run out, that time is over, that late money is there", async () => {
    const { page } = await room.payer();
    const id = await room.issued();
    await open(page, id);
    await title(page, "Transfer exactly").waitFor();
    await room.pass(DETAILS_SECONDS);
    await title(page, "These details have run out").waitFor();
    assert.doesNotMatch(await page.content(), /\d{16}/);
    await page.getByRole("button", { name: "Get new details" }).click();
    await title(page, "Transfer exactly").waitFor();
    await room.pass(6 * 60 * 60);
    await title(page, "The time for this order is over").waitFor();
    assert.equal(await page.getByRole("link", { name: "Back to" }).count(), 0);
    await room.transfer(id);
    await title(page, "Paid").waitFor();
  });

  it("asks by itself what was sent, takes nothing away while one writes, and tells of other money", async () => {
    const { page } = await room.payer();
    await page.clock.install();
    const id = await room.issued();
    await open(page, id);
    await page.getByRole("button", { name: "I have paid" }).click();
    const looking = page.getByRole("status").getByText("We are looking for your transfer");
    await looking.waitFor();
    await room.pass(120);
    const amount = page.getByLabel("Amount sent");
    await page.clock.runFor(40_000);
    await amount.waitFor();
    await amount.fill("1 500");
    const { items } = await room.manage.get(`payments?invoice_id=${id}`);
    const { requisite_id } = items[0];
    await room.manage.post("transfers", { requisite_id, amount: 1500, reference: id });
    const looked = page.waitForResponse((response) => response.url() === page.url());
    await page.clock.runFor(40_000);
    await (await looked).finished();
    assert.equal(await amount.inputValue(), "1 500");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("A transfer of another amount has arrived").waitFor();
    await page.getByText("Noted: whoever looks").waitFor();
    await room.transfer(id);
    await comeBack(page);
    await title(page, "Paid").waitFor();
  });

  it("takes a payer who does nothing back to the shop, and lets a reader stay", async () => {
    for (const stays of [false, true]) {
      const { page, strangers } = await room.payer();
      // Its clock stands before the page is there: a busy machine lets it run on for nobody.
      await standStill(page);
      const id = await room.issued();
      await room.transfer(id);
      await open(page, id);
      const notice = page.getByText("You will be back in the shop in");
      await notice.waitFor();
      const left = async (): Promise<number> => Number(await notice.locator("b").innerText());
      for (let count = await left(); count > 1; count -= 1) {
        assert.ok(count <= 10);
        assert.equal(await left(), count);
        await page.clock.runFor(1_000);
      }
      if (stays) await page.keyboard.press("Tab");
      assert.equal(strangers.size, 0);
      await page.clock.runFor(2_000);
      if (stays) await notice.waitFor({ state: "hidden" });
      else await page.waitForURL("https://shop.example/ok");
      assert.equal(strangers.size, stays ? 0 : 1);
    }
  });

  it("copies the exact amount and number, and says so; also where there is no clipboard", async () => {
    const { page } = await room.payer({ permissions: ["clipboard-read", "clipboard-write"] });
    // What is said is said for a moment, which no machine is too busy to notice while time stands.
    await standStill(page);
    await open(page, await room.issued());
    const said = page.getByRole("status");
    for (const name of [/^Copy: \d+\.\d\d$/, /^Copy: \d{16}$/]) {
      await page.getByRole("button", { name }).click();
      await said.getByText("Copied").waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      assert.match(`Copy: ${copied}`, name);
      const shown = await page.locator("main").innerText();
      assert.ok(shown.replace(/[\s,]/g, "").includes(copied), copied);
      await page.clock.runFor(1_500);
      assert.equal(await said.innerText(), "");
    }
    // As on a plain address.
    const plain = (await room.payer({ viewport: DESKTOP })).page;
    await plain.addInitScript(`
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = (what) => { window.copied = what + " " + getSelection(); };`);
    await standStill(plain);
    await open(plain, await room.issued());
    await plain.getByRole("button", { name: /^Copy: \d+\.\d\d$/ }).click();
    await plain.getByRole("status").getByText("Copied").waitFor();
    assert.match(await plain.evaluate<string>("copied"), /^copy 1020\.\d\d$/);
    assert.match(await focused(plain), /Copy|Copied/);
  });

  it("can be used by keyboard alone", async () => {
    const { page } = await room.payer({ viewport: DESKTOP });
    const press = async (name: string): Promise<void> => {
      const seen: string[] = [];
      while (!(seen.at(-1) ?? "").includes(name)) {
        assert.ok(seen.length < 20, `no way to ${name}: ${seen.join(", ")}`);
        await page.keyboard.press("Tab");
        seen.push(await focused(page));
      }
      const outline = "getComputedStyle(document.activeElement).outlineStyle";
      assert.equal(await page.evaluate(outline), "solid");
      await page.keyboard.press("Enter");
    };
    await open(page, await room.link());
    await press("Transfer to a card");
    await title(page, "Which bank do you pay from?").waitFor();
    await press("T-Bank");
    await title(page, "Transfer exactly").waitFor();
    await press("I have paid");
    await page.getByText("We are looking for your transfer").waitFor();
    await press("Simulate the transfer");
    await title(page, "Paid").waitFor();
    await press("Back to Tea and Spoon");
    await page.waitForURL("https://shop.example/ok");
  });
});
