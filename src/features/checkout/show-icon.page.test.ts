// The icon is an image and nothing else.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway } = await openOneGateway();

it("is an SVG", async () => {
  const { headers, text } = await gateway.call("/icon.svg");
  assert.equal(headers.get("content-type"), "image/svg+xml");
  assert.match(text, /^<svg /);
});
