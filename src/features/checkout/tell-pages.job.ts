// Open payment pages hear within a second that something has changed, whichever process changed it.

import { job } from "../../platform/job.ts";
import { watchers } from "./watchers.ts";

export const tellPagesJob = job({
  name: "tell-pages",
  everyMs: 1_000,
  async run(app) {
    await watchers(app).look(app);
    return 0;
  },
});
