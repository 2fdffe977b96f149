// How the desk and the cabinet look, on every screen: in both languages and colours, empty and full, on the smallest
// phone and enlarged, for eyes and for screen readers; and how much of it comes over the wire.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { gzipSync } from "node:zlib";
import { bringAxe, problems } from "./axe.ts";
import { inBrowser } from "./browser.ts";
import { SHOP, USER } from "./cast.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";
import { cardEndingIn, pauseRail, payouts } from "./payouts.ts";
import { anna, visitor } from "./people.ts";
import { openSiteRoom, type SiteRoom } from "./site-room.ts";
import { type SiteScreen, siteScreens } from "./site-screens.ts";

const DESKTOP = { width: 1280, height: 900 };
const SMALL_PHONE = { width: 320, height: 568 };
/** A desktop at 200 %. */
const ZOOMED = { width: 640, height: 450 };
const MAX_BYTES = 40_000;

/**
 * Each screen is seen once, in one of the languages and one of the colours, one after the other.
 * KOPECK_EVERY_LOOK=1 sees all of them in all, and in a sandbox where nothing has happened as well.
 */
const EVERY_LOOK = process.env["KOPECK_EVERY_LOOK"] === "1";
const LOOKS = [
  ["light", "ru-RU", "usual"],
  ["dark", "en-US", "usual"],
  ["light", "en-US", "rare"],
  ["dark", "ru-RU", "rare"],
] as const;

/** What moves sideways, stands outside where nothing of its own moves, or is offered twice. */
const FIND_FAULTS = `(() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push("scrolls sideways: " + root.scrollWidth);
  const isSeen = (one) => one.checkVisibility() && !one.closest(".unseen, .skip, svg");
  const isHeld = (one) => {
    for (let above = one.parentElement; above; above = above.parentElement) {
      if (/auto|scroll|hidden/.test(getComputedStyle(above).overflowX)) return true;
    }
  };
  for (const one of [...document.body.querySelectorAll("*")].filter(isSeen)) {
    const { left, right } = one.getBoundingClientRect();
    if ((left < -0.5 || right > innerWidth + 0.5) && !isHeld(one)) {
      faults.push("outside: " + one.outerHTML.slice(0, 120));
    }
  }
  // On cards a label stands left of what it heads: no part of that may stand where labels do, and no word is torn.
  for (const cell of document.querySelectorAll(".rows td[data-label]")) {
    if (getComputedStyle(cell).display === "table-cell" || !isSeen(cell)) continue;
    const label = getComputedStyle(cell, "::before");
    const labels = cell.getBoundingClientRect().left + parseFloat(label.width);
    const ruler = document.createElement("canvas").getContext("2d");
    ruler.font = label.fontSize + " " + label.fontFamily;
    for (const word of cell.dataset.label.split(" ")) {
      if (ruler.measureText(word).width > parseFloat(label.width)) faults.push("torn: " + word);
    }
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      if (!isSeen(texts.currentNode.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      const isAmong = [...range.getClientRects()].some(({ left, width }) => width > 0 && left < labels);
      if (isAmong) faults.push("among the labels: " + cell.innerText);
    }
  }
  for (const one of document.querySelectorAll("select")) {
    const values = [...one.options].map(({ value }) => value);
    if (new Set(values).size < values.length) faults.push("offers twice: " + one.outerHTML.slice(0, 120));
  }
  return faults.slice(0, 3);
})()`;

