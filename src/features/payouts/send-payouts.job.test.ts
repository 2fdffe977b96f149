// Payouts through the sandbox's rail: every ending that there is, told by the number that the money goes to.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE } from "../../../test/orders.ts";
import { cardEndingIn, pauseRail, payouts, resumeRail } from "../../../test/payouts.ts";

const { gateway, trade } = await openOneGateway();
const user = payouts(gateway, trade);
await user.earn(10);
afterEach(() => assertBooksAreRight(gateway));

const DAYS = 24 * HOUR;

/** The last digits, and each state after so many seconds more. */
const ENDINGS: readonly (readonly [
  digits: string,
  states: readonly (readonly [number, string])[],
])[] = [
  ["00", [[0, "done"]]],
  ["01", [[0, "done"]]],
  ["02", [[0, "failed"]]],
  [
    "03",
    [
      [0, "sending"],
      [10, "sending"],
      [60, "done"],
    ],
  ],
  [
    "04",
    [
      [0, "unknown"],
      [9, "unknown"],
      [1, "done"],
    ],
  ],
  [
    "05",
    [
      [0, "unknown"],
      [10, "failed"],
    ],
  ],
  [
    "06",
    [
      [0, "done"],
      [HOUR - 1, "done"],
      [1, "returned"],
    ],
  ],
  ["07", [[0, "done"]]],
  [
    "08",
    [
      [0, "unknown"],
      [10 + MINUTE, "unknown"],
      [DAYS, "unknown"],
    ],
  ],
];

for (const [digits, states] of ENDINGS) {
  it(`…${digits}: ${states.map(([, state]) => state).join(", ")}`, async () => {
    const [before = 0] = await trade.balance();
    const id = await user.made({ wallet_to: cardEndingIn(digits), amount: 100, subtract: 1 });
    for (const [seconds, state] of states) {
      await trade.pass(seconds);
      assert.equal(await user.state(id), state, `after ${seconds} s`);
    }
    const { data } = (await user.info(id)).body;
    const last = states.at(-1)?.[1];
    const [after = 0] = await trade.balance();
    // What left, with its fee; of what came back the fee is kept.
    const taken = last === "failed" ? 0 : last === "returned" ? 200 : 10_200;
    assert.equal(before - after, taken);
    const reference = last === "done" || last === "returned" ? `sandbox-${id}.1` : null;
    assert.equal(data.bank_reference, reference);
    const errors: Record<string, string> = {
      "02": "recipient_not_found",
      "05": "not_sent_after_all",
      "06": "returned_by_bank",
    };
    assert.equal(data.error_message, errors[digits] ?? null);
  });
}

it("a rail that is paused is given nothing, and goes on where it was", async () => {
  await pauseRail(gateway);
  const id = await user.made();
  await trade.pass(DAY);
  assert.equal(await user.state(id), "queued");
  await resumeRail(gateway);
  await trade.pass(0);
  assert.equal(await user.state(id), "done");
});

it("more than it has places for leave all the same, each once", async () => {
  const ids = await Promise.all(
    Array.from({ length: 40 }, () => user.made({ amount: 10, wallet_to: cardEndingIn("01") })),
  );
  await trade.pass(0);
  for (const id of ids) assert.equal(await user.state(id), "done");
  const [{ count }] = (await gateway.app.db.query<{ count: bigint }>(
    "select count(*) from payout_attempts where payout_id = any($1::uuid[])",
    [ids],
  )) as [{ count: bigint }];
  assert.equal(Number(count), ids.length);
});
