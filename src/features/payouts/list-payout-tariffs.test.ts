// GET /payoff/tariffs: what payouts cost, as the operator has set it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { payouts } from "../../../test/payouts.ts";

const { gateway, trade } = await openOneGateway();

it("200: each service with its fee and limits", async () => {
  const { body } = await payouts(gateway, trade).tariffs();
  const limits = { min_sum: 10, max_sum: 100_000, day_sum: 1_000_000, day_count: 10_000 };
  assert.deepEqual(body.data.tariffs, [
    { service: "card", currency: "RUB", percent: 2, fix: 0, ...limits, enabled: true },
    { service: "sbp", currency: "RUB", percent: 0.5, fix: 10, ...limits, enabled: true },
  ]);
});
