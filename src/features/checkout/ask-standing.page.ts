// GET /pay/{invoice}/standing: one word for how it stands, for an open page that has no stream. What is
// asked again and again is a few bytes; the page itself is loaded when the word is another one.

import { HttpFailure } from "../../platform/failure.ts";
import { webPage } from "../../platform/web-page.ts";
import { visitedStanding } from "./look-up.ts";

export const askStanding = webPage({
  method: "GET",
  path: "/pay/:invoice/standing",
  async answer(app, visit) {
    const found = await visitedStanding(app, visit);
    if (found === undefined) throw new HttpFailure("path_not_found");
    return { kind: "text", text: found.standing };
  },
});
