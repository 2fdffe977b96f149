// Lines that a gateway of before has written down, and that are not in the books yet.

import type { App } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import { holdRequisites } from "./balances.ts";
import { linesToPost } from "./line-queries.ts";
import { postLines } from "./post-lines.ts";

const SET_SIZE = 500;

export const postLinesJob = job({
  name: "post-lines",
  everyMs: 5_000,
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
    const lines = await linesToPost(tx, SET_SIZE);
    await holdRequisites(
      tx,
      lines.map(({ requisite_id }) => requisite_id),
    );
    await postLines(
      tx,
      app,
      lines.map(({ id }) => id),
    );
    return lines.length;
  });
}
