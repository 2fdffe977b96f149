// The packed SDK in a real browser: loaded as modules, it drives a payment from a page's own script.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, it } from "node:test";
import type { Browser } from "playwright-core";
import { inBrowser, openBrowser } from "./browser.ts";
import { SHOP, USER } from "./cast.ts";
import { ENGINES, openTestGateway, type TestGateway } from "./gateway.ts";
import { installSdk, type Project } from "./sdk-install.ts";

/** What a page's script would say; it runs in the browser, so it is a text here. */
const SCRIPT = `async ({ sdk, baseUrl, shop, user }) => {
  const { merchantClient, managementClient, verifyWebhook } = await import(sdk);
  const merchant = merchantClient({ baseUrl, shopId: shop.id, shopKey: shop.key, userId: user.id, userSecret: user.secret });
  const operator = managementClient({ baseUrl, token: "sandbox_operator_token" });
  const { id } = await merchant.createInvoice({ amount: 1000, order_id: "browser", type: "direct", include_service: ["p2p_card"], success_url: "https://shop.example/ok" });
  const { wallet, amount } = await merchant.createH2hPayment({ invoice_id: id, payment_data: { bank: "sber" } });
  await operator.post("/manage/transfers", { wallet, amount: Number(amount), reference: "browser" });
  const { status } = await merchant.invoiceInfo({ order_id: "browser" });
  const { freeze_balance } = await merchant.balance();
  const forged = await verifyWebhook({ body: "{}", headers: { "x-api-sha256-signature": "00" }, key: "key" }).catch((error) => error.problem);
  return { status, freeze_balance, forged };
}`;

inBrowser("the packed SDK in a browser", () => {
  let browser: Browser;
  let gateway: TestGateway;
  let project: Project;
  let files: Server;
  before(async () => {
    // First, because building blocks this process, and a gateway in it would miss its own deadlines.
    project = installSdk();
    browser = await openBrowser();
    gateway = await openTestGateway(ENGINES.at(-1) ?? "embedded");
    const dist = join(project.sdk, "dist");
    files = createServer((request, response) => {
      const headers = { "content-type": "text/javascript", "access-control-allow-origin": "*" };
      response.writeHead(200, headers).end(readFileSync(join(dist, request.url ?? "")));
    });
    await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await browser.close();
    await gateway.stop();
    files.close();
    project.remove();
  });

  it("drives a payment", async () => {
    const page = await browser.newPage({ bypassCSP: true });
    // A page of the gateway's own origin, as the personal account's will be.
    await page.goto(`${gateway.url}/docs`);
    const { port } = files.address() as AddressInfo;
    const sdk = `http://127.0.0.1:${port}/index.js`;
    const input = { sdk, baseUrl: gateway.url, shop: SHOP, user: USER };
    const seen = await page.evaluate(`(${SCRIPT})(${JSON.stringify(input)})`);
    assert.deepEqual(seen, { status: "success", freeze_balance: 960, forged: "wrong_signature" });
  });
});
