// The word that an open page asks for: of this moment, of this invoice, a few bytes.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pages } from "../../../test/pages.ts";

const { gateway } = await openOneGateway();
const { link, choose, simulate, show } = pages(gateway);

it("is what the page says that it was made from, and another word after each change", async () => {
  const id = await link();
  const words: string[] = [];
  const look = async (): Promise<void> => {
    const from = /data-watch="[^"]+\?from=([^"]+)"/.exec((await show(id)).text)?.[1];
    const { text } = await show(id, "/standing");
    // A receipt is not watched any more.
    if (from !== undefined) assert.equal(text, decodeURIComponent(from));
    words.push(text);
  };
  await look();
  for (const bank of ["sber", "tinkoff"]) {
    await choose(id, "p2p_card", bank);
    await look();
  }
  await simulate(id);
  await look();
  assert.equal(new Set(words).size, 4, words.join());
  assert.deepEqual([words[0], words[3]], ["created", "paid"]);
});

it("is a text of at most 50 bytes that nobody keeps", async () => {
  const id = await link();
  await choose(id);
  const { text, headers } = await show(id.toUpperCase(), "/standing");
  assert.match(text, /^pending [0-9a-f-]{36} [0-9a-f]{4}$/);
  assert.ok(Buffer.byteLength(text) <= 50, text);
  assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
});
