// Letters leave by themselves, a moment after what they tell of; nobody waits for the mail server.

import { job } from "../../platform/job.ts";
import { countWaitingLetters, sendLetters } from "../../platform/mail.ts";

export const sendLettersJob = job({
  name: "send-letters",
  everyMs: 1_000,
  run: sendLetters,
  async finish(app) {
    const lost = countWaitingLetters(app);
    if (lost > 0) app.log.warn({ lost }, "letters were not sent: links can be made anew");
  },
});
