// The webhooks room by itself: an App on a database with the sandbox's cast, invoices to tell about,
// receivers on the loopback that behave as a test says, and no job in the background.

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { prepareInstallation } from "../src/features/operators/installation.ts";
import { createCast } from "../src/features/sandbox/cast.ts";
import { recordEvents } from "../src/features/webhooks/events.ts";
import type { App } from "../src/platform/app.ts";
import { movableClock } from "../src/platform/clock.ts";
import { openLog } from "../src/platform/log.ts";
import { migrate } from "../src/platform/migrate.ts";
import { openApp } from "../src/platform/open-app.ts";
import { openDb } from "../src/platform/open-db.ts";
import { type OutgoingOptions, openOutgoing } from "../src/platform/outgoing.ts";
import { SHOP } from "./cast.ts";
import { type EngineName, openTestDatabase, TestClock, testConfig } from "./gateway.ts";

export type Room = Awaited<ReturnType<typeof openRoom>>;

export async function openRoom(engine: EngineName, outgoing: Partial<OutgoingOptions> = {}) {
  const database = await openTestDatabase(engine);
  const config = testConfig(database.config);
  const testClock = new TestClock();
  const opened: App[] = [];

  /** One more process, as it were: its own connections and its own attempts under way. */
  const openWorker = async (): Promise<App> => {
    const clock = movableClock(testClock);
    const log = openLog("silent");
    const db = await openDb(config, log);
    const http = openOutgoing({ allowLoopback: true, allowedHosts: [], ...outgoing });
    const app = openApp({ config, clock, db, log, http });
    opened.push(app);
    return app;
  };

  const app = await openWorker();
  await migrate({ db: app.db, clock: app.clock, log: app.log });
  await app.db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    await createCast(tx, app);
  });
  return {
    app,
    clock: testClock,
    openWorker,
    /** One event for each address, each of an invoice of its own; the answer is their ids. */
    async record(hookUrls: readonly (string | null)[]): Promise<string[]> {
      const { db, clock } = app;
      return db.transaction(async (tx) => {
        const invoices = hookUrls.map(() => app.newId());
        await tx.query(ADD_INVOICES, [invoices, SHOP.id, clock.now()]);
        const facts = hookUrls.map((hookUrl, index) => {
          const invoiceId = invoices[index] ?? "";
          const told = { sequence: 1, hookUrl, fields: { invoice_id: invoiceId } };
          return { invoiceId, shopId: SHOP.id, ...told };
        });
        await recordEvents(tx, app, facts);
        const rows = await tx.query<{ id: string; invoice_id: string }>(
          "select id, invoice_id from events where invoice_id = any($1::uuid[])",
          [invoices],
        );
        const ids = new Map(rows.map((row) => [row.invoice_id, row.id]));
        return invoices.map((invoiceId) => ids.get(invoiceId) ?? assert.fail("no event"));
      });
    },
    sql: <Row = Record<string, unknown>>(text: string, values?: readonly unknown[]) =>
      app.db.query<Row>(text, values),
    async close(): Promise<void> {
      for (const one of opened) {
        one.http.close();
        await one.db.close();
      }
      await database.drop();
    },
  };
}

const ADD_INVOICES = `
  insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor, currency,
    services, success_url, created_at, expires_at, events)
  select id, $2, (select user_id from shops where shops.id = $2), id::text, decode(repeat('00', 32), 'hex'), 'direct', 'created', 100, 'RUB',
         array['p2p_card'], 'https://shop.example/ok', $3, $3::timestamptz + interval '1 hour', 1
  from unnest($1::uuid[]) as fresh(id)`;

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Requests that have not been answered. */
  readonly open: () => number;
  /** Distinct events among what was received. */
  ids(): Set<string>;
  die(): Promise<void>;
}

type Behaviour = (answer: ServerResponse, received: Received, count: number) => unknown;

/** Each has a port, and so an origin, of its own. */
export async function openReceiver(behave: Behaviour): Promise<Receiver> {
  const received: Received[] = [];
  let open = 0;
  const server = createServer((request, answer) => {
    open += 1;
    answer.on("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString("utf8") };
      received.push(one);
      behave(answer, one, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    open: () => open,
    ids: () => new Set(received.map(({ headers }) => String(headers["webhook-id"]))),
    die: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One server, and as many origins as are asked for: every address of 127.0.0.0/8 leads to it. */
export async function openOrigins(behave: (answer: ServerResponse, host: string) => void) {
  const heard: string[] = [];
  let ended = 0;
  const server = createServer((request, answer) => {
    request.resume();
    answer.on("close", () => {
      ended += 1;
    });
    request.on("end", () => {
      heard.push(String(request.headers["webhook-id"]));
      behave(answer, request.headers.host ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (index: number) => `http://127.${(index >> 8) + 1}.${index & 255}.1:${port}/hook`,
    heard,
    ended: () => ended,
    /** Ends whatever is open; the next ones may come. */
    breakOff: () => server.closeAllConnections(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function answerWith(status: number, headers: Record<string, string> = {}): Behaviour {
  return (answer) => answer.writeHead(status, headers).end();
}

/** Every event's attempts as the log has them, in seconds after the first. */
export async function attemptsOf(room: Room, id: string) {
  const rows = await room.sql<{ started_at: Date; status: number | null; error: string | null }>(
    "select started_at, status, error from attempts where event_id = $1 order by attempt",
    [id],
  );
  const first = rows[0]?.started_at.getTime() ?? 0;
  return rows.map(({ started_at, status, error }) => ({
    seconds: (started_at.getTime() - first) / 1000,
    outcome: status ?? error,
  }));
}

export async function until(what: string, reached: () => boolean | Promise<boolean>) {
  for (let turn = 0; turn < 1_000; turn += 1) {
    if (await reached()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`never came: ${what}`);
}
