// Guessing: slow for whoever guesses, whatever they send at once, and nobody else is kept out by it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { PASSWORD, type Visitor } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { clock, app } = gateway;
const { anybody, withPassword, weaken } = newcomers(gateway, own);

describe("guessing", () => {
  it("waits after five wrong ones, longer each time, and begins anew after a right one", async () => {
    const { email, id, code } = await withPassword();
    await weaken(id);
    const guess = (form = {}) =>
      anybody().post("/sign-in", { email, password: "wrong", code: "1", ...form });
    const right = () => guess({ password: PASSWORD, code: code() });
    for (let wrong = 0; wrong < 5; wrong += 1) await guess();
    assert.equal((await right()).status, 401, "blocked for two seconds");
    clock.advance(3);
    await guess();
    clock.advance(3);
    assert.equal((await right()).status, 401, "blocked for four seconds");
    clock.advance(30);
    assert.equal((await right()).status, 303);
    clock.advance(60);
    await weaken(id);
    for (let wrong = 0; wrong < 4; wrong += 1) await guess();
    assert.equal((await right()).status, 303);
  });

  it("does not get more tries by sending them all at once", async () => {
    const { email, id, code } = await withPassword();
    await weaken(id);
    const [form, old] = [{ email, password: PASSWORD, code: "000000" }, code()];
    const all = await Promise.all(
      Array.from({ length: 20 }, () => anybody().post("/sign-in", form)),
    );
    assert.ok(all.every(({ status }) => status === 401));
    const [row] = await app.db.query<{ failures: number }>(
      "select failures from people where id = $1",
      [id],
    );
    assert.equal(row?.failures, 5);
    assert.equal((await anybody().post("/sign-in", { ...form, code: old })).status, 401);
  });

  it("hundreds from a hundred addresses lock nobody out of their own browser", async () => {
    const { visit, email, id, code } = await withPassword();
    await weaken(id);
    await visit.post("/sign-out");
    const guessers = Array.from({ length: 100 }, anybody);
    const statuses = new Set<number>();
    for (let round = 0; round < 3; round += 1) {
      clock.advance(60);
      // 34 may be under way or wait at once.
      for (let from = 0; from < 100; from += 25) {
        const some = guessers.slice(from, from + 25);
        const form = { email, password: `guess number ${round} ${from}`, code: "123456" };
        for (const { status } of await Promise.all(some.map((one) => one.post("/sign-in", form)))) {
          statuses.add(status);
        }
      }
    }
    assert.deepEqual([...statuses], [401]);
    const [row] = await app.db.query<{ blocked: boolean }>(
      "select blocked_until > $2 as blocked from people where id = $1",
      [id, clock.now()],
    );
    assert.equal(row?.blocked, true);
    const form = { email, password: PASSWORD, code: code() };
    assert.equal(
      (await anybody().post("/sign-in", form)).status,
      401,
      "a browser that nobody knows",
    );
    assert.equal((await visit.post("/sign-in", form)).status, 303, "their own");
  });

  it("a right recovery code opens while others' guesses make everybody wait, in any browser", async () => {
    const { visit, email, id, codes } = await withPassword();
    await weaken(id);
    await visit.post("/sign-out");
    const guess = (by: Visitor, form = {}) =>
      by.post("/sign-in", { email, password: "wrong", code: "1", ...form });
    const block = async () => {
      for (let wrong = 0; wrong < 6; wrong += 1) await guess(anybody());
    };
    await block();
    const right = { password: PASSWORD, code: codes[0] ?? "" };
    assert.equal((await guess(visit, right)).status, 303, "their own browser");
    await block();
    assert.equal((await guess(anybody(), right)).status, 401, "each code opens once");
    const other = { password: PASSWORD, code: codes[1] ?? "" };
    assert.equal((await guess(anybody(), other)).status, 303, "another browser");
    await block();
    const found = { password: "a guess at it", code: codes[2] ?? "" };
    assert.equal((await guess(anybody(), found)).status, 401);
    const spent = { password: PASSWORD, code: codes[2] ?? "" };
    assert.equal(
      (await guess(anybody(), spent)).status,
      401,
      "who found the paper has ten guesses",
    );
  });

  it("from a known browser it is slow as well, and from one address", async () => {
    const { visit, email, id, code } = await withPassword();
    await weaken(id);
    const guess = (by: Visitor, form = {}) =>
      by.post("/sign-in", { email, password: "wrong", code: "1", ...form });
    for (let wrong = 0; wrong < 10; wrong += 1) await guess(visit);
    const right = { password: PASSWORD, code: code() };
    assert.equal((await guess(visit, right)).status, 401);
    const one = anybody();
    for (let wrong = 0; wrong < 20; wrong += 1) await one.post("/sign-in/passkey");
    const refused = await one.post("/sign-in/passkey");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "3"]);
    clock.advance(3);
    assert.equal((await one.post("/sign-in/passkey")).status, 401);
  });
});
