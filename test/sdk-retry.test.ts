// What the SDK repeats and what it never does, on a server that fails as it is told. Nothing sleeps:
// the waiting is recorded.

import assert from "node:assert/strict";
import { after, beforeEach, it } from "node:test";
import {
  KopeckError,
  type ManagementClient,
  managementClient,
  merchantClient,
} from "../sdk/src/index.ts";
import { openScriptedServer, type Scripted } from "./scripted-server.ts";

const invoice = {
  amount: 100,
  order_id: "1",
  include_service: ["p2p_card"],
  type: "direct",
} as const;
const arrival = { wallet: "1", amount: 1, reference: "bank-1" };
const refusing = (status: number, headers: Record<string, string> = {}): Scripted => ({
  status,
  headers,
  body: { data: null, error: "Not now.", status, status_check: false },
});

interface TransferDoors {
  "POST /manage/transfers": { input: { amount: number; reference?: string }; data: unknown };
}

const server = await openScriptedServer();
after(() => server.close());
let waitsMs: number[] = [];
beforeEach(() => {
  waitsMs = [];
});

const options = {
  baseUrl: server.url,
  timeoutMs: 5_000,
  wait: async (ms: number) => void waitsMs.push(ms),
};
const shop = (more: object = {}) =>
  merchantClient({ ...options, shopId: "s", shopKey: "k", ...more });
const operator = (more: object = {}) => managementClient({ ...options, token: "t", ...more });
const transfers = () => operator() as unknown as ManagementClient<TransferDoors>;

const payout = { service: "card", wallet_to: "2200000000000301", amount: 100 } as const;
const user = () => shop({ userId: "u", userSecret: "s" });
const refund = { invoice_id: "i", amount: 1, reason: "came back" };
const safe = {
  "GET of a shop": () => shop().paymentTariffs(),
  "GET of the operator": () => operator().get("/sandbox/clock"),
  "POST /invoice/create": () => shop().createInvoice(invoice),
  "POST /invoice/h2h": () =>
    shop().createH2hPayment({ invoice_id: "i", payment_data: { bank: "sber" } }),
  "POST /invoice/cancel": () => shop().cancelInvoice({ order_id: "order-1" }),
  "POST /manage/transfers with a reference": () =>
    transfers().post("/manage/transfers", { amount: 1, reference: "bank-1" }),
  "POST /manage/transfers with a list": () =>
    operator().post("/manage/transfers", { items: [arrival] }),
  "POST /manage/refunds with a reference": () =>
    operator().post("/manage/refunds", { ...refund, reference: "ticket-1" }),
  "POST /payoff/create with an order id": () =>
    user().createPayout({ ...payout, order_id: "payout-1" }),
  "POST /payoff/cancel": () => user().cancelPayout({ order_id: "payout-1" }),
  "POST /manage/payouts with an order id": () =>
    operator().post("/manage/payouts", { ...payout, user_id: "u", order_id: "payout-1" }),
  "POST /cabinet/refunds with a reference": () =>
    operator().post("/cabinet/refunds", { ...refund, reference: "ticket-1" }),
  "POST /cabinet/payouts with an order id": () =>
    operator().post("/cabinet/payouts", { ...payout, order_id: "payout-1" }),
  "POST /cabinet/invoices with an order id": () =>
    operator().post("/cabinet/invoices", { shop_id: "s", amount: 1, order_id: "order-1" }),
};
const unsafe = {
  "POST /sandbox/transfers": () => operator().post("/sandbox/transfers", arrival),
  "POST /sandbox/clock": () => operator().post("/sandbox/clock", { advance_seconds: 1 }),
  "POST /manage/transfers without a reference": () =>
    transfers().post("/manage/transfers", { amount: 1 }),
  "POST /manage/refunds without a reference": () => operator().post("/manage/refunds", refund),
  "POST /payoff/create without an order id": () => user().createPayout(payout),
  "POST /payoff/create with an empty order id": () =>
    user().createPayout({ ...payout, order_id: "" }),
  "POST /manage/payouts without an order id": () =>
    operator().post("/manage/payouts", { ...payout, user_id: "u" }),
  "POST /cabinet/refunds without a reference": () => operator().post("/cabinet/refunds", refund),
  "POST /cabinet/payouts without an order id": () => operator().post("/cabinet/payouts", payout),
  "POST /cabinet/invoices without an order id": () =>
    operator().post("/cabinet/invoices", { shop_id: "s", amount: 1 }),
};
const passing: [string, Scripted][] = [
  ["a cut line", "cut the line"],
  ...[429, 502, 503, 504].map((status): [string, Scripted] => [`${status}`, refusing(status)]),
  ["a proxy's 502", { status: 502, body: "<html>" }],
];

