// /manage/rails: who can send payouts, and the secret that is shown once.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";

const { gateway, own, trade } = await openOneGateway();
const wish = { code: "acquirer", url: "http://10.0.0.7:9400/rail", services: ["card"] };

it("200: added, with its secret shown once; the audit log has it without", async () => {
  const { answer, logged } = await trade.audited(() => own.post("rails", wish));
  const rail = {
    ...wish,
    kind: "http",
    paused: false,
    repeatable_seconds: 0,
    created_at: answer.rail.created_at,
  };
  assert.deepEqual(answer.rail, rail);
  assert.match(answer.secret, /^whsec_[\w+/]{43}=$/);
  assert.deepEqual(logged, ["rail.add", "acquirer", null, rail]);
  const { items } = await own.get("rails");
  assert.deepEqual(
    items.map(({ code, kind }: { code: string; kind: string }) => [code, kind]),
    [
      ["desk", "desk"],
      ["file", "file"],
      ["sandbox", "sandbox"],
      ["acquirer", "http"],
    ],
  );
});

it("200: changed, paused, given another secret while it is paused", async () => {
  const { answer, logged } = await trade.audited(() =>
    own.post("rails/acquirer", { services: ["sbp", "card"], repeatable_seconds: 60, paused: true }),
  );
  assert.deepEqual(answer.services, ["sbp", "card"]);
  assert.deepEqual(logged.slice(0, 2), ["rail.update", "acquirer"]);
  const rotated = await trade.audited(() => own.post("rails/acquirer/rotate-secret"));
  assert.match(rotated.answer.secret, /^whsec_/);
  assert.doesNotMatch(JSON.stringify(rotated.row), /whsec_/);
  await own.post("rails/acquirer", { paused: false });
  assert.equal((await own.post("rails/desk", { paused: true })).paused, true);
});

it("404, 422: what is not there, is no program, or cannot be", async () => {
  await trade.refusedWithoutTrace(404, [
    ["rails/nobody", { paused: true }],
    ["rails/nobody/rotate-secret", {}],
  ]);
  await trade.refusedWithoutTrace(422, [
    ["rails", wish],
    ["rails", { ...wish, code: "desk" }],
    ["rails", { ...wish, code: "Big" }],
    ["rails", { ...wish, code: "b", url: "ftp://x" }],
    // What it is asked would stand behind these, and be no path.
    ["rails", { ...wish, code: "b", url: "http://10.0.0.7/?token=x" }],
    ["rails", { ...wish, code: "b", url: "http://10.0.0.7/#rail" }],
    ["rails", { ...wish, code: "b", services: [] }],
    ["rails", { ...wish, code: "b", services: ["qiwi"] }],
    ["rails", { ...wish, code: "b", services: ["card", "card"] }],
    ["rails", { ...wish, code: "b", kind: "sandbox" }],
    ["rails/acquirer", { repeatable_seconds: -1 }],
    ["rails/desk", { url: wish.url }],
    ["rails/sandbox", { repeatable_seconds: 5 }],
    ["rails/acquirer/rotate-secret", {}],
    ["rails/desk/rotate-secret", {}],
  ]);
});

it("422: another address, or more time to repeat, while something that it was told of has not ended", async () => {
  const user = payouts(gateway, trade);
  await pauseRail(gateway);
  await user.earn();
  await own.post("rails", { code: "mid-flight", url: "http://127.0.0.1:9", services: ["card"] });
  const id = await user.made();
  await trade.pass(0);
  assert.equal(await user.state(id), "unknown");
  const code = (await own.get(`payouts/${id}`)).attempts[0].rail;
  for (const changes of [{ url: "http://127.0.0.1:10" }, { repeatable_seconds: 6_000 }]) {
    assert.equal((await own.refused(`rails/${code}`, changes))[0], 422, JSON.stringify(changes));
  }
  await own.post(`rails/${code}`, { paused: true, services: ["card", "sbp"] });
});
