// Settles unknown payouts that a statement shows to have left.

import type { App } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import { recordAnswers } from "../payouts/attempts.ts";
import { PROVEN } from "../payouts/timeline.ts";
import { linesShowing, payoutsShown } from "./line-queries.ts";

const SET_SIZE = 200;

export const settlePayoutsJob = job({
  name: "settle-payouts",
  everyMs: 1_000,
  run,
  due: {
    nextAt: async () => undefined,
    async settle(app) {
      while ((await run(app)) > 0);
    },
  },
});

function run(app: App): Promise<number> {
  return app.db.transaction(async (tx) => {
    const shown = await payoutsShown(tx, SET_SIZE);
    const lines = await linesShowing(
      tx,
      shown.map(({ payoutId }) => payoutId),
    );
    const heard = await recordAnswers(
      tx,
      app,
      shown.map((key) => ({
        ...key,
        answer: { kind: "sent", proof: `${PROVEN} line ${lines.get(key.payoutId)}` },
      })),
    );
    // One that stood in line is unknown now, which contradicts what was said; the next look settles it.
    return heard.filter((one) => one === "taken" || one === "conflict").length;
  });
}
