// One look for all open pages, and none where nobody looks.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pages } from "../../../test/pages.ts";
import type { App } from "../../platform/app.ts";
import { tellPagesJob, watchers } from "./tell-pages.job.ts";

const { gateway, own: operator } = await openOneGateway();

it("asks once for 300 pages, and not at all for none", async () => {
  const { link } = pages(gateway);
  const ids = await Promise.all(Array.from({ length: 300 }, () => link()));
  let asked = 0;
  const { db } = gateway.app;
  const query: typeof db.query = (text, values) => {
    asked += 1;
    return db.query(text, values);
  };
  const counting: App = { ...gateway.app, db: { ...db, query } };
  const own = watchers(counting);
  const heard: string[] = [];
  const ends = ids.map((id) => own.add(id, "created", () => heard.push(id)));
  await own.look(counting);
  assert.deepEqual([asked, heard.length], [1, 0]);
  await operator.post(`invoices/${ids[7]}/cancel`, { reason: "sold out" });
  await own.look(counting);
  assert.deepEqual([asked, heard], [2, [ids[7]]]);
  for (const end of ends) end();
  await own.look(counting);
  assert.equal(asked, 2);
  assert.equal(await tellPagesJob.run(gateway.app), 0);
});
