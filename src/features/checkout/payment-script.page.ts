// The payment page's script, under an address that changes with its text.

import { webPage } from "../../platform/web-page.ts";
import { SCRIPT, SCRIPT_PATH } from "./script.ts";

export const paymentScript = webPage({
  method: "GET",
  path: SCRIPT_PATH,
  async answer() {
    return { kind: "file", type: "text/javascript; charset=utf-8", text: SCRIPT };
  },
});
