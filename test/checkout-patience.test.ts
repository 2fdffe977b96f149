// An open payment page without a stream, in a real browser whose time is moved: it asks for a word of a few
// bytes, more and more rarely, and never sooner than the server wishes.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import type { Page } from "playwright-core";
import { inBrowser, standStill } from "./browser.ts";
import { type CheckoutRoom, openCheckoutRoom, type Payer } from "./checkout-room.ts";
import { ENGINES } from "./gateway.ts";

/** Keeps when the page asked for what, by the page's own clock. */
const KEEP_ASKS = `(() => {
  const real = window.fetch;
  window.asks = [];
  window.fetch = (target, options) => {
    asks.push({ at: Date.now(), path: new URL(target, location.href).pathname });
    const answer = real(target, options);
    window.latest = answer.then((one) => one.clone().text()).catch(() => {});
    return answer;
  };
})()`;

interface Ask {
  readonly at: number;
  readonly path: string;
}

inBrowser("a payment page without a stream", () => {
  let room: CheckoutRoom;
  before(async () => {
    room = await openCheckoutRoom(ENGINES.at(-1) ?? "embedded");
  });
  after(() => room?.close());
  afterEach(() => room.leave());

  /** Whose streams are used up: the answer is the one that the gateway gives then. */
  const open = async (id: string): Promise<Payer> => {
    const payer = await room.payer();
    const { page } = payer;
    // Time goes on only where a test says so, from before the page is there.
    await standStill(page);
    await page.addInitScript(KEEP_ASKS);
    const used = { status: 503, headers: { "retry-after": "1" } };
    await page.route("**/changes?*", (route) => route.fulfill(used));
    await page.goto(`${room.baseUrl}/pay/${id}`);
    await page.getByRole("heading", { name: "Transfer exactly" }).waitFor();
    // What it has asked meanwhile is answered before a test changes the answers.
    await page.evaluate("window.latest");
    return payer;
  };
  /** What it asked for in so many seconds, each answer heard before time goes on. */
  const asksIn = async (page: Page, seconds: number): Promise<Ask[]> => {
    const before = await page.evaluate<number>("asks.length");
    for (let second = 0; second < seconds; second += 1) {
      await page.clock.runFor(1_000);
      await page.evaluate("window.latest");
    }
    return (await page.evaluate<Ask[]>("asks")).slice(before);
  };
  /** A minute and its jitter is the longest that anything waits for. */
  const asksUntilPaid = async (page: Page): Promise<Ask[]> => {
    const asks: Ask[] = [];
    const paid = page.getByRole("heading", { name: "Paid" });
    for (let second = 0; second < 76 && !(await paid.isVisible()); second += 2) {
      asks.push(...(await asksIn(page, 2)));
    }
    await paid.waitFor();
    return asks;
  };

  it("asks for a few bytes, less and less often, and loads the page when something happened", async (t) => {
    const id = await room.issued();
    const payer = await open(id);
    const { page } = payer;
    const minutes: Ask[][] = [];
    while (minutes.length < 4) minutes.push(await asksIn(page, 60));
    const counts = minutes.map((asks) => asks.length);
    t.diagnostic(`asked ${counts.join(", ")} times in the first minutes`);
    const [first = 0, second = 0, third = 0, fourth = 0] = counts;
    assert.ok(first <= 30 && second < first, counts.join());
    // Ten seconds apart, and it never gives up.
    for (const count of [third, fourth]) assert.ok(count >= 4 && count <= 6, counts.join());
    const paths = new Set(minutes.flat().map(({ path }) => path));
    assert.deepEqual([...paths], [`/pay/${id}/standing`]);
    await room.transfer(id);
    const asked = await asksUntilPaid(page);
    assert.equal(asked.filter(({ path }) => path === `/pay/${id}`).length, 1);
    // A receipt asks for nothing.
    assert.deepEqual(await asksIn(page, 5), []);
    payer.complaints();
  });

  it("waits as long as Retry-After says, and longer each time that it fails", async () => {
    const payer = await open(await room.issued());
    const { page } = payer;
    const refuse = (headers: Record<string, string>) =>
      page.route("**/standing", (route) => route.fulfill({ status: 429, headers }));
    await refuse({ "retry-after": "30" });
    let refused: Ask[] = [];
    for (let second = 0; second < 10 && refused.length === 0; second += 1) {
      refused = await asksIn(page, 1);
    }
    assert.equal(refused.length, 1);
    assert.deepEqual(await asksIn(page, 26), []);
    assert.equal((await asksIn(page, 12)).length, 1);
    await page.unroute("**/standing");
    await refuse({});
    const asks = await asksIn(page, 240);
    const gaps = asks.slice(1).map(({ at }, index) => at - (asks[index]?.at ?? 0));
    assert.ok((gaps.at(-1) ?? 0) >= 59_000, gaps.join());
    assert.ok(asks.length >= 3 && asks.length <= 8, gaps.join());
    payer.complaints();
  });

  it("backs off as well where the page itself cannot be had", async () => {
    const id = await room.issued();
    const payer = await open(id);
    const { page } = payer;
    await page.route(`**/pay/${id}`, (route) =>
      route.fulfill({ status: 503, body: "<main><h1>Away</h1></main>" }),
    );
    await room.transfer(id);
    const asks = (await asksIn(page, 120)).filter(({ path }) => path === `/pay/${id}`);
    // 2, 4, 8, 16 and 32 seconds after each other.
    assert.ok(asks.length >= 4 && asks.length <= 7, asks.map(({ at }) => at).join());
    await page.unroute(`**/pay/${id}`);
    await asksUntilPaid(page);
    payer.complaints();
  });
});
