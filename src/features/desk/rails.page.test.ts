// Rails, payout tariffs and the banks of SBP at the desk.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, fieldsIn, wordsIn } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("adds a program whose secret is shown once, and pauses it", async () => {
  const rail = { code: "acquirer", url: "http://127.0.0.1:9400", services: ["card", "sbp"] };
  const added = await visit.fill("/desk/rails/new", "/desk/rails/new", rail);
  assert.match(added.text, /<code>whsec_/);
  const its = "/desk/rails/acquirer";
  await visit.post(its, { ...fieldsIn(await visit.open(its), its), paused: "true" });
  assert.match(wordsIn(await visit.open("/desk/rails")), /acquirer Program Card, SBP Paused/);
});

it("sets a payout tariff whole, and replaces the banks", async () => {
  const path = "/desk/payout-tariffs/set";
  const limits = { min_sum: "10", max_sum: "20", hold_over: "15", day_sum: "" };
  const terms = { service: "card", percent: "1", ...limits };
  const whole = await visit.fill(`${path}?service=card`, path, terms);
  assert.equal(whole.location, "/desk/rails", wordsIn(whole.text));
  const card = (await own.get("payout-tariffs")).items.find(
    (one: { service: string }) => one.service === "card",
  );
  assert.deepEqual([card.percent, card.hold_over, card.day_sum], [1, 15, null]);
  const banks = "/desk/sbp-banks/replace";
  await visit.fill(banks, banks, { banks: "1001\tFirst bank\n\n1002 Second" });
  assert.deepEqual((await own.get("sbp-banks")).items, [
    { id: "1001", name: "First bank" },
    { id: "1002", name: "Second" },
  ]);
  const torn = await visit.fill(banks, banks, { banks: "1001\tFirst bank\n1002\n" });
  assert.equal(torn.status, 422);
  assert.equal((await own.get("sbp-banks")).items.length, 2, "nor is the torn one's bank gone");
  // As many, and with as long names, as the door takes.
  const names = Array.from({ length: 1_000 }, (_, at) => `${at}\t${String(at).padStart(200, "ж")}`);
  const all = await visit.fill(banks, banks, { banks: names.join("\n") });
  assert.equal(all.status, 303, wordsIn(all.text));
  assert.equal((await own.get("sbp-banks")).items.length, 1_000);
});
