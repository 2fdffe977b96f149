// GET and POST /sandbox/clock: time passes, and what falls due on the way happens at its own moment.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { OPERATOR_TOKEN } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { coalesce } from "../../platform/coalesce.ts";
import { LockTimeout } from "../../platform/db-failure.ts";
import type { HotEndpoint } from "../../platform/endpoint.ts";
import { moveSandboxClock } from "./clock.endpoint.ts";

const { gateway } = await openOneGateway();
const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const read = () => gateway.call("/sandbox/clock", { headers });
const move = (advance_seconds: unknown) =>
  gateway.call("/sandbox/clock", { body: { advance_seconds }, headers });

it("200: moves time on, in the service's time zone, for GET too", async () => {
  assert.deepEqual((await read()).body.data, { now: "2026-03-01 12:00:00" });
  assert.equal((await move(0)).body.data.now, "2026-03-01 12:00:00");
  assert.equal((await move(90)).body.data.now, "2026-03-01 12:01:30");
  assert.equal((await read()).body.data.now, "2026-03-01 12:01:30");
});

it("200: lets everything due happen at its own moment, one after another", async () => {
  const receiver = await openReceiver();
  receiver.answer(500);
  const { body } = await createInvoice(gateway, { expire: 30, hook_url: receiver.url });
  await createH2h(gateway, body.data.id);
  await move(60 * 60);
  const rows = await gateway.app.db.query(
    `select invoices.state, payments.state as payment, events.body::json ->> 'reject_time' as told
     from invoices join payments on payments.invoice_id = invoices.id
     join events on events.invoice_id = invoices.id`,
  );
  const told = "2026-03-01 12:31:30";
  assert.deepEqual(rows, [{ state: "expired", payment: "lapsed", told }]);
  // At its expiry, 5 s and 5 min later; the next one is due only after the hour.
  assert.equal(receiver.received.length, 3);
  await receiver.close();
  await assertBooksAreRight(gateway);
});

it("time passes once, also where what falls due is in somebody else's hands at first", async () => {
  let tries = 0;
  const settle = async (): Promise<void> => {
    tries += 1;
    if (tries === 2) throw new LockTimeout(undefined);
  };
  const due = { nextAt: async () => undefined, settle };
  const job = { name: "held", everyMs: 1, run: async () => 0, due };
  const { handleSet } = moveSandboxClock([job]) as HotEndpoint;
  const ask = coalesce({
    run: (calls: Parameters<typeof handleSet>[1]) => handleSet(gateway.app, calls),
  });
  const before = gateway.app.clock.now().getTime();
  await ask({ input: { advance_seconds: 60 }, principal: undefined });
  assert.deepEqual([tries, gateway.app.clock.now().getTime() - before], [3, 60_000]);
});

it("422 for what is no time to come, or lies behind the end of time", async () => {
  for (const wrong of [-1, 1.5, "60", null, 400_000_000]) {
    const answer = await move(wrong);
    assert.equal(answer.status, 422, String(wrong));
    assert.match(answer.body.error, /advance seconds/);
  }
  const year = 365 * 24 * 60 * 60;
  gateway.clock.advance(6_974 * year);
  assert.equal((await move(0)).status, 200);
  const answer = await move(10 * year);
  assert.equal(answer.status, 422, answer.text);
  assert.match(answer.body.error, /9000/);
  assert.equal((await createInvoice(gateway)).status, 200);
});
