// How an open page hears that it would show something else. GET /pay/{invoice}/changes: a stream that says
// "changed". GET /pay/{invoice}/standing, where there is no stream: one word for how it stands. What is asked
// again and again is a few bytes; the page itself is loaded when the word is another one.

import type { App } from "../../platform/app.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { webPage } from "../../platform/web-page.ts";
import { visitedStanding } from "./look-up.ts";
import { watchers } from "./tell-pages.job.ts";

const MAX_STREAMS_OF_INVOICE = 20;

export const watchPayment = webPage({
  method: "GET",
  path: "/pay/:invoice/changes",
  async answer(app: App, visit) {
    const found = await visitedStanding(app, visit);
    // One link must not take everybody's streams; its next pages ask for the standing instead.
    if (watchers(app).count(found.id) >= MAX_STREAMS_OF_INVOICE)
      throw new HttpFailure("overloaded");
    // How it stood when the page was made: what changed since then is told at the first look.
    const { from = "" } = visit.query;
    const tell = (send: (event: string) => void) => () => send("changed");
    return { kind: "stream", open: (send) => watchers(app).add(found.id, from, tell(send)) };
  },
});

export const askStanding = webPage({
  method: "GET",
  path: "/pay/:invoice/standing",
  async answer(app, visit) {
    return { kind: "text", text: (await visitedStanding(app, visit)).standing };
  },
});
