// Facts that shops are told. Other rooms record them in the transaction that makes them true, so that a
// change and its event are there together or not at all (invariant 18); the id and the body are fixed
// here, once for all attempts, and its number is its invoice's own count (invariant 20).

import { hash } from "node:crypto";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { homeOf } from "../../platform/id.ts";
import {
  addEvents,
  linesOf,
  lockResendable,
  type NewEvent,
  resend,
  type ShopLines,
} from "./queries.ts";

export interface EventFact {
  readonly invoiceId: string;
  readonly shopId: string;
  /** Which of its invoice's events it is: whoever changes the invoice counts it there as well. */
  readonly sequence: number;
  /** The invoice's own; null where it brought none along, and goes to what the shop has. */
  readonly hookUrl: string | null;
  /** What the body says, beside event_id and sequence. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The caller holds the locks of the invoices, so their counts stand still. */
export async function recordEvents(
  tx: Tx,
  { clock, newId }: App,
  facts: readonly EventFact[],
): Promise<void> {
  if (facts.length === 0) return;
  const shops = await linesOf(
    tx,
    facts.map(({ shopId }) => shopId),
  );
  const receiverOf = receivers(shops);
  const events = facts.map(({ invoiceId, shopId, sequence, hookUrl: own, fields }): NewEvent => {
    const id = newId(homeOf(invoiceId));
    const body = canonicalJson({ ...fields, event_id: id, sequence });
    const hookUrl = own ?? shops.get(shopId)?.hook_url ?? null;
    const receiver = hookUrl === null ? null : receiverOf(shopId, hookUrl);
    const isOwn = own !== null;
    return { id, invoiceId, shopId, sequence, body, hookUrl, isOwn, receiver };
  });
  await addEvents(tx, events, clock.now());
}

/**
 * Makes events due again that are over, with the whole schedule before them; also one that had no
 * address, where there is one now. The answer is their ids.
 */
export async function resendEvents(
  tx: Tx,
  { clock }: App,
  ids: readonly string[],
): Promise<string[]> {
  const events = await lockResendable(tx, ids);
  if (events.length === 0) return [];
  const shopIds = events.map((one) => one.shop_id);
  const receiverOf = receivers(await linesOf(tx, shopIds));
  return resend(
    tx,
    events.map((one) => ({ ...one, receiver: receiverOf(one.shop_id, one.hook_url) })),
    clock.now(),
  );
}

/**
 * So many receivers of one shop may have a line of their own. What goes to further ones waits in one
 * line that is the shop's: nothing of it is lost, and nobody but the shop waits longer.
 */
const MAX_RECEIVERS_PER_SHOP = 100;

/** Whose turn an address waits for: an origin's of that shop, so that shops do not wait for each other. */
function receivers(
  shops: ReadonlyMap<string, ShopLines>,
): (shopId: string, hookUrl: string) => string {
  const known = new Map([...shops].map(([id, one]) => [id, new Set(one.receivers)]));
  return (shopId, hookUrl) => {
    const own = known.get(shopId) ?? new Set();
    const origin = URL.parse(hookUrl)?.origin ?? hookUrl;
    const receiver = hash("sha256", `${shopId} ${origin}`).slice(0, UUID_DIGITS);
    const id = receiver.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    if (!own.has(id) && own.size >= MAX_RECEIVERS_PER_SHOP) return shopId;
    own.add(id);
    return id;
  };
}

const UUID_DIGITS = 32;

/** JSON, compact, the keys sorted at every level: one text for one content. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  // Written out by hand because an object puts keys that look like numbers first, whatever the order
  // they are added in.
  let members = "";
  for (const name of Object.keys(value).sort()) {
    const inner: unknown = value[name as keyof typeof value];
    if (inner === undefined) continue;
    members += `${members && ","}${JSON.stringify(name)}:${canonicalJson(inner)}`;
  }
  return `{${members}}`;
}
