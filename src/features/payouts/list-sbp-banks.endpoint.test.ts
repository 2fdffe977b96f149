// GET /payoff/get-sbp-bank-list over HTTP, by status.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway } = await openOneGateway();

const list = (query: string, secret?: string) =>
  gateway.call(`/payoff/get-sbp-bank-list${query}`, {
    headers: { "x-api-signature-sha256": secret },
  });

describe("200", () => {
  it("lists all banks of the directory with the envelope's flags", async () => {
    const answer = await list(`?user_id=${USER.id}`, USER.secret);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body), ["data", "status", "status_check"]);
    assert.deepEqual(Object.keys(answer.body.data), ["banks"]);
    const { banks } = answer.body.data;
    assert.equal(banks.length, 192);
    assert.deepEqual(banks[0], { id: "100000000001", name: "Газпромбанк" });
    assert.equal(new Set(banks.map((bank: { id: string }) => bank.id)).size, 192);
  });

  it("takes the identifier in capital letters too", async () => {
    const answer = await list(`?user_id=${USER.id.toUpperCase()}`, USER.secret);
    assert.equal(answer.status, 200);
  });
});

describe("401", () => {
  for (const [name, id, secret] of [
    ["a wrong secret", USER.id, OTHER_USER.secret],
    ["no secret", USER.id, undefined],
    ["an unknown user", "00000000-0000-4000-8000-0000000000ff", USER.secret],
  ] as const) {
    it(name, async () => {
      const answer = await list(`?user_id=${id}`, secret);
      assert.equal(answer.status, 401);
      assert.equal(answer.body.status_check, false);
      assert.equal(answer.body.data, null);
    });
  }
});

describe("422", () => {
  it("the user id is missing", async () => {
    const answer = await list("", USER.secret);
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error, "The user id field is required.");
  });
  it("the user id is no UUID, also without a secret", async () => {
    const answer = await list("?user_id=42");
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error, "The user id field must be a UUID.");
  });
  it("the user id is given twice", async () => {
    const answer = await list(`?user_id=${USER.id}&user_id=${USER.id}`, USER.secret);
    assert.equal(answer.status, 422);
  });
});
