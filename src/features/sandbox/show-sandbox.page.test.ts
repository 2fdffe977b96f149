// What a browser sees at a sandbox's own address: what there is to try, and keys that work. How it looks is seen in
// test/docs-look.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { wordsOf } from "../../../test/pages.ts";

const { gateway } = await openOneGateway();

it("leads to everything there is, in both languages, with keys that work", async () => {
  for (const [language, words] of [
    [
      "en",
      /This is a sandbox.*Make a payment.*Run the gateway.*Be a merchant.*Call the API.*Shops and their keys/,
    ],
    [
      "ru",
      /Это песочница.*Провести платёж.*Вести шлюз.*Побыть мерчантом.*Вызвать API.*Магазины и их ключи/,
    ],
  ] as const) {
    const page = await gateway.call("/", {
      headers: { accept: "text/html", "accept-language": language },
    });
    assert.equal(page.status, 200);
    assert.match(wordsOf(page), words);
    const links = [...page.text.matchAll(/href="(\/[^"?]*)/g)].map(([, path = ""]) => path);
    const wanted = ["/demo", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics"];
    wanted.push("/sandbox/statement");
    const pages = ["/desk", "/my"];
    assert.deepEqual(
      [...wanted, ...pages].filter((path) => !links.includes(path)),
      [],
    );
    for (const path of wanted) assert.equal((await gateway.call(path)).status, 200, path);
    const shown = wordsOf(page).matchAll(/shop_id +([0-9a-f-]{36}) +x-api-key +(\w+)/g);
    const shops = [...shown].map(([, id = "", key = ""]) => ({ id, key }));
    assert.equal(shops.length, 6);
    for (const { id, key } of shops) {
      const path = `/shops/${id}/payment-tariffs`;
      const answer = await gateway.call(path, { headers: { "x-api-key": key } });
      assert.equal(answer.status, key === "sandbox_shop_key_empty" ? 404 : 200, key);
    }
    assert.match(wordsOf(page), /authorization: Bearer sandbox_operator_token/);
    assert.match(wordsOf(page), / sandbox_webhook_key/);
  }
  assert.equal((await gateway.call("/")).status, 404, "to a program there is nothing");
});

it("promises a month of example business only where there is one", async () => {
  const { config } = gateway.app;
  for (const [language, month] of [
    ["en", /A month of example business/],
    ["ru", /месяц примерных дел/],
  ] as const) {
    const headers = { accept: "text/html", "accept-language": language };
    assert.doesNotMatch(wordsOf(await gateway.call("/", { headers })), month);
    Object.assign(config, { sandboxHistory: true });
    assert.match(wordsOf(await gateway.call("/", { headers })), month);
    Object.assign(config, { sandboxHistory: false });
  }
});
