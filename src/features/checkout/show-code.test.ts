// The code's picture is the code: module for module.

import assert from "node:assert/strict";
import { it } from "node:test";
import { encode } from "uqr";
import { qrCode } from "./show-code.page.ts";

it("fills exactly the dark modules", () => {
  const address = "https://pay.example/pay/019a3f00-0000-7000-8000-000000000009";
  const { data, size } = encode(address, { ecc: "M", border: 1 });
  const text = qrCode(address);
  const drawn = data.map((row) => row.map(() => false));
  for (const [, x, y, length] of text.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(length));
  }
  assert.deepEqual(drawn, data);
  assert.match(
    text,
    new RegExp(`^<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"`),
  );
});
