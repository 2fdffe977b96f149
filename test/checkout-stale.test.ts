// A payment page that has stood open for long: on a phone that slept, whose clock was set, whose network loses
// answers, while somebody writes. Guards that no number is shown that nothing may be sent to any more, and that
// what the page says is what it would say if it were loaded now.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { inBrowser, standStill } from "./browser.ts";
import { type CheckoutRoom, DAY_SECONDS, openCheckoutRoom, type Payer } from "./checkout-room.ts";
import { ENGINES } from "./gateway.ts";
import { cardEndingIn } from "./payouts.ts";

const DETAILS_SECONDS = 20 * 60;

inBrowser("a payment page that has stood open for long", () => {
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
  const number = (page: Page): Locator => page.getByText(/^\d{4}( \d{2,4}){3,4}$/);
  /** Time goes on only where a test says so. */
  const open = async (id: string): Promise<Payer> => {
    const payer = await room.payer();
    await standStill(payer.page);
    await payer.page.goto(`${room.baseUrl}/pay/${id}`);
    return payer;
  };
  /** From another tab: the page looks at once. */
  const comeBack = async (page: Page): Promise<void> => {
    await page.waitForLoadState();
    const looked = page.waitForResponse((response) => response.url() === page.url());
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await (await looked).finished();
  };
  const seconds = async (page: Page): Promise<number> => {
    const [minutes = "", rest = ""] = (await page.getByRole("timer").innerText()).split(":");
    return Number(minutes) * 60 + Number(rest);
  };

  it("shows no number past its end, though nobody can be asked, and what is so once somebody can", async () => {
    const id = await room.issued();
    const payer = await open(id);
    const { page, context } = payer;
    await number(page).waitFor();
    await context.setOffline(true);
    await page.clock.runFor((DETAILS_SECONDS - 5) * 1000);
    assert.equal(await number(page).isVisible(), true);
    await page.clock.runFor(10_000);
    await title(page, "These details have run out").waitFor();
    await page.getByRole("alert").getByText("send nothing to them").waitFor();
    assert.equal(await number(page).isVisible(), false);
    assert.equal(await page.getByText("Send exactly this amount to this card").isVisible(), false);
    assert.equal(await page.getByRole("button", { name: "Copy" }).count(), 0);
    await page.getByRole("button", { name: "I have paid" }).waitFor();
    // It was the phone's clock that ran ahead: by the server's there is time left.
    await context.setOffline(false);
    await comeBack(page);
    await page.clock.runFor(1_000);
    await number(page).waitFor();
    assert.equal(await title(page, "These details have run out").isVisible(), false);
    assert.ok((await seconds(page)) > DETAILS_SECONDS - 60);
    payer.complaints();
  });

  it("asks again where an answer never comes", async () => {
    const id = await room.issued();
    const { page } = await open(id);
    await number(page).waitFor();
    let asks = 0;
    await page.route(`**/pay/${id}`, (route) => {
      asks += 1;
      // The first one is lost on its way.
      if (asks > 1) void route.continue();
    });
    const asked = page.waitForRequest((request) => request.url() === page.url());
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await asked;
    await room.transfer(id);
    const paid = title(page, "Paid");
    for (let second = 0; second < 60 && !(await paid.isVisible()); second += 1) {
      await page.clock.runFor(1_000);
    }
    await paid.waitFor();
  });

  it("never shows more time than is left, though the phone's clock was set back", async () => {
    const { page } = await open(await room.issued());
    const first = await seconds(page);
    await page.clock.setSystemTime(Date.now() - 2 * 3_600_000);
    await page.clock.runFor(60_000);
    const later = await seconds(page);
    assert.ok(later <= first - 60 && later > first - 120, `${first} ${later}`);
  });

  it("shows the number of a card that was issued anew by itself", async () => {
    const id = await room.issued();
    const { page } = await open(id);
    const former = await number(page).innerText();
    const { items } = await room.manage.get(`payments?invoice_id=${id}`);
    const card = cardEndingIn("7301");
    await room.manage.post(`requisites/${items[0].requisite_id}`, { card });
    await page.locator(`[data-copy="${card}"]`).waitFor();
    assert.equal(await page.getByText(former).count(), 0);
    await room.transfer(id);
    await title(page, "Paid").waitFor();
  });

  it("takes the number away while somebody writes, and leaves what was written", async () => {
    const id = await room.issued();
    await room.said(id);
    await room.pass(150);
    const { page } = await open(id);
    const amount = page.getByLabel("Amount sent");
    await number(page).waitFor();
    await page.getByLabel("From which bank").fill("Alfa");
    await amount.fill("1 5");
    await room.pass(DETAILS_SECONDS);
    await title(page, "These details have run out").waitFor();
    assert.equal(await number(page).count(), 0);
    await page.keyboard.type("00");
    assert.equal(await amount.inputValue(), "1 500");
    assert.equal(await page.getByLabel("From which bank").inputValue(), "Alfa");
  });
});
