// The picture that leads from a desktop to the phone: the page's own address, for whoever has it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { encode } from "uqr";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pages } from "../../../test/pages.ts";

const { gateway } = await openOneGateway();
const { link, show } = pages(gateway);

it("is the page's address as an image that may be kept, module for module", async () => {
  const id = await link();
  const { headers, text } = await show(id, "/code.svg");
  assert.equal(headers.get("content-type"), "image/svg+xml");
  assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal((await show(id.toUpperCase(), "/code.svg")).text, text);
  const { data, size } = encode(`http://kopeck.test/pay/${id}`, { ecc: "M", border: 1 });
  const drawn = data.map((row) => row.map(() => false));
  for (const [, x, y, length] of text.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(length));
  }
  assert.deepEqual(drawn, data);
  const box = `viewBox="0 0 ${size} ${size}"`;
  assert.ok(text.startsWith(`<svg xmlns="http://www.w3.org/2000/svg" ${box}`), text);
});