inBrowser("how the desk and the cabinet look", () => {
  const rooms: SiteRoom[] = [];
  const open = async (sandboxHistory: boolean) => {
    const room = await openSiteRoom({ sandboxHistory });
    rooms.push(room);
    const { gateway } = room;
    if (sandboxHistory) await addTheRest(room);
    await (await anna(gateway)).open("/desk");
    return { room, ...(await siteScreens(gateway)) };
  };
  let full: Awaited<ReturnType<typeof open>>;
  before(async () => {
    full = await open(true);
  });
  after(async () => {
    for (const room of rooms) await room.close();
  });

  const look = async (
    room: SiteRoom,
    screens: readonly SiteScreen[],
    [colorScheme, locale]: (typeof LOOKS)[number],
  ): Promise<void> => {
    const page = await room.anna({ colorScheme, locale, viewport: DESKTOP });
    await bringAxe(page.context());
    const wrong: string[] = [];
    for (const { path, address } of screens) {
      // A visitor's patience with us is measured by the clock, which stands still otherwise.
      room.gateway.clock.advance(1);
      await page.setViewportSize(DESKTOP);
      const answer = await page.goto(address);
      const say = (fault: string) => wrong.push(`${path}: ${fault}`);
      if (answer?.status() !== 200) say(`${answer?.status()} ${await page.title()}`);
      await page.evaluate(
        "for (const one of document.querySelectorAll('details')) one.open = true",
      );
      for (const problem of await problems(page)) say(problem);
      for (const viewport of [ZOOMED, SMALL_PHONE]) {
        await page.setViewportSize(viewport);
        for (const fault of await page.evaluate<string[]>(FIND_FAULTS)) {
          say(`${viewport.width} wide: ${fault}`);
        }
      }
      // Under 760 a table is cards, and the menu another one.
      if (EVERY_LOOK) for (const problem of await problems(page)) say(`on a phone: ${problem}`);
    }
    await page.context().close();
    assert.deepEqual([...wrong, ...room.complaints()], []);
  };

  it("every page of both is among the screens", () => {
    assert.deepEqual(full.missing, []);
    assert.ok(full.screens.length > 110, String(full.screens.length));
  });

  for (const [at, one] of LOOKS.entries()) {
    const [colour, locale, rarity] = one;
    if (rarity === "rare" && !EVERY_LOOK) continue;
    it(`nothing is wrong in the ${colour}, in ${locale}, with a month of business`, async () => {
      const chosen = full.screens.filter((_, place) => EVERY_LOOK || place % 2 === at);
      await look(full.room, chosen, one);
    });
  }

  if (EVERY_LOOK) {
    let empty: typeof full;
    for (const one of LOOKS) {
      it(`nothing is wrong in the ${one[0]}, in ${one[1]}, where nothing has happened`, async () => {
        empty ??= await open(false);
        await look(empty.room, empty.screens, one);
      });
    }
  }

  it("what opens over a page and what a signed-out person sees are in order, too", async () => {
    const page = await full.room.anna({ viewport: SMALL_PHONE });
    await bringAxe(page.context());
    await page.goto("/desk");
    await page.keyboard.press("?");
    await page.locator("dialog#keys[open]").waitFor();
    assert.deepEqual([await problems(page), await page.evaluate(FIND_FAULTS)], [[], []]);
    const stranger = await full.room.somebody({ viewport: SMALL_PHONE, locale: "ru-RU" });
    await bringAxe(stranger.context());
    await stranger.goto("/sign-in");
    assert.deepEqual([await problems(stranger), await stranger.evaluate(FIND_FAULTS)], [[], []]);
    assert.deepEqual(full.room.complaints(), []);
  });

  it("a cabinet that an operator looks at is in order, too", async () => {
    const { room } = full;
    for (const [colorScheme, locale, viewport] of [
      ["dark", "ru-RU", SMALL_PHONE],
      ["light", "en-US", DESKTOP],
    ] as const) {
      const page = await room.anna({ colorScheme, locale, viewport });
      await bringAxe(page.context());
      const isFine = async (where: string) =>
        assert.deepEqual(
          [await problems(page), await page.evaluate(FIND_FAULTS)],
          [[], []],
          `${where} ${locale}`,
        );
      await page.goto(`/desk/merchants/${USER.id}`);
      const act = `form[action="/desk/merchants/${USER.id}/look"] button`;
      await page.locator(act).focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(`${room.baseUrl}/my`);
      for (const path of ["/my", "/my/keys", "/my/people", "/my/log"]) {
        await page.goto(path);
        await isFine(path);
      }
      assert.equal((await page.goto("/my/keys/webhooks"))?.status(), 403);
      assert.match(room.complaints().join(), /403/);
      await isFine("refused");
      await page.locator(act).click();
      await page.waitForURL(`${room.baseUrl}/desk/merchants/${USER.id}`);
      await page.context().close();
    }
    assert.deepEqual(room.complaints(), []);
  });

  it("a list of fifty rows weighs no more than 40 kB, with style and script", async (t) => {
    const visit = await anna(full.room.gateway);
    const assets = visitor(full.room.gateway);
    for (const path of ["/desk/invoices", "/desk/transfers", "/desk/events", "/my/invoices"]) {
      const text = await visit.open(`${path}?limit=50`);
      const rows = text.match(/<tr\b/g)?.length ?? 0;
      const linked = [...text.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)];
      assert.equal(linked.length, 2);
      const texts = [
        text,
        ...(await Promise.all(linked.map(([, href = ""]) => assets.open(href)))),
      ];
      const sizes = texts.map((one) => gzipSync(one).length);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      t.diagnostic(`${path}: ${rows - 1} rows, ${sizes.join(" + ")} = ${bytes} bytes`);
      assert.ok(bytes <= MAX_BYTES, `${path}: ${bytes} bytes`);
      if (path !== "/desk/transfers") assert.equal(rows, 51, path);
    }
  });
});

/** What a month of business has none of: a phone, a file of payouts, a token, a key of the user's own. */
async function addTheRest({ gateway }: SiteRoom): Promise<void> {
  const own = manage(gateway);
  const cabinet = manage(gateway, "sandbox_owner_token", "cabinet");
  const requisite_ids = [(await own.get("requisites")).items[0].requisite_id];
  const phone = { name: "A phone", adapter: "kopeck", banks: ["sber"], senders: ["900"] };
  await own.post("sources", { ...phone, requisite_ids });
  await cabinet.post("tokens", { name: "A terminal" });
  await pauseRail(gateway);
  await payouts(gateway, orders(gateway)).made({ amount: 50 });
  await own.post("payout-batches", { format: "csv" });
  // A name of a hundred letters without a space is cut nowhere.
  const name = "Щ".repeat(100);
  await own.post(`shops/${SHOP.id}`, { name });
  await own.post(`users/${USER.id}`, { name });
  await own.post("requisites", { bank: "sber", receiver_name: name, card: cardEndingIn("0004") });
}
