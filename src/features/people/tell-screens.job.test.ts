// Open pages hear that something is new, and only those that asked for it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna } from "../../../test/people.ts";
import type { SessionRow } from "./nouns.ts";
import { screenWatchers, tellScreensJob } from "./tell-screens.job.ts";

const { gateway } = await openOneGateway();
// The gateway's own job looks for those of its own.
const app = { ...gateway.app, memory: new Map() };
await anna(gateway);
const [session] = await app.db.query<SessionRow>("select * from sessions", []);
assert.ok(session);
const who = { end() {}, visitor: { session, mark: "one", audience: async () => ["one"] } };

it("who watches a topic hears of it once; who left hears nothing; a look that fails stops nobody", async () => {
  const news: Record<string, string> = { invoices: "1", events: "1" };
  const heard: string[] = [];
  const watchers = screenWatchers(app);
  let looks = 0;
  const look = async () => {
    looks += 1;
    return { ...news };
  };
  const listen = (name: string, ...topics: string[]) =>
    watchers.add("all", look, { ...who, topics, tell: () => heard.push(name) });
  const ends = [listen("a", "invoices"), listen("b", "events"), listen("c", "invoices", "events")];
  ends.push(
    watchers.add("broken", () => Promise.reject(new Error("away")), {
      ...who,
      topics: ["events"],
      tell: () => heard.push("broken"),
    }),
  );
  await tellScreensJob.run(app);
  assert.deepEqual([heard, looks], [[], 1]);
  news["invoices"] = "2";
  await tellScreensJob.run(app);
  await tellScreensJob.run(app);
  assert.deepEqual([heard, looks], [["a", "c"], 3]);
  ends[0]?.();
  news["invoices"] = "3";
  await tellScreensJob.run(app);
  assert.deepEqual(heard, ["a", "c", "c"]);
  for (const end of ends) end();
  await tellScreensJob.run(app);
  assert.equal(looks, 4);
});
