// A row that cannot be worked on: the others fall due on time, it is counted and told of, tried again
// with growing pauses, and done once nothing is in its way. A trigger plays the unknown fault.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, it } from "node:test";
import { assertBooksAreRight } from "./books.ts";
import { createInvoice } from "./cast.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage, OPERATOR_TOKEN } from "./manage.ts";
import { DAY, MINUTE, type Order, type Orders, orders } from "./orders.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

onEachEngine("a row that cannot be worked on", (engine) => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let trade: Orders;
  before(async () => {
    gateway = await openTestGateway(engine, { logLevel: "fatal" });
    receiver = await openReceiver();
    trade = orders(gateway);
  });
  after(async () => {
    await gateway.stop();
    await receiver.close();
  });

  const restore = () => sql("drop function if exists refuse_one cascade");
  afterEach(restore);

  const sql = <Row = Record<string, unknown>>(text: string, values?: readonly unknown[]) =>
    gateway.app.db.query<Row>(text, values);

  /** Every change of this row fails until it is taken back. */
  const plant = (table: string, column: string, id: string, act = "update") =>
    sql(`create function refuse_one() returns trigger language plpgsql as $$
      begin
        if to_jsonb(new) ->> tg_argv[0] = tg_argv[1] then raise exception 'planted'; end if;
        return new;
      end $$;
      create trigger planted before ${act} on ${table} for each row
        execute function refuse_one('${column}', '${id}')`);
  const failing = () =>
    sql(
      `select kind, id, failures, error,
              extract(epoch from next_try_at - failed_at)::integer as pause_seconds
       from failing_rows`,
    );
  const figure = async (): Promise<string | undefined> => {
    const { watchWaitingJob } = await import("../src/features/overview/watch-waiting.job.ts");
    await watchWaitingJob.run(gateway.app);
    const { text } = await gateway.call("/metrics");
    return /^kopeck_failing_rows (\d+)$/m.exec(text)?.[1];
  };
  /** The bad one waits while the trigger is there, with growing pauses, and is done without it. */
  const retried = async (kind: string, id: string) => {
    const row = (failures: number, pause_seconds: number) => [
      { kind, id, failures, error: "planted", pause_seconds },
    ];
    assert.deepEqual(await failing(), row(1, MINUTE));
    assert.equal(await figure(), "1");
    await trade.pass(MINUTE - 1);
    assert.deepEqual(await failing(), row(1, MINUTE));
    await trade.pass(1);
    assert.deepEqual(await failing(), row(2, 2 * MINUTE));
    await restore();
    await trade.pass(2 * MINUTE - 1);
    assert.deepEqual(await failing(), row(2, 2 * MINUTE));
    await trade.pass(1);
    assert.deepEqual(await failing(), []);
    assert.equal(await figure(), "0");
  };
  const statesOf = async (table: string, column: string, ids: readonly string[]) => {
    const rows = await sql<{ id: string; state: unknown }>(
      `select ${column} as id, ${table === "ledger_freezes" ? "released_at is not null" : "state"} as state
       from ${table} where ${column} = any($1::uuid[])`,
      [ids],
    );
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    return ids.map((id) => states.get(id));
  };

  it("an invoice that cannot expire lets the others expire, and expires once it can", async () => {
    const made = await Promise.all(
      Array.from({ length: 7 }, () => createInvoice(gateway, { expire: 10 })),
    );
    const ids = made.map(({ body }): string => body.data.id);
    await plant("invoices", "id", ids[3] ?? "");
    await trade.pass(10 * MINUTE);
    const others = ids.toSpliced(3, 1);
    assert.deepEqual(await statesOf("invoices", "id", others), Array(6).fill("expired"));
    assert.deepEqual(await statesOf("invoices", "id", [ids[3] ?? ""]), ["created"]);
    await retried("expire-invoices", ids[3] ?? "");
    assert.deepEqual(await statesOf("invoices", "id", ids), Array(7).fill("expired"));
    await assertBooksAreRight(gateway);
  });

  const paymentsOf = async (count: number, changes: Record<string, unknown> = {}) => {
    const made: Order[] = [];
    for (let turn = 0; turn < count; turn += 1) made.push(await trade.order(changes));
    return made;
  };

  it("details that cannot lapse let the others lapse, and lapse once they can", async () => {
    const ids = (await paymentsOf(5, { expire: 300 })).map(({ paymentId }) => paymentId);
    await plant("payments", "id", ids[4] ?? "");
    await trade.pass(20 * MINUTE);
    assert.deepEqual(await statesOf("payments", "id", ids), [...Array(4).fill("lapsed"), "live"]);
    await retried("lapse-payments", ids[4] ?? "");
    assert.deepEqual(await statesOf("payments", "id", ids), Array(5).fill("lapsed"));
    await assertBooksAreRight(gateway);
  });

  it("a freeze that cannot be released lets the others go, and is released once it can", async () => {
    const made = await paymentsOf(5, { expire: 300 });
    for (const order of made) await trade.pay(order);
    const ids = made.map(({ paymentId }) => paymentId);
    await plant("ledger_freezes", "payment_id", ids[4] ?? "");
    await trade.pass(DAY);
    assert.deepEqual(await statesOf("ledger_freezes", "payment_id", ids), [
      ...Array(4).fill(true),
      false,
    ]);
    await retried("release-freezes", ids[4] ?? "");
    assert.deepEqual(await statesOf("ledger_freezes", "payment_id", ids), Array(5).fill(true));
    await assertBooksAreRight(gateway);
  });

  /** Everything that is written of this invoice's event fails in that table until it is taken back. */
  const plantEvent = (table: string, act: string, invoiceId: string) =>
    sql(`create function refuse_one() returns trigger language plpgsql as $$
      begin
        if (select invoice_id from events where id = new.event_id) = '${invoiceId}' then
          raise exception 'planted';
        end if;
        return new;
      end $$;
      create trigger planted before ${act} on ${table} for each row execute function refuse_one()`);
  const expiring = async (): Promise<string[]> => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () =>
        createInvoice(gateway, { expire: 10, hook_url: receiver.url }),
      ),
    );
    return made.map(({ body }) => body.data.id);
  };
  const told = () => receiver.received.map(({ body }): string => body.invoice_id);
  const eventOf = async (invoiceId: string) =>
    (await manage(gateway).get(`events?invoice_id=${invoiceId}`)).items[0];

  it("an event that cannot be claimed lets the others be told, and is told once it can", async () => {
    const ids = await expiring();
    const bad = ids[2] ?? "";
    await plantEvent("outbox", "update", bad);
    await trade.pass(10 * MINUTE);
    assert.deepEqual(new Set(told()), new Set(ids.toSpliced(2, 1)));
    await retried("deliver-events", (await eventOf(bad)).event_id);
    assert.deepEqual(new Set(told()), new Set(ids));
    assert.equal((await eventOf(bad)).state, "delivered");
  });

  it("an event whose outcome cannot be written lets the others end, and is told with growing pauses", async () => {
    const ids = await expiring();
    const bad = ids[1] ?? "";
    await plantEvent("deliveries", "insert", bad);
    await trade.pass(10 * MINUTE);
    for (const id of ids.toSpliced(1, 1)) assert.equal((await eventOf(id)).state, "delivered");
    const { event_id, state } = await eventOf(bad);
    assert.equal(state, "waiting");
    assert.equal(told().filter((id) => id === bad).length, 1);
    await retried("deliver-events", event_id);
    const { event, deliveries } = await manage(gateway).get(`events/${event_id}`);
    assert.equal(event.state, "delivered");
    assert.deepEqual(new Set(told()), new Set([...told(), ...ids]));
    assert.deepEqual(deliveries.map((one: { status: number | null }) => one.status).at(-1), 200);
    await assertBooksAreRight(gateway);
  });

  it("money for an invoice that fails is refused alone, and is booked when it is told again", async () => {
    const [bad, good] = await paymentsOf(2);
    assert.ok(bad && good);
    await plant("events", "invoice_id", bad.id, "insert");
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const tell = ({ wallet, amount }: Order, reference: string) =>
      gateway.call("/sandbox/transfers", { body: { wallet, amount, reference }, headers });
    const [first, second] = [randomUUID(), randomUUID()];
    const answers = await Promise.all([tell(bad, first), tell(good, second)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 200],
    );
    assert.deepEqual(await statesOf("invoices", "id", [bad.id, good.id]), ["pending", "paid"]);
    const stored = await manage(gateway).get(`transfers?reference=${first}`);
    assert.deepEqual(stored.items, []);
    await restore();
    assert.equal((await tell(bad, first)).body.data.state, "matched");
    await assertBooksAreRight(gateway);
  });
});
