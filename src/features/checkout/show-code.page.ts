// GET /pay/{invoice}/code.svg: the page's own address as a QR code. A picture of its own, because drawing
// it takes longer than the rest of the page: a phone, which does not show it, never asks for it, and a
// desktop asks once.

import { type App, perApp } from "../../platform/app.ts";
import { webPage } from "../../platform/web-page.ts";
import { visitedStanding } from "./look-up.ts";
import { qrCode } from "./qr.ts";

/** 5 kB each. */
const MAX_CODES = 500;

/** Draws each text once; past the most that are kept, the oldest is forgotten. */
export function keptCodes(draw: (text: string) => string): (text: string) => string {
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
