// GET and POST /sandbox/clock over HTTP: time passes, and what falls due on the way happens at its own moment.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { openReceiver } from "../../../test/receiver.ts";

const OPERATOR = { authorization: "Bearer sandbox_operator_token" };

onEachEngine("GET /sandbox/clock", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const read = (authorization: string) =>
    gateway.call("/sandbox/clock", { headers: { authorization } });

  it("200: the sandbox's time in the service's time zone", async () => {
    const answer = await read("Bearer sandbox_operator_token");
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.data, { now: "2026-03-01 12:00:00" });
    gateway.clock.advance(61);
    const later = await read("Bearer sandbox_operator_token");
    assert.deepEqual(later.body.data, { now: "2026-03-01 12:01:01" });
  });

  it("401: without the operator's token", async () => {
    assert.equal((await read("Bearer somebody")).status, 401);
  });
});

onEachEngine("POST /sandbox/clock", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const move = (advance_seconds: unknown, headers: Record<string, string> = OPERATOR) =>
    gateway.call("/sandbox/clock", { body: { advance_seconds }, headers });

  describe("200", () => {
    it("moves time on, for GET too, and never back", async () => {
      assert.equal((await move(0)).body.data.now, "2026-03-01 12:00:00");
      assert.equal((await move(90)).body.data.now, "2026-03-01 12:01:30");
      const read = await gateway.call("/sandbox/clock", { headers: OPERATOR });
      assert.equal(read.body.data.now, "2026-03-01 12:01:30");
    });

    it("lets everything due happen at its own moment, one after another", async () => {
      const receiver = await openReceiver();
      receiver.answer(500);
      const { body } = await createInvoice(gateway, { expire: 30, hook_url: receiver.url });
      await createH2h(gateway, body.data.id);
      await move(60 * 60);
      const [row] = await gateway.app.db.query(
        `select invoices.state, payments.state as payment,
                events.body::json ->> 'reject_time' as told
         from invoices join payments on payments.invoice_id = invoices.id
         join events on events.invoice_id = invoices.id`,
      );
      assert.deepEqual(row, { state: "expired", payment: "lapsed", told: "2026-03-01 12:31:30" });
      // At its expiry, 5 s and 5 min later; the next one is due only after the hour.
      assert.equal(receiver.received.length, 3);
      await receiver.close();
      await assertBooksAreRight(gateway);
    });
  });

  describe("422", () => {
    for (const wrong of [-1, 1.5, "60", null, 400_000_000]) {
      it(`advance_seconds is ${JSON.stringify(wrong)}`, async () => {
        const answer = await move(wrong);
        assert.equal(answer.status, 422);
        assert.match(answer.body.error, /advance seconds/);
      });
    }
  });

  describe("422 at the end of time", () => {
    it("where another ten years would make a year that cannot be written", async () => {
      const year = 365 * 24 * 60 * 60;
      gateway.clock.advance(6_974 * year);
      assert.equal((await move(0)).status, 200);
      const answer = await move(10 * year);
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.error, /9000/);
      assert.equal((await createInvoice(gateway)).status, 200);
    });
  });

  describe("401", () => {
    it("without the operator's token", async () => {
      assert.equal((await move(1, {})).status, 401);
      assert.equal((await gateway.call("/sandbox/clock")).status, 401);
    });
  });
});
