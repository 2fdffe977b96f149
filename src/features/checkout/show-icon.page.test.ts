// The icon is an image and nothing else.

import assert from "node:assert/strict";
import { it } from "node:test";
import { onOneEngine, openTestGateway } from "../../../test/gateway.ts";

onOneEngine("GET /icon.svg", (engine) => {
  it("is an SVG that may be kept", async () => {
    const gateway = await openTestGateway(engine);
    const icon = await gateway.call("/icon.svg");
    await gateway.stop();
    assert.equal(icon.status, 200);
    assert.equal(icon.headers.get("content-type"), "image/svg+xml");
    assert.match(icon.text, /^<svg /);
  });
});
