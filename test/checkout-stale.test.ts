// A payment page that has stood open for long: on a phone that slept, whose clock was set, whose network loses
// answers, while somebody writes. Guards that no number is shown that nothing may be sent to any more, and that
// what the page says is what it would say if it were loaded now.

import { after, afterEach, before, beforeEach, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { inBrowser, standStill } from "./browser.ts";
import { type CheckoutRoom, DAY_SECONDS, openCheckoutRoom, type Payer } from "./checkout-room.ts";
import { ENGINES } from "./gateway.ts";

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
});
