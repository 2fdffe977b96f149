// How this process does, written down in its memory every minute.

import { job } from "../../platform/job.ts";
import { keepMinute } from "./minutes.ts";

export const keepMinutesJob = job({
  name: "keep-minutes",
  everyMs: 60_000,
  async run(app) {
    await keepMinute(app);
    return 0;
  },
});
