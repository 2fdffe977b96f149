// How the pages look, on every screen: on a phone and on a desktop, light and dark, in both languages,
// for eyes, fingers and screen readers; how much they weigh, and that they stand without waiting for more.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { eventually } from "../torture/eventually.ts";
import { bringAxe, problems } from "./axe.ts";
import { inBrowser } from "./browser.ts";
import { type CheckoutRoom, DESKTOP, openCheckoutRoom, PHONE } from "./checkout-room.ts";
import { openScreens } from "./checkout-screens.ts";
import { ENGINES } from "./gateway.ts";

const SMALL_PHONE = { width: 320, height: 568 };
/** A desktop at 200 %. */
const ZOOMED = { width: DESKTOP.width / 2, height: DESKTOP.height / 2 };
const MAX_BYTES = 25_000;

/** What a person would point at: sideways scrolling, small targets, things cut off or on each other. */
const FIND_FAULTS = `(() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push("scrolls sideways");
  const name = (one) => one.tagName + " " + (one.innerText || one.ariaLabel || "").slice(0, 40);
  const isSeen = (one) => one.checkVisibility() && !one.closest(".unseen");
  for (const one of [...document.body.querySelectorAll("*")].filter(isSeen)) {
    const { left, right } = one.getBoundingClientRect();
    if (left < -0.5 || right > innerWidth + 0.5) faults.push("outside: " + name(one));
    // The code for the phone stands beside <main> on purpose.
    const isCut = one.tagName !== "MAIN" && one.scrollWidth > one.clientWidth + 1;
    if (isCut && one.clientWidth > 0) faults.push("cut: " + name(one));
  }
  const targets = [...document.querySelectorAll("a, button, summary, input")].filter(isSeen);
  for (const one of targets) {
    const { width, height } = one.getBoundingClientRect();
    if (width < 44 || height < 44) faults.push("small " + width + "x" + height + ": " + name(one));
  }
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if (node.data.trim() === "" || !isSeen(node.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) texts.push({ node, box });
    // Numbers of orders and commands may be as long as they like; a word is never torn.
    const isCode = node.parentElement.closest("pre, code") !== null;
    for (const word of isCode ? [] : node.data.matchAll(/(?<![\\w-])\\p{L}{2,15}(?![\\w-])/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) faults.push("torn: " + word[0] + " in " + name(node.parentElement));
    }
  }
  for (const one of targets) texts.push({ node: one, box: one.getBoundingClientRect() });
  texts.forEach((one, index) => {
    for (const other of texts.slice(index + 1)) {
      if (one.node.contains(other.node) || other.node.contains(one.node)) continue;
      if (one.node === other.node) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      const say = (part) => part.node.data || name(part.node);
      if (wide > 1 && high > 4) faults.push("overlap: " + say(one) + " / " + say(other));
    }
  });
  return faults;
})()`;

/**
 * Each language is seen in one of the colours, and each colour in one of the languages, on every device:
 * what is too wide depends on the one, what is too pale on the other. KOPECK_EVERY_LOOK=1 pairs all.
 */
const EVERY_LOOK = process.env["KOPECK_EVERY_LOOK"] === "1";
const LOOKS = [
  ["light", "ru-RU", "usual"],
  ["dark", "en-US", "usual"],
  ["light", "en-US", "rare"],
  ["dark", "ru-RU", "rare"],
] as const;

