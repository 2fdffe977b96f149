// A database that goes away and comes back: 503 meanwhile, and by itself as before afterwards.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { createInvoice, USER } from "./cast.ts";
import { call, onPostgres, testConfig } from "./gateway.ts";
import { type Cluster, findPostgres, startCluster } from "./postgres.ts";

onPostgres("a database that is away", () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster(findPostgres() ?? "");
  });
  after(() => cluster.remove());

  it("gives 503 with Retry-After on requests and /readyz, and is back when it returns", async () => {
    const config = testConfig({ databaseUrl: cluster.url("postgres") });
    const gateway = await startGateway({ config, log: openLog("silent") });
    const caller = {
      call: (...[path, options]: [string, Parameters<typeof call>[2]?]) =>
        call(gateway.url, path, options),
    };
    const balance = () =>
      caller.call(`/account/users/${USER.id}/balance`, {
        headers: { "x-api-signature-sha256": USER.secret },
      });
    assert.equal((await createInvoice(caller)).status, 200);
    assert.equal((await caller.call("/readyz")).status, 200);

    cluster.stop();
    for (const ask of [() => createInvoice(caller), balance, () => caller.call("/readyz")]) {
      const answer = await ask();
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get("retry-after"), "1");
      assert.deepEqual(Object.keys(answer.body), ["data", "error", "status", "status_check"]);
    }
    assert.equal((await caller.call("/healthz")).status, 200);

    await cluster.start();
    // A connection that broke while idle may still be noticed by one request.
    while ((await caller.call("/readyz")).status !== 200);
    assert.equal((await createInvoice(caller)).status, 200);
    assert.equal((await balance()).status, 200);
    await gateway.stop();
  });
});
