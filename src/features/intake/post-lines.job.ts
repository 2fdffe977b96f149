// Lines that a gateway of before has written down, and that are not in the books yet.

import type { App } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
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
    const ids = await linesToPost(tx, SET_SIZE);
    await postLines(tx, app, ids);
    return ids.length;
  });
}
