// The style sheet and the script of all pages for people who sign in, under names that change with them.

import { createHash } from "node:crypto";
import { webPage } from "../../platform/web-page.ts";
import { SCRIPT } from "../screens/script.ts";
import { STYLE } from "../screens/style.ts";

function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export const STYLE_PATH = `/screens-${nameOf(STYLE)}.css`;
export const SCRIPT_PATH = `/screens-${nameOf(SCRIPT)}.js`;

export const showStyle = webPage({
  method: "GET",
  path: STYLE_PATH,
  site: "people",
  async answer() {
    return { kind: "file", type: "text/css; charset=utf-8", text: STYLE };
  },
});

export const showScript = webPage({
  method: "GET",
  path: SCRIPT_PATH,
  site: "people",
  async answer() {
    return { kind: "file", type: "text/javascript; charset=utf-8", text: SCRIPT };
  },
});
