// The icon in the browser's tab.

import { webPage } from "../../platform/web-page.ts";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1f6feb"/><path d="M11 7v18M21 7l-9 9 9 9" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

export const showIcon = webPage({
  method: "GET",
  path: "/icon.svg",
  async answer() {
    return { kind: "file", type: "image/svg+xml", text: ICON };
  },
});
