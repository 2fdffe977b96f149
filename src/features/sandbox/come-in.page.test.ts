// Anna, whom everybody is in a sandbox, and who is nobody where there is real money.

import assert from "node:assert/strict";
import { it } from "node:test";
import { ENGINES } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, visitor, wordsIn } from "../../../test/people.ts";

const { gateway } = await openOneGateway();

it("comes in by one button, again in the same browser, and proves by another", async () => {
  const page = await visitor(gateway).open("/sign-in");
  assert.match(wordsIn(page), /Come in as Anna/);
  const visit = await anna(gateway);
  assert.equal((await visit.get("/desk/transfers")).status, 200);
  await visit.post("/sign-out");
  assert.equal((await visit.post("/sign-in/sandbox", { then: "/desk" })).location, "/desk");
  gateway.clock.advance(601);
  assert.equal((await visit.post("/security/codes")).location, "/prove?then=/security");
  const before = visit.jar.get("kopeck");
  assert.equal((await visit.post("/prove/sandbox", { then: "/security" })).location, "/security");
  assert.notEqual(visit.jar.get("kopeck"), before);
  assert.equal((await visit.post("/security/codes")).status, 200);
  assert.equal((await visitor(gateway).post("/prove/sandbox")).location, "/sign-in");
});

const skip = !ENGINES.includes("postgres") && "live mode needs PostgreSQL";
it("is not there in live mode: no button, no door, no person", { skip }, async () => {
  const { gateway: live } = await openOneGateway({ mode: "live", baseUrl: "https://pay.example" });
  const visit = visitor(live);
  assert.doesNotMatch(await visit.open("/sign-in"), /sandbox/i);
  assert.equal((await visit.post("/sign-in/sandbox")).status, 404);
  assert.equal((await visit.post("/prove/sandbox")).status, 404);
  assert.deepEqual(await live.app.db.query("select id from people"), []);
});