inBrowser("how the pages look", () => {
  let room: CheckoutRoom;
  let screens: Record<string, string>;
  before(async () => {
    room = await openCheckoutRoom(ENGINES.at(-1) ?? "embedded", { receiptsStay: true });
    screens = await openScreens(room);
  });
  after(() => room.close());

  for (const [colorScheme, locale, rarity] of LOOKS) {
    if (rarity === "rare" && !EVERY_LOOK) continue;
    it(`nothing is wrong in the ${colorScheme}, in ${locale}, on whatever device`, async () => {
      const payer = await room.payer({ viewport: PHONE, colorScheme, locale });
      const { page } = payer;
      await bringAxe(payer.context);
      for (const [name, path] of Object.entries(screens)) {
        await page.goto(room.baseUrl + path);
        await page.evaluate(
          "for (const one of document.querySelectorAll('details')) one.open = true",
        );
        assert.deepEqual(await problems(page), [], `${name} in the ${colorScheme}`);
        for (const viewport of [SMALL_PHONE, ZOOMED, DESKTOP, PHONE]) {
          await page.setViewportSize(viewport);
          const faults = await page.evaluate(FIND_FAULTS);
          assert.deepEqual(faults, [], `${name}, ${viewport.width} wide`);
        }
        if (/^no/.test(name)) assert.match(payer.complaints().join(), / 404 /);
      }
      await room.leave();
    });
  }

  for (const [colorScheme, locale, rarity] of LOOKS) {
    if (rarity === "rare" && !EVERY_LOOK) continue;
    it(`nothing is wrong without script in the ${colorScheme}, in ${locale}`, async () => {
      const viewport = colorScheme === "light" ? PHONE : DESKTOP;
      const payer = await room.payer({ javaScriptEnabled: false, viewport, colorScheme, locale });
      for (const [name, path] of Object.entries(screens)) {
        await payer.page.goto(room.baseUrl + path);
        for (const other of EVERY_LOOK ? [DESKTOP, PHONE] : [viewport]) {
          await payer.page.setViewportSize(other);
          assert.deepEqual(await payer.page.evaluate(FIND_FAULTS), [], name);
        }
      }
      payer.complaints();
      await room.leave();
    });
  }

  it("the smallest phone and the largest sum get on with each other", async () => {
    const { page } = await room.payer({ viewport: SMALL_PHONE, locale: "ru-RU" });
    const id = await room.issued({ amount: 99_999.99, order_id: "o".repeat(255) });
    const long = await room.issued({
      amount: 99_999.99,
      success_url: `https://${"shop.".repeat(20)}example/`,
    });
    for (const one of [id, long]) {
      await page.goto(`${room.baseUrl}/pay/${one}`);
      assert.deepEqual(await page.evaluate(FIND_FAULTS), []);
    }
    await room.transfer(id);
    await page.goto(`${room.baseUrl}/pay/${id}`);
    assert.deepEqual(await page.evaluate(FIND_FAULTS), []);
    await room.leave();
  });

  it("the code for the phone is on the first screen of a desktop, and not on the phone", async () => {
    const [phone, desktop] = [await room.payer(), await room.payer({ viewport: DESKTOP })];
    for (const { page } of [phone, desktop]) await page.goto(room.baseUrl + screens["details"]);
    assert.equal(await phone.page.getByRole("img", { name: "scan" }).isVisible(), false);
    const code = await desktop.page.getByRole("img", { name: "scan" }).boundingBox();
    assert.ok(code !== null && code.width >= 120 && code.y + code.height < DESKTOP.height);
    await desktop.page.waitForFunction("document.querySelector('.qr img').naturalWidth > 0");
    // A picture that takes long to draw is not even asked for where it is not shown.
    const asked = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("code.svg")).length`;
    assert.deepEqual(
      [await phone.page.evaluate(asked), await desktop.page.evaluate(asked)],
      [0, 1],
    );
    await room.leave();
  });

  it("all of it weighs less than 25 kB", async (t) => {
    const { page } = await room.payer({ viewport: DESKTOP });
    const finished: Promise<{ responseBodySize: number; responseHeadersSize: number }>[] = [];
    // The browser may ask for the icon when the page is being left already; it is added below.
    const late = { responseBodySize: 0, responseHeadersSize: 0 };
    page.on("requestfinished", (request) => {
      if (!request.url().endsWith("/icon.svg")) finished.push(request.sizes().catch(() => late));
    });
    await page.goto(room.baseUrl + screens["nudged"], { waitUntil: "load" });
    const icon = await fetch(`${room.baseUrl}/icon.svg`);
    const sizes = await Promise.all(finished);
    const bytes = sizes.reduce(
      (sum, { responseBodySize: body, responseHeadersSize: head }) => sum + body + head,
      (await icon.arrayBuffer()).byteLength,
    );
    t.diagnostic(`${bytes} bytes with headers, script and icon, uncompressed`);
    assert.ok(bytes > 10_000 && bytes < MAX_BYTES, String(bytes));
    await room.leave();
  });

  it("stands with the first answer alone: nothing else is waited for", async () => {
    const { page } = await room.payer();
    const asked: string[] = [];
    await page.route("**/*", (route) => {
      const request = route.request();
      // All else is never answered, as on a network that has lost it.
      if (request.resourceType() === "document") void route.continue();
      else asked.push(request.url());
    });
    await page.goto(room.baseUrl + screens["details"], { waitUntil: "commit" });
    await page.locator("dl dd").first().waitFor();
    // Asked from outside: a page that asks itself again and again may not evaluate a text.
    const paints = "performance.getEntriesByName('first-contentful-paint').length";
    await eventually("painted", async () => Number(await page.evaluate(paints)) > 0);
    assert.ok(asked.length > 0, "the script was asked for, and is missed");
    await room.leave();
  });
});
