// GET /pay/{invoice}/code.svg: the page's own address as a QR code. A picture of its own, because drawing
// it takes longer than the rest of the page: a phone, which does not show it, never asks for it, and a
// desktop asks once.

import { encode } from "uqr";
import { type App, perApp } from "../../platform/app.ts";
import { webPage } from "../../platform/web-page.ts";
import { visitedStanding } from "./look-up.ts";

/** An SVG of one path: 5 kB. Drawing it takes 2 ms, most of it the choice of a mask. */
function qrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "M", border: 1 });
  const path = data.flatMap((row, y) => darkRuns(row).map(([x, end]) => run(x, y, end - x)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path.join("")}" fill="#000"/></svg>`;
}

function run(x: number, y: number, length: number): string {
  return `M${x} ${y}h${length}v1h-${length}z`;
}

/** Dark modules beside each other are one rectangle: half the size of one for each. */
function darkRuns(row: readonly boolean[]): (readonly [start: number, end: number])[] {
  const text = row.map((isDark) => (isDark ? "#" : " ")).join("");
  return [...text.matchAll(/#+/g)].map(({ 0: dark, index }) => [index, index + dark.length]);
}

/** 5 kB each. */
const MAX_CODES = 500;

/** Draws each text once; past the most that are kept, the oldest is forgotten. */
function keptCodes(draw: (text: string) => string): (text: string) => string {
  const kept = new Map<string, string>();
  return (text) => {
    const code = kept.get(text) ?? draw(text);
    kept.set(text, code);
    if (kept.size > MAX_CODES) kept.delete(kept.keys().next().value ?? "");
    return code;
  };
}

const codes: (app: App) => (text: string) => string = perApp(() => keptCodes(qrCode));

export const showCode = webPage({
  method: "GET",
  path: "/pay/:invoice/code.svg",
  async answer(app, visit) {
    const { id } = await visitedStanding(app, visit);
    const text = codes(app)(`${app.config.baseUrl}/pay/${id}`);
    return { kind: "file", type: "image/svg+xml", text };
  },
});
