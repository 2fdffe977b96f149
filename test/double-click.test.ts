// A button that is pressed twice in a browser. The second press would throw away the answer to the first, and with
// it a secret that is shown once: a form that is on its way is not sent again.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { inBrowser, standStill } from "./browser.ts";
import { openSiteRoom, type SiteRoom } from "./site-room.ts";

inBrowser("a double click", () => {
  let room: SiteRoom;
  before(async () => {
    room = await openSiteRoom();
  });
  after(() => room.close());

  it("shows the secret that the first click has made", async () => {
    const path = "/my/keys/webhooks";
    const page = await room.anna();
    await page.goto(path);
    const form = page.locator(`form[action="${path}"]`);
    const [made, pressed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch();
      made.resolve();
      await pressed.promise;
      await route.fulfill({ response });
    });
    await page.route("**/made", async (route) => {
      await made.promise;
      await route.fulfill({ status: 204 });
    });
    await page.route("**/pressed", async (route) => {
      await route.fulfill({ status: 204 });
      pressed.resolve();
    });
    // The second click comes when the key is made and its answer under way. Nobody can ask a page from outside
    // that is about to be left: it clicks by itself.
    await page.evaluate(`(() => {
      const button = document.querySelector('form[action="${path}"] .acts button');
      button.click();
      fetch("/made").then(() => button.click()).then(() => fetch("/pressed"));
    })()`);
    await form.waitFor({ state: "detached" });
    assert.match(await page.innerText("main"), /whsec_/);
    await page.context().close();
  });

  it("sends once, says so, and sends again where no answer comes, or on coming back to the page", async () => {
    const page = await room.anna();
    await standStill(page);
    const path = "/my/keys/new-own";
    let sent = 0;
    // An answer that never takes the place of the page.
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      sent += 1;
      return route.fulfill({ status: 204 });
    });
    await page.goto(path);
    const button = page.locator(`form[action="${path}"] .acts button`);
    const press = async (): Promise<void> => {
      await button.click();
      // What was pressed has gone by once something that was asked for later has come back.
      await page.evaluate("fetch('/icon.svg').then((answer) => answer.text())");
    };
    await press();
    await press();
    assert.equal(sent, 1);
    assert.match(await page.locator("[data-said]").innerText(), /on its way/);
    await page.clock.runFor(20_000);
    await press();
    assert.equal(sent, 2);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await press();
    assert.equal(sent, 3);
    await page.context().close();
  });

  it("sends a passkey once, and another one where no answer comes", async () => {
    const page = await room.anna();
    await standStill(page);
    // A device that answers whoever asks by a button.
    await page.addInitScript(`navigator.credentials.get = ({ mediation }) =>
      mediation ? new Promise(() => {}) : Promise.resolve({ toJSON: () => ({}) });`);
    let sent = 0;
    await page.route("**/sign-in/passkey", async (route) => {
      sent += 1;
      return route.fulfill({ status: 204 });
    });
    await page.context().clearCookies();
    await page.goto("/sign-in");
    const press = async (): Promise<void> => {
      await page.locator('form[action="/sign-in/passkey"] button').click();
      await page.evaluate("fetch('/icon.svg').then((answer) => answer.text())");
    };
    await press();
    await press();
    assert.equal(sent, 1);
    await page.clock.runFor(20_000);
    await press();
    assert.equal(sent, 2);
    await page.context().close();
  });
});
