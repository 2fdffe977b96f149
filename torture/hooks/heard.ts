// What receivers have heard, held against what was recorded: the same id and the same bytes in every
// attempt, signed with the keys of the shop that it is for, numbered without a gap.

import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Received } from "../../test/webhook-room.ts";
import type { Trial } from "../part.ts";
import type { HookShop, Stage } from "./stage.ts";

export interface EventRow {
  readonly id: string;
  readonly shop_id: string;
  readonly invoice_id: string;
  readonly sequence: number;
  readonly body: string;
  readonly state: string;
  readonly attempts: number;
}

export async function eventsOf(
  { gateway }: Stage,
  shops: readonly HookShop[],
): Promise<EventRow[]> {
  return gateway.app.db.query<EventRow>(
    `select id, shop_id, invoice_id, sequence, body, state, attempts
     from events join event_states on event_id = id
     where shop_id = any($1::uuid[])`,
    [shops.map(({ id }) => id)],
  );
}

/** How often each event was heard; whatever is wrong with what was heard is told. */
export function judgeHeard(
  trial: Trial,
  shops: readonly HookShop[],
  events: readonly EventRow[],
  heard: readonly Received[],
): Map<string, number> {
  const rows = new Map(events.map((row) => [row.id, row]));
  const owners = new Map(shops.map((shop) => [shop.id, shop]));
  const times = new Map<string, number>();
  for (const received of heard) {
    const id = String(received.headers["webhook-id"]);
    times.set(id, (times.get(id) ?? 0) + 1);
    const row = rows.get(id);
    const shop = row && owners.get(row.shop_id);
    const wrong = row && shop ? wrongWith(received, row, shop) : "nobody has recorded it";
    if (wrong !== undefined) trial.violation(`heard event ${id}: ${wrong}`);
  }
  return times;
}

function wrongWith({ headers, body }: Received, row: EventRow, shop: HookShop): string | undefined {
  if (body !== row.body) return "its body is not the recorded one";
  const { event_id, sequence } = JSON.parse(body);
  if (event_id !== row.id || sequence !== row.sequence) return "its body is of another event";
  const plain = createHmac("sha256", shop.webhookKey).update(body).digest("hex");
  if (headers["x-api-sha256-signature"] !== plain) return "its signature is wrong";
  const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const standard = new Webhook(shop.webhookSecret).sign(row.id, sentAt, body);
  if (headers["webhook-signature"] !== standard) return "its Standard Webhooks signature is wrong";
  return undefined;
}

/** Shops whose events have all arrived have heard 1, 2, … of every invoice. */
export function judgeSequences(
  trial: Trial,
  events: readonly EventRow[],
  times: ReadonlyMap<string, number>,
): void {
  const heard = Map.groupBy(
    events.filter(({ id }) => times.has(id)),
    ({ invoice_id }) => invoice_id,
  );
  for (const [invoiceId, own] of Map.groupBy(events, ({ invoice_id }) => invoice_id)) {
    const numbers = (heard.get(invoiceId) ?? []).map(({ sequence }) => sequence).toSorted();
    const wanted = own.map((_, index) => index + 1);
    if (numbers.join() !== wanted.join()) {
      trial.violation(`of invoice ${invoiceId} was heard ${numbers}, not ${wanted}`);
    }
  }
}
