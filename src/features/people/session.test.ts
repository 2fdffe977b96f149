// Sessions: when they end, what renews them, and what an old or stolen one is good for.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { usePasskey, type Visitor, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { clock } = gateway;
const { anybody, withPasskey, atDesk, anyOther } = newcomers(gateway, own);
const HOUR = 3_600;

const tokenOf = (visit: Visitor): string => visit.jar.get("kopeck") ?? "";

describe("a session", () => {
  it("ends when it was left alone for an hour, and after twelve whatever is done", async () => {
    const { visit } = await withPasskey();
    clock.advance(HOUR - 60);
    assert.equal(await atDesk(visit), 200);
    clock.advance(HOUR - 60);
    assert.equal(await atDesk(visit), 200);
    clock.advance(HOUR + 1);
    assert.equal(await atDesk(visit), 303);
    const other = await withPasskey();
    for (let half = 1; half < 24; half += 1) {
      clock.advance(HOUR / 2);
      assert.equal(await atDesk(other.visit), 200, `${half}`);
    }
    clock.advance(HOUR / 2);
    assert.equal(await atDesk(other.visit), 303);
  });

  it("is left alone also while its open page goes on asking for what is new", async () => {
    const { visit } = await withPasskey();
    const byScript = { "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" };
    for (const status of [200, 200, 303]) {
      clock.advance(HOUR / 2 - 60);
      assert.equal((await visit.get("/desk", byScript)).status, status);
      clock.advance(60);
    }
  });

  it("has another token after every proof, and the old ones open nothing", async () => {
    const { visit, device } = await withPasskey();
    const first = tokenOf(visit);
    assert.match(first, /^[\w-]{32,}$/);
    const proven = await usePasskey(visit, device, "/prove?then=/desk");
    assert.deepEqual([proven.status, proven.location], [303, "/desk"]);
    assert.notEqual(tokenOf(visit), first);
    const thief = anybody();
    thief.jar.set("kopeck", first);
    assert.equal(await atDesk(thief), 303);
    assert.equal(await atDesk(visit), 200);
    await anyOther(visit).post("/sign-out");
    assert.equal(await atDesk(visit), 303, "it has ended for whoever has the token");
  });

  it("is ended by signing in once more in the same browser", async () => {
    const { visit, codes, email } = await withPasskey();
    const thief = anybody();
    thief.jar.set("kopeck", tokenOf(visit));
    assert.equal(await atDesk(thief), 200);
    const form = { email, password: "", code: codes[0] ?? "" };
    assert.equal((await visit.post("/sign-in", form)).status, 303);
    assert.equal(await atDesk(visit), 200);
    assert.equal(await atDesk(thief), 303);
  });

  it("is of no use at the desk as soon as the role is taken, and of none at all once disabled", async () => {
    const { visit, id } = await withPasskey();
    await own.post(`people/${id}`, { desk_role: "none" });
    const refused = await visit.get("/desk/transfers");
    assert.equal(refused.status, 403);
    assert.match(wordsIn(refused.text), /Nothing here is yours/);
    await own.post(`people/${id}`, { desk_role: "viewer" });
    assert.equal(await atDesk(visit), 200);
    await own.post(`people/${id}`, { disabled: true });
    assert.equal(await atDesk(visit), 303);
    await own.post(`people/${id}`, { disabled: false });
    assert.equal(await atDesk(visit), 303, "it has ended, and does not come back");
  });
});

it("what is stolen and older than ten minutes changes no way in", async () => {
  const { visit, device } = await withPasskey();
  clock.advance(601);
  for (const act of [
    "passkey",
    "password",
    "remove-passkey",
    "codes",
    "end-session",
    "end-others",
  ]) {
    const { status, location } = await visit.post(`/security/${act}`);
    assert.deepEqual([status, location], [303, "/prove?then=/security"], act);
  }
  assert.equal((await usePasskey(visit, device, "/prove")).status, 303);
  assert.equal((await visit.post("/security/codes")).status, 200);
});
