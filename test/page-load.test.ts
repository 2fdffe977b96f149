// What strangers can make the payment page cost: nobody who looks at it has a key. Views that arrive
// together share their look-ups, the code for the phone is no part of a view, and one address is slowed
// down before it disturbs others, while a payer who does what payers do never meets that bound.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { it, type TestContext } from "node:test";
import { createInvoice, invoiceBody, LINK_SHOP, SHOP } from "./cast.ts";
import { assertSuccess, failureOf } from "./contract-doors.ts";
import type { Answer } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";

const AT_ONCE = 64;
const BURST = 600;
const PER_SECOND = 30;
const PARALLEL = 20;

/** The statements of a view: the invoice, the tariffs, the banks. */
const LOOKS = /shop_name|default_tariffs|p2p_sbp/;

const { gateway } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });

const link = async (): Promise<string> => {
  const changes = { include_service: ["p2p_card"], type: "link" };
  return (await createInvoice(gateway, changes, LINK_SHOP)).body.data.id;
};
const issued = async (): Promise<string> => {
  const id = await link();
  const body = new URLSearchParams({ service: "p2p_card", bank: "sber" });
  const options = { method: "POST", redirect: "manual", body } as const;
  assert.equal((await fetch(`${gateway.url}/pay/${id}`, options)).status, 303);
  return id;
};
const visit = (path: string, address: string, accept = "text/html"): Promise<Answer> =>
  gateway.call(path, { headers: { accept, "x-forwarded-for": address } });

/** The views all arrive while the first look-up is still on its way. */
const viewTogether = async (t: TestContext, ids: readonly string[]): Promise<string[]> => {
  const { db } = gateway.app;
  const query = db.query.bind(db);
  let arrived = 0;
  const allArrived = new Promise<void>((resolve) => {
    gateway.server.server.on("request", () => {
      arrived += 1;
      if (arrived === ids.length) resolve();
    });
  });
  const looks: string[] = [];
  t.mock.method(db, "query", async (text: string, values: readonly unknown[]) => {
    if (LOOKS.test(text)) {
      looks.push(text);
      await allArrived;
    }
    return query(text, values);
  });
  const pages = await Promise.all(ids.map((id) => visit(`/pay/${id}`, "203.0.113.1")));
  for (const [index, { status, text }] of pages.entries()) {
    assert.equal(status, 200);
    assert.ok(text.includes(`/pay/${ids[index]}`));
  }
  return looks;
};

it(`${AT_ONCE} views of one page at once share their look-up with three others each`, async (t) => {
  const id = await issued();
  const looks = await viewTogether(
    t,
    Array.from({ length: AT_ONCE }, () => id),
  );
  assert.ok(looks.length <= AT_ONCE / 4 + 1, `${looks.length} statements`);
});

const ask = async (count: number, path: string, address: (index: number) => string) => {
  const statuses: number[] = [];
  const reader = async (_: unknown, first: number): Promise<void> => {
    for (let index = first; index < count; index += PARALLEL) {
      statuses.push((await visit(path, address(index))).status);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, reader));
  return statuses;
};
const times = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length;

it("views from one address are 429 with Retry-After past a bound, in words that a person reads", async () => {
  const id = await issued();
  const statuses = await ask(BURST + 5, `/pay/${id}`, () => "203.0.113.3");
  assert.deepEqual([times(statuses, 200), times(statuses, 429)], [BURST, 5]);
  const refused = (part: string, accept?: string) =>
    visit(`/pay/${id}${part}`, "203.0.113.3", accept);
  const startedAt = performance.now();
  const [page, data, form, ...others] = await Promise.all([
    refused(""),
    refused("", "application/json"),
    fetch(`${gateway.url}/pay/${id}`, {
      method: "POST",
      body: new URLSearchParams({ service: "p2p_card", bank: "tinkoff" }),
      headers: { "x-forwarded-for": "203.0.113.3" },
    }),
    // A stream, a poll and a picture are of the same bucket.
    ...["/changes", "/standing", "/code.svg"].map((part) => refused(part)),
  ]);
  // So that nobody can ask in a tight loop.
  assert.ok(performance.now() - startedAt > 900);
  assert.equal(page.status, 429);
  assert.equal(page.headers.get("retry-after"), "1");
  assert.match(page.text, /<h1>This did not work<\/h1><p>Too many requests from your address/);
  failureOf(data, 429);
  assert.deepEqual(
    [form, ...others].map(({ status }) => status),
    [429, 429, 429, 429],
  );
  // A connection that asks ahead of its answers is closed.
  const ahead = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1" });
  ahead.write(
    `GET /pay/${id} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.3\r\n\r\n`.repeat(2),
  );
  assert.equal(await text(ahead), "");
  // Others notice nothing: not a payer at another address, not a shop at the same one.
  assert.equal((await visit(`/pay/${id}`, "203.0.113.4")).status, 200);
  const headers = { "x-api-key": SHOP.key, "x-forwarded-for": "203.0.113.3" };
  assertSuccess(await gateway.call("/invoice/create", { body: invoiceBody(), headers }));
  // After the time that was asked for there is room again.
  gateway.clock.advance(1);
  const later = await ask(PER_SECOND + 1, `/pay/${id}`, () => "203.0.113.3");
  assert.deepEqual([times(later, 200), times(later, 429)], [PER_SECOND, 1]);
});
