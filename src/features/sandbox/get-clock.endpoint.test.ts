// GET /sandbox/clock over HTTP.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";

onEachEngine("GET /sandbox/clock", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const read = (authorization: string) =>
    gateway.call("/sandbox/clock", { headers: { authorization } });

  it("200: the sandbox's time in the service's time zone", async () => {
    const answer = await read("Bearer sandbox_operator_token");
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.data, { now: "2026-03-01 12:00:00" });
    gateway.clock.advance(61);
    const later = await read("Bearer sandbox_operator_token");
    assert.deepEqual(later.body.data, { now: "2026-03-01 12:01:01" });
  });

  it("401: without the operator's token", async () => {
    assert.equal((await read("Bearer somebody")).status, 401);
  });
});
