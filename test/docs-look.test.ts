// How the pages for newcomers look, /docs and the sandbox's home, from the smallest phone to a desktop: nothing
// is cut off or stands outside, light and dark, and a screen reader gets on with them.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { bringAxe, problems } from "./axe.ts";
import { inBrowser } from "./browser.ts";
import { type CheckoutRoom, DESKTOP, openCheckoutRoom } from "./checkout-room.ts";
import { ONE_ENGINE } from "./one-gateway.ts";

const SMALL_PHONE = { width: 320, height: 568 };

const FAULTS = `(() => {
  const wide = [...document.body.querySelectorAll("*")].filter((one) => {
    if (!one.checkVisibility()) return false;
    const { left, right } = one.getBoundingClientRect();
    const isCut = one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1;
    return left < -0.5 || right > innerWidth + 0.5 || isCut;
  });
  return wide.map((one) => one.outerHTML.slice(0, 120));
})()`;

/** All requests are drawn by the same lines: a few tell as much as all, in a tenth of the time. */
const LEAVE_A_FEW = `for (const one of document.querySelectorAll("article:nth-of-type(n + 4)")) one.remove()`;

inBrowser("how the pages for newcomers look", () => {
  let room: CheckoutRoom;
  before(async () => {
    room = await openCheckoutRoom(ONE_ENGINE);
  });
  after(() => room.close());

  for (const path of ["/docs", "/"]) {
    it(`${path} fits every width, in both lights, for every reader`, async () => {
      for (const [viewport, colorScheme, locale] of [
        [SMALL_PHONE, "light", "ru-RU"],
        [DESKTOP, "dark", "ru-RU"],
      ] as const) {
        const { page, context, strangers } = await room.payer({ viewport, colorScheme, locale });
        await bringAxe(context);
        await page.goto(room.baseUrl + path);
        assert.deepEqual(await page.evaluate(FAULTS), [], `${path} at ${viewport.width} px`);
        const back = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
        const [red = 0] = (back.match(/\d+/g) ?? []).map(Number);
        assert.equal(red > 200, colorScheme === "light", back);
        assert.equal(strangers.size, 0);
        await page.evaluate(LEAVE_A_FEW);
        assert.deepEqual(await problems(page), [], `${path} at ${viewport.width} px`);
      }
      await room.leave();
    });
  }

  it("/docs leads from its contents to every request and every webhook", async () => {
    const { page } = await room.payer({ viewport: SMALL_PHONE });
    await page.goto(`${room.baseUrl}/docs`);
    for (const name of ["Merchant", "Sandbox", "Management", "Webhooks"]) {
      await page.getByRole("heading", { name, exact: true, level: 2 }).waitFor();
    }
    const lost = await page.evaluate<string[]>(
      `[...document.querySelectorAll("nav a")].map((one) => one.getAttribute("href"))
        .filter((href) => document.querySelector(href) === null)`,
    );
    assert.deepEqual(lost, []);
    await page.getByText("Webhooks", { exact: true }).first().click();
    await page.getByRole("link", { name: "refund Money went back" }).click();
    await page.waitForURL("**/docs#webhookRefund");
    await page.getByText(/time zone, Europe\/Moscow/).waitFor();
    await room.leave();
  });
});
