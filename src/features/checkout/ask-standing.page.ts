// GET /pay/{invoice}/standing: one word for how it stands, for an open page that has no stream. What is
// asked again and again is a few bytes; the page itself is loaded when the word is another one.

import { webPage } from "../../platform/web-page.ts";
import { visitedStanding } from "./look-up.ts";

export const askStanding = webPage({
  method: "GET",
  path: "/pay/:invoice/standing",
  async answer(app, visit) {
    return { kind: "text", text: (await visitedStanding(app, visit)).standing };
  },
});
