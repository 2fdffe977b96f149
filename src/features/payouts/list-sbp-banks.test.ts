// GET /payoff/get-sbp-bank-list: the whole directory. Secrets and identifiers are asked of every endpoint
// alike by test/contract.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway } = await openOneGateway();

it("200: lists all banks of the directory", async () => {
  const headers = { "x-api-signature-sha256": USER.secret };
  const path = `/payoff/get-sbp-bank-list?user_id=${USER.id}`;
  const { data } = (await gateway.call(path, { headers })).body;
  assert.deepEqual(Object.keys(data), ["banks"]);
  assert.deepEqual(data.banks[0], { id: "100000000001", name: "Газпромбанк" });
  assert.equal(new Set(data.banks.map((bank: { id: string }) => bank.id)).size, 192);
});
