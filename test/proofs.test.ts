// Every form of the desk and of the cabinet wants a proof that is not old, unless it is named here, with the reason.

import assert from "node:assert/strict";
import { it } from "node:test";
import { pagesOf } from "../src/features/pages.ts";
import { openOneGateway } from "./one-gateway.ts";
import { MINUTE } from "./orders.ts";
import { anna } from "./people.ts";

/** What a form without a proof does: no money moves, nobody gets in, nothing leaves for elsewhere. */
const WITHOUT: Readonly<Record<string, string>> = {
  "/desk/books/check": "the books are read and compared",
  "/desk/events/:event_id/send": "a webhook is sent again, to where it was sent before",
  "/desk/invoices/:invoice_id/cancel":
    "only one that nobody has paid; what comes all the same is booked as late",
  "/desk/merchants/:user_id/look": "somebody of the desk only looks",
  "/desk/merchants/:user_id/rename": "a name, which the log keeps",
  "/my/events/:event_id/send": "as at the desk",
  "/my/events/test": "a test to the shop's own address",
  "/my/invoices/:invoice_id/cancel": "as at the desk",
  "/my/invoices/new": "an order that a payer may pay, to the merchant themselves",
  "/my/switch": "another of one's own merchants is shown",
};

const { gateway } = await openOneGateway();

it("a form that wants no proof is named, with the reason", async () => {
  const visit = await anna(gateway);
  gateway.clock.advance(11 * MINUTE);
  const forms = pagesOf("sandbox").filter(
    ({ method, site }) => method === "POST" && (site === "desk" || site === "cabinet"),
  );
  assert.ok(forms.length > 60, `${forms.length}`);
  const without: string[] = [];
  for (const { path } of forms) {
    const address = path.replace(/:\w+/g, "00000000-0000-4000-8000-000000000000");
    // It is asked before anything is looked at: an empty form is enough.
    const { location } = await visit.post(address, {});
    if (!location.startsWith("/prove?")) without.push(path);
  }
  assert.deepEqual(without.toSorted(), Object.keys(WITHOUT).toSorted());
});
