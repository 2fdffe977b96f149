// Letters on a shop's own colour can always be read, whatever colour it is.

import assert from "node:assert/strict";
import { it } from "node:test";
import { styleOf } from "./style.ts";

/** A contrast that WCAG asks for, worked out here once more. */
function contrast(one: string, other: string): number {
  const light = (color: string): number => {
    const parts = color.length === 4 ? color.replace(/\w/g, "$&$&") : color;
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number(`0x${parts.slice(at, at + 2)}`) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const [low = 1, high = 1] = [light(one), light(other)].toSorted((left, right) => left - right);
  return high / low;
}

it("a shop's colour leaves a contrast of 4.5 or more", () => {
  const steps = ["00", "1f", "40", "66", "80", "99", "bf", "d4", "ff"];
  for (const red of steps) {
    for (const green of steps) {
      for (const blue of steps) {
        const color = `#${red}${green}${blue}`;
        const [, brand = "", on = ""] = /--brand:(#\w+);--on:(#\w+)/.exec(styleOf(color)) ?? [];
        assert.equal(brand, color);
        assert.ok(contrast(brand, on) >= 4.5, `${on} on ${brand}: ${contrast(brand, on)}`);
      }
    }
  }
});

it("what is no colour is the house's own", () => {
  for (const wrong of [null, "", "red", "#fff", "#ffffff;}", "#FFFFFF", "url(x)"]) {
    assert.match(styleOf(wrong), /^:root\{--brand:#1f6feb;--on:#fff\}/);
  }
});
