// GET /pay/{invoice}/changes: a stream that says "changed" when the page would show something else.

import type { App } from "../../platform/app.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { webPage } from "../../platform/web-page.ts";
import { visitedInvoice } from "./show-payment.page.ts";
import { watchers } from "./watchers.ts";

const MAX_STREAMS_OF_INVOICE = 20;

export const watchPayment = webPage({
  method: "GET",
  path: "/pay/:invoice/changes",
  async answer(app: App, visit) {
    const row = await visitedInvoice(app, visit);
    if (row === undefined) throw new HttpFailure("path_not_found");
    // One link must not take everybody's streams; its next pages ask again and again instead.
    if (watchers(app).count(row.id) >= MAX_STREAMS_OF_INVOICE) throw new HttpFailure("overloaded");
    // How it stood when the page was made: what changed since then is told at the first look.
    const { from = "" } = visit.query;
    const tell = (send: (event: string) => void) => () => send("changed");
    return { kind: "stream", open: (send) => watchers(app).add(row.id, from, tell(send)) };
  },
});
