// Somebody who walks through the desk or the cabinet with a real browser: joins by a link, signs in again, opens
// pages and fills in their forms by the names of the fields.

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { SiteRoom } from "./site-room.ts";

/** A device that has a passkey for whoever asks, and a finger on it. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

export type Walker = Awaited<ReturnType<typeof walker>>;

export async function walker(room: SiteRoom, link: string) {
  const page = await room.somebody({});
  const formTo = (action: string): Locator => page.locator(`main form[action="${action}"]`).first();
  const submit = async (form: Locator): Promise<void> => {
    await form.locator(".acts button, button.main").first().click();
    await page.waitForLoadState();
  };
  const fill = async (form: Locator, fields: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, value] of Object.entries(fields)) {
      const field = form.locator(`[name="${name}"]`);
      const kind = await field.evaluate((one) => `${one.tagName} ${one.getAttribute("type")}`);
      if (kind.startsWith("SELECT")) await field.selectOption(value);
      else if (kind.endsWith("checkbox")) await field.setChecked(value === "true");
      else if (kind.endsWith("file")) await field.setInputFiles(value);
      else await field.fill(value);
    }
    await submit(form);
  };

  await addAuthenticator(page);
  await page.goto(link);
  await page.getByRole("button", { name: "Make a passkey on this device" }).click();
  await page.getByText("I have kept them: go on").click();
  await page.waitForURL(/\/(?:desk|my)$/);

  return {
    page,
    /** The heading of where one is. */
    heading: (): Promise<string> => page.getByRole("heading", { level: 1 }).innerText(),
    words: (): Promise<string> => page.locator("main").innerText(),
    open: (path: string) => page.goto(path),
    async press(name: string): Promise<void> {
      await page.locator("main").getByRole("link", { name, exact: true }).first().click();
      await page.waitForLoadState();
    },
    /** Fills in the form that goes there, on its own page or on the one that is open. */
    async send(action: string, fields: Readonly<Record<string, string>> = {}, at = action) {
      if (at !== "") await page.goto(at);
      const [path = ""] = action.split("?");
      await fill(formTo(path), fields);
      const problem = page.locator(".problems, .notice.bad");
      if ((await problem.count()) > 0)
        assert.fail(`${action}: ${await problem.first().innerText()}`);
    },
    /** What is shown once, by its label. */
    async shown(pattern: RegExp): Promise<string> {
      const texts = await page.locator("main code").allInnerTexts();
      const found = texts.find((text) => pattern.test(text));
      assert.ok(found !== undefined, `${pattern} is not among ${texts.length} on ${page.url()}`);
      return found;
    },
    /** After so long away that the session has ended. */
    async signIn(): Promise<void> {
      await page.goto("/sign-in");
      const there = page.waitForURL(/\/(?:desk|my)$/);
      // The browser may have offered the passkey by itself, and the button be gone.
      const button = page.getByRole("button", { name: "Use a passkey" });
      await Promise.race([there, button.click().catch(() => {})]);
      await there;
    },
  };
}
