// A QR code as one path of SVG: a few kilobytes, no image to load.

import { encode } from "uqr";
import { type Html, html } from "../../platform/html.ts";

export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: 1 });
  const path = data.flatMap((row, y) => darkRuns(row).map(([x, end]) => run(x, y, end - x)));
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path.join("")}" fill="#000"/></svg>`;
}

function run(x: number, y: number, length: number): string {
  return `M${x} ${y}h${length}v1h-${length}z`;
}

/** Dark modules beside each other are one rectangle: half the size of one for each. */
function darkRuns(row: readonly boolean[]): (readonly [start: number, end: number])[] {
  const text = row.map((isDark) => (isDark ? "#" : " ")).join("");
  return [...text.matchAll(/#+/g)].map(({ 0: dark, index }) => [index, index + dark.length]);
}
