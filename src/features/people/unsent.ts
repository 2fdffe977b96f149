// A form that somebody sent who had to sign in or to be proven anew first: nothing was done, and they find it as
// they had filled it in. Guards that what was typed, perhaps a card's number, stands in an address only sealed, and
// opens for nobody else and on no other page.

import type { App } from "../../platform/app.ts";
import type { Visit } from "../../platform/web-page.ts";
import { ownPath } from "./own-path.ts";

/** Sealed and with its path it is no longer than own-path.ts takes. A longer one is typed again. */
const MAX_BYTES = 2_400;

const rowOf = (personId: string, { url }: Visit): string => `${personId} ${url.split("?")[0]}`;

/** Where somebody wanted to go: for a form that is the page it stands on, which has the same address. */
export function thenOf(app: App, visit: Visit, personId?: string): string {
  const { url, form, sent, query } = visit;
  if (Object.keys(form).length === 0 || query["unsent"] !== undefined) return ownPath(url);
  const text = JSON.stringify(sent);
  const isKept = personId !== undefined && Buffer.byteLength(text) <= MAX_BYTES;
  const sealed = isKept ? app.secrets.seal(rowOf(personId, visit), text).toString("base64url") : "";
  return ownPath(`${url}${url.includes("?") ? "&" : "?"}unsent=${sealed}`);
}

/** What was typed, where the address has it. */
export function unsentOf(app: App, visit: Visit, personId: string): Visit["sent"] | undefined {
  try {
    const bytes = Buffer.from(visit.query["unsent"] ?? "", "base64url");
    return JSON.parse(app.secrets.open(rowOf(personId, visit), bytes));
  } catch {
    return undefined;
  }
}
