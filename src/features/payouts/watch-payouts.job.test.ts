// Payouts that have not ended are seen in the metrics, and for how long nobody has known of the oldest.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR } from "../../../test/orders.ts";
import { cardEndingIn, pauseRail, payouts } from "../../../test/payouts.ts";
import { watchPayoutsJob } from "./watch-payouts.job.ts";

const { gateway, trade } = await openOneGateway();
const user = payouts(gateway, trade);

const figures = async (): Promise<number[]> => {
  assert.equal(await watchPayoutsJob.run(gateway.app), 0);
  const text = await gateway.app.metrics.text();
  const of = (name: string): number =>
    Number(new RegExp(`^${RegExp.escape(name)} (.*)$`, "m").exec(text)?.[1]);
  return [
    ...["held", "queued", "sending", "unknown"].map((state) =>
      of(`kopeck_payouts{state="${state}"}`),
    ),
    of("kopeck_payout_unknown_seconds"),
    of("kopeck_payout_queued_seconds"),
    of("kopeck_payout_held_seconds"),
    of('kopeck_payout_conflicts_total{rail="sandbox"}'),
    of("kopeck_lines_unexplained_total"),
  ];
};

it("counts those in each state; the age of the oldest unknown of the first in line and of what is held grow", async () => {
  await user.earn(1, 90_000);
  assert.deepEqual(await figures(), [0, 0, 0, 0, 0, 0, 0, 0, 0]);
  await user.made({ wallet_to: cardEndingIn("08") });
  await user.made({ wallet_to: cardEndingIn("03") });
  await trade.pass(0);
  await pauseRail(gateway);
  await user.made();
  await user.made({ amount: 60_000 });
  assert.deepEqual(await figures(), [1, 1, 1, 1, 0, 0, 0, 0, 0]);
  await trade.pass(HOUR);
  assert.deepEqual(await figures(), [1, 1, 0, 1, HOUR, HOUR, HOUR, 0, 0]);
});