for (const [name, call] of Object.entries(safe)) {
  it(`${name} is repeated, the same each time`, async () => {
    for (const [, failure] of passing) {
      server.plays(failure, failure, {});
      assert.deepEqual(await call(), {});
      assert.equal(server.asked.length, 3);
      const [first, ...later] = server.asked.map(({ method, url, body }) => method + url + body);
      assert.deepEqual(later, [first, first]);
    }
    assert.equal(waitsMs.length, passing.length * 2);
  });
}

for (const [name, call] of Object.entries(unsafe)) {
  it(`${name} is never repeated`, async () => {
    for (const [what, failure] of passing) {
      server.plays(failure, {});
      await assert.rejects(call(), KopeckError, what);
      assert.equal(server.asked.length, 1, what);
    }
    assert.deepEqual(waitsMs, []);
  });
}

it("answers that will not change are not asked for again", async () => {
  for (const status of [301, 400, 401, 404, 405, 413, 415, 422, 500]) {
    server.plays(refusing(status), {});
    await assert.rejects(shop().paymentTariffs(), { kind: "refusal", status });
    assert.equal(server.asked.length, 1, String(status));
  }
});

it("ends after the last repetition with the last failure", async () => {
  server.plays(refusing(503), "cut the line", refusing(502));
  await assert.rejects(shop().paymentTariffs(), { status: 502, messages: ["Not now."] });
  assert.equal(server.asked.length, 3);
  server.plays(refusing(503));
  await assert.rejects(shop({ maxRetries: 0 }).paymentTariffs(), { status: 503 });
  assert.equal(server.asked.length, 1);
  server.plays(refusing(503));
  await assert.rejects(shop({ maxRetries: 5 }).paymentTariffs(), { status: 503 });
  assert.equal(server.asked.length, 6);
});

it("whoever is not let in any more is not told that what had no answer was not done", async () => {
  const asked = { order_id: "1", ...payout };
  for (const status of [401, 403, 429]) {
    server.plays("cut the line", refusing(status, { "x-kopeck-error": "unauthorized" }));
    await assert.rejects(user().createPayout(asked), (error) => {
      assert.ok(error instanceof KopeckError);
      assert.deepEqual([error.kind, error.status], ["network", undefined], `${status}`);
      assert.deepEqual(error.messages, ["There was no answer.", "Not now."]);
      assert.ok(error.cause instanceof KopeckError && error.cause.status === status);
      return true;
    });
  }
  server.plays(refusing(503), refusing(401));
  await assert.rejects(user().createPayout(asked), { kind: "refusal", status: 503 });
  // What is refused for what it asks for was not done before either: else it would be told again.
  server.plays("cut the line", refusing(422));
  await assert.rejects(user().createPayout(asked), { kind: "refusal", status: 422 });
});

it("a repetition that is refused says that an attempt before it had no answer, and may still arrive", async () => {
  server.plays("cut the line", refusing(422, { "x-kopeck-error": "balance_too_small" }));
  await assert.rejects(user().createPayout({ order_id: "1", ...payout }), (error) => {
    assert.ok(error instanceof KopeckError);
    const { kind, status, code, messages, cause } = error;
    assert.deepEqual([kind, status, code], ["refusal", 422, "balance_too_small"]);
    assert.deepEqual(messages, ["Not now."]);
    assert.ok(cause instanceof KopeckError && cause.kind === "network");
    return true;
  });
  server.plays(refusing(422));
  await assert.rejects(
    user().createPayout({ order_id: "1", ...payout }),
    (error) => error instanceof KopeckError && error.cause === undefined,
  );
});

