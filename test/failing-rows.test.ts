// A row that cannot be worked on: the others fall due on time, it is counted and told of, tried again
// with growing pauses, and done once nothing is in its way. A trigger plays the unknown fault.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, it } from "node:test";
import { watchWaitingJob } from "../src/features/overview/watch-waiting.job.ts";
import { assertBooksAreRight } from "./books.ts";
import { createInvoice } from "./cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage, OPERATOR_TOKEN } from "./manage.ts";
import { DAY, MINUTE, type Order, type Orders, orders } from "./orders.ts";
import { untilFree } from "./patience.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

onOneEngine("a row that cannot be worked on", (engine) => {
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
  afterEach(async () => {
    await restore();
    await assertBooksAreRight(gateway);
  });

  const sql = <Row = Record<string, unknown>>(text: string, values?: readonly unknown[]) =>
    gateway.app.db.query<Row>(text, values);

  /** Every such change of this row fails until it is taken back. */
  const plant = (act: string, row: string) =>
    untilFree(() =>
      sql(`create function refuse_one() returns trigger language plpgsql as $$
        begin
          if ${row} then raise exception 'planted'; end if;
          return new;
        end $$;
        create trigger planted before ${act} for each row execute function refuse_one()`),
    );
  const restore = () => untilFree(() => sql("drop function if exists refuse_one cascade"));

  /** The bad one waits while the trigger is there, with growing pauses, and is done without it. */
  const retried = async (kind: string, id: string | undefined) => {
    const waits = async (failures: number, pause_seconds: number) => {
      const rows = await sql(
        `select kind, id, failures, error,
                extract(epoch from next_try_at - failed_at)::integer as pause_seconds
         from failing_rows`,
      );
      const row = { kind, id, failures, error: "planted", pause_seconds };
      assert.deepEqual(rows, failures === 0 ? [] : [row]);
    };
    const figure = async (wanted: number) => {
      await watchWaitingJob.run(gateway.app);
      const text = await gateway.app.metrics.text();
      assert.match(text, new RegExp(`^kopeck_failing_rows ${wanted}$`, "m"));
    };
    await waits(1, MINUTE);
    await figure(1);
    await trade.pass(MINUTE - 1);
    await waits(1, MINUTE);
    await trade.pass(1);
    await waits(2, 2 * MINUTE);
    await restore();
    await trade.pass(2 * MINUTE - 1);
    await waits(2, 2 * MINUTE);
    await trade.pass(1);
    await waits(0, 0);
    await figure(0);
  };

  const invoices = async (): Promise<string[]> => {
    const wish = { expire: 10, hook_url: receiver.url };
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => createInvoice(gateway, wish)));
    return made.map(({ body }) => body.data.id);
  };
  const details = async (isPaid: boolean): Promise<string[]> => {
    const ids: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const order = await trade.order();
      if (isPaid) await trade.pay(order);
      ids.push(order.paymentId);
    }
    return ids;
  };

  interface Due {
    readonly name: string;
    readonly kind: string;
    readonly make: () => Promise<string[]>;
    readonly seconds: number;
    /** Which change of the one that this is of fails. */
    readonly act: string;
    readonly row: string;
    /** What of these is done, and under which id the row is filed. */
    readonly done: string;
    readonly filed?: string;
  }

  const OF_EVENT = "(select invoice_id from events where id = new.event_id)";
  const TOLD = `select invoice_id as id from events join event_states on event_id = events.id
    where state = 'delivered' and invoice_id`;
  const EVENT = {
    kind: "deliver-events",
    make: invoices,
    seconds: 10 * MINUTE,
    row: OF_EVENT,
    done: TOLD,
    filed: "select id from events where invoice_id = $1",
  };
  const DUE: readonly Due[] = [
    {
      name: "an invoice that cannot expire",
      kind: "expire-invoices",
      make: invoices,
      seconds: 10 * MINUTE,
      act: "update on invoices",
      row: "new.id",
      done: "select id from invoices where state = 'expired' and id",
    },
    {
      name: "details that cannot lapse",
      kind: "lapse-payments",
      make: () => details(false),
      seconds: 20 * MINUTE,
      act: "update on payments",
      row: "new.id",
      done: "select id from payments where state = 'lapsed' and id",
    },
    {
      name: "a freeze that cannot be released",
      kind: "release-freezes",
      make: () => details(true),
      seconds: DAY,
      act: "update on ledger_freezes",
      row: "new.payment_id",
      done: `select payment_id as id from ledger_freezes
        where released_at is not null and payment_id`,
    },
    { ...EVENT, name: "an event that cannot be claimed", act: "update on outbox" },
    { ...EVENT, name: "an event whose outcome cannot be written", act: "insert on deliveries" },
  ];

  for (const { name, kind, make, seconds, act, row, done, filed } of DUE) {
    it(`${name} lets the others be done in time, and is done once it can be`, async () => {
      const ids = await make();
      // The last one: what others' ends make happen meanwhile is no try of its.
      const [bad = "", ...others] = ids.toReversed();
      const ready = async (): Promise<Set<string>> => {
        const rows = await sql<{ id: string }>(`${done} = any($1::uuid[])`, [ids]);
        return new Set(rows.map(({ id }) => id));
      };
      await plant(act, `${row} = '${bad}'`);
      await trade.pass(seconds);
      assert.deepEqual(await ready(), new Set(others));
      const [event] = filed === undefined ? [] : await sql<{ id: string }>(filed, [bad]);
      await retried(kind, event?.id ?? bad);
      assert.deepEqual(await ready(), new Set(ids));
    });
  }

  it("money for an invoice that fails is refused alone, and is booked when it is told again", async () => {
    const [bad, good] = [await trade.order(), await trade.order()];
    await plant("insert on events", `new.invoice_id = '${bad.id}'`);
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const tell = ({ wallet, amount }: Order, reference: string) =>
      gateway.call("/sandbox/transfers", { body: { wallet, amount, reference }, headers });
    const [first, second] = [randomUUID(), randomUUID()];
    const answers = await Promise.all([tell(bad, first), tell(good, second)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 200],
    );
    const stored = await manage(gateway).get(`transfers?reference=${first}`);
    assert.deepEqual(stored.items, []);
    await restore();
    assert.equal((await tell(bad, first)).body.data.state, "matched");
  });
});
