// Orders, money and time in a test that manages a gateway, all through the front door; and a print of
// the whole database, to show that what was refused has left no trace.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { countStatisticsJob } from "../src/features/statistics/count-statistics.job.ts";
import { stampEventsJob } from "../src/features/webhooks/stamp-events.job.ts";
import { type CastShop, createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import {
  type Answer,
  type CallOptions,
  call,
  type DatabaseOrigin,
  type TestGateway,
} from "./gateway.ts";
import { manage, OPERATOR_TOKEN } from "./manage.ts";
import { untilFree } from "./patience.ts";

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An id that nothing has. */
export const NOBODY = "00000000-0000-4000-8000-000000000fff";

export interface Order {
  readonly id: string;
  readonly orderId: string;
  readonly paymentId: string;
  readonly wallet: string;
  readonly amount: number;
}

/** Calls to a gateway of which no more than its address is known. */
export function through({ url }: { readonly url: string }) {
  return {
    call: (path: string, options?: CallOptions): Promise<Answer> => call(url, path, options),
  };
}

export interface Merchant {
  readonly id: string;
  readonly secret: string;
}

export type Orders = ReturnType<typeof orders>;

/** Of a whole gateway, what placing orders needs. */
type Shopfront = Pick<TestGateway, "app" | "clock" | "call">;

export function orders(gateway: Shopfront) {
  const own = manage(gateway);
  /** Ids of one moment have no order: what a test wants to see in a row happens in a row. */
  const tick = (): void => gateway.clock.advance(1);
  const now = (): string => gateway.app.clock.now().toISOString();
  return {
    tick,
    now,
    pass: (seconds: number): Promise<void> => passTime(gateway, seconds),
    /** An invoice with details to pay it. */
    async order(changes: Record<string, unknown> = {}, shop: CastShop = SHOP): Promise<Order> {
      tick();
      const orderId = `order-${randomUUID()}`;
      const created = await createInvoice(gateway, { order_id: orderId, ...changes }, shop);
      assert.equal(created.status, 200, created.text);
      const { id } = created.body.data;
      const details = await createH2h(gateway, id, {}, shop);
      assert.equal(details.status, 200, details.text);
      const { wallet, amount } = details.body.data;
      const { items } = await own.get(`payments?invoice_id=${id}`);
      const paymentId = items[0].payment_id;
      return { id, orderId: items[0].order_id, paymentId, wallet, amount: Number(amount) };
    },
    /** The money for it arrives, or other money on the same wallet. */
    pay({ wallet, amount }: Order, changes: Record<string, unknown> = {}) {
      tick();
      return own.post("transfers", { wallet, amount, reference: randomUUID(), ...changes });
    },
    /** Balance, available and frozen, in kopecks to stay exact. */
    async balance({ id, secret }: Merchant = USER): Promise<number[]> {
      const headers = { "x-api-signature-sha256": secret };
      const { body } = await gateway.call(`/account/users/${id}/balance`, { headers });
      const { balance, active_balance, freeze_balance } = body.data;
      return [balance, active_balance, freeze_balance].map((sum) => Math.round(sum * 100));
    },
    /** What a change answered, and the one row that it left in the audit log, also in short. */
    async audited<Data>(work: () => Promise<Data>) {
      tick();
      const from = now();
      const answer = await work();
      const { items } = await own.get(`audit?from=${from}`);
      assert.equal(items.length, 1, "one change, one row");
      const [row] = items;
      return { answer, row, logged: [row.act, row.subject, row.before, row.after] };
    },
    /** Every one of these calls is refused with a status of the 400s, and the database is as it was. */
    async refusedWithoutTrace(
      wanted: number,
      calls: readonly (readonly [path: string, body: unknown])[],
    ): Promise<void> {
      const before = await printOf(gateway);
      for (const [path, body] of calls) {
        const answer = await own.ask(path, body);
        const call = `${path} ${JSON.stringify(body).slice(0, 200)}: ${answer.text}`;
        assert.equal(answer.status, wanted, call);
        assert.ok(answer.body.error.length > 0, call);
      }
      assert.deepEqual(await printOf(gateway), before);
    },
  };
}

/** A database that has the sandbox's cast already; it is for whoever starts their gateway themselves. */
export function templateOrigin(): DatabaseOrigin {
  const templateUrl = process.env["KOPECK_TEST_POSTGRES_TEMPLATE"];
  return templateUrl === undefined ? {} : { templateUrl };
}

/** Time passes, and everything that falls due meanwhile has happened. */
export async function passTime(
  gateway: Pick<TestGateway, "call">,
  advance_seconds: number,
): Promise<void> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const answer = await gateway.call("/sandbox/clock", { body: { advance_seconds }, headers });
  assert.equal(answer.status, 200, answer.text);
}

type Database = Pick<TestGateway, "app">;

async function tablesOf({ app }: Database): Promise<string[]> {
  const tables = await app.db.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  return tables.map(({ name }) => name);
}

/** How many rows every table has, and a digest of them, once every event has its position and is counted. */
export async function printOf(gateway: Database): Promise<{ name: string; rows: number }[]> {
  for (const { due } of [stampEventsJob, countStatisticsJob]) {
    await untilFree(async () => due?.settle(gateway.app));
  }
  const tables = await tablesOf(gateway);
  const prints = tables.map(
    (name) =>
      `select '${name}' as name, count(*)::integer as rows,
              md5(string_agg(row::text, ' ' order by row::text)) as digest from ${name} row`,
  );
  return gateway.app.db.query(prints.join(" union all "));
}

/** Every row of every table, as JSON in lines. */
export async function everyRow(gateway: Database): Promise<string> {
  const tables = await tablesOf(gateway);
  const rows = tables.map((name) => `select row_to_json(row)::text as line from ${name} row`);
  const all = await gateway.app.db.query<{ line: string }>(rows.join(" union all "));
  return all
    .map(({ line }) => line)
    .toSorted()
    .join("\n");
}