it("waits longer each time, never exactly as long", async () => {
  server.plays("cut the line");
  for (let turn = 0; turn < 2; turn += 1) {
    await assert.rejects(shop({ maxRetries: 8 }).paymentTariffs(), { kind: "network" });
  }
  const bounds = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000];
  for (const [index, longest] of [...bounds, ...bounds].entries()) {
    const ms = waitsMs[index] ?? 0;
    assert.ok(ms >= longest / 2 && ms <= longest, `${index}: ${ms}`);
  }
  assert.notDeepEqual(waitsMs.slice(0, 8), waitsMs.slice(8));
});

it("waits at least as long as it is asked to, in seconds or until a date", async () => {
  server.plays(refusing(503, { "retry-after": "3" }), {});
  await shop().paymentTariffs();
  const soon = new Date(Date.now() + 50_000).toUTCString();
  server.plays(refusing(429, { "retry-after": soon }), {});
  await shop().paymentTariffs();
  const [first = 0, second = 0] = waitsMs;
  assert.ok(first >= 3_000 && first < 4_000, String(first));
  assert.ok(second >= 30_000 && second <= 51_000, String(second));
});

it("leaves a wait of over a minute to the caller", async () => {
  server.plays(refusing(429, { "retry-after": "61" }), {});
  await assert.rejects(shop().paymentTariffs(), { status: 429, retryAfterSeconds: 61 });
  assert.equal(server.asked.length, 1);
});

it("a request without an answer ends in time, and is repeated if that is safe", async (test) => {
  /** Stays without an answer until it is aborted. */
  const nowhere: typeof fetch = (_, { signal } = {}) =>
    new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  const ended = shop({ timeoutMs: 50, maxRetries: 0, fetch: nowhere }).paymentTariffs();
  await assert.rejects(ended, { kind: "timeout" });
  // On a busy machine a request may take longer than that to arrive: its time is over once it has.
  test.mock.method(AbortSignal, "timeout", (ms: number) => {
    assert.equal(ms, 500);
    const ending = new AbortController();
    const look = (): void => {
      if (server.asked.length === 0) setImmediate(look);
      else ending.abort(new DOMException("The time is over.", "TimeoutError"));
    };
    if (server.asked.length === 0) look();
    return ending.signal;
  });
  server.plays("say nothing", {});
  assert.deepEqual(await shop({ timeoutMs: 500 }).paymentTariffs(), {});
  assert.equal(server.asked.length, 2);
  server.plays("say nothing", {});
  const clock = operator({ timeoutMs: 500 }).post("/sandbox/clock", { advance_seconds: 1 });
  await assert.rejects(clock, { kind: "timeout", status: undefined });
  assert.equal(server.asked.length, 1);
});

it("a signal ends the call and the waiting, with its own reason", async () => {
  const reason = new Error("The payer closed the page.");
  server.plays("say nothing");
  const leaving = new AbortController();
  const ends = assert.rejects(shop().paymentTariffs({ signal: leaving.signal }), reason);
  // On its way it could arrive later, and be taken for one of the next call's.
  while (server.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  leaving.abort(reason);
  await ends;
  assert.equal(server.asked.length, 1);

  server.plays(refusing(503, { "retry-after": "50" }));
  const second = new AbortController();
  const waiting = shop({ wait: undefined }).paymentTariffs({ signal: second.signal });
  setTimeout(() => second.abort(reason), 100);
  await assert.rejects(waiting, reason);
  assert.ok(server.asked.length <= 1);

  // Not wrapped either where the caller's own fetch was ended, or no reason was named.
  const own = new DOMException("The page is gone.", "AbortError");
  const ended = shop({ fetch: () => Promise.reject(own) }).paymentTariffs();
  await assert.rejects(ended, (error) => error === own);
  const unnamed = shop().paymentTariffs({ signal: AbortSignal.abort() });
  await assert.rejects(unnamed, { name: "AbortError" });
});

it("an event of the feed that is none is unreadable", async () => {
  const data = { events: [{ body: "{" }], next: "1", more: false };
  server.plays({ body: { data, status: 200, status_check: true } });
  await assert.rejects(shop().events({ wait: 0 }).next(), { kind: "unreadable" });
});
