// Facts that shops are told of their invoices, and users of their payouts. Other rooms record them in the
// transaction that makes them true, so that a change and its event are there together or not at all
// (invariant 18); the id and the body are fixed here, once for all attempts, and its number is its invoice's
// or payout's own count (invariant 20).

import { hash } from "node:crypto";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import {
  addEvents,
  linesOf,
  lockResendable,
  type NewEvent,
  type OwnerLines,
  resend,
} from "./queries.ts";

interface OfInvoice {
  readonly invoiceId: string;
  readonly shopId: string;
}

interface OfPayout {
  readonly payoutId: string;
  readonly userId: string;
}

interface Told {
  /** Which event of its invoice or payout it is: whoever changes that counts it there as well. */
  readonly sequence: number;
  /** Its own; where an invoice brought none along it goes to what the shop has, a user has none. */
  readonly hookUrl: string | null;
  /** What the body says, beside event_id and sequence; `status` stays when the body is removed. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type EventFact = (OfInvoice | OfPayout) & Told;

/**
 * The caller holds the locks of the invoices or payouts, so their counts stand still. Whoever has asked for the
 * lines already, along with what it locks, has the events written without another question.
 */
export async function recordEvents(
  tx: Tx,
  { clock, newId }: App,
  facts: readonly EventFact[],
  lines?: ReadonlyMap<string, OwnerLines>,
): Promise<void> {
  if (facts.length === 0) return;
  const owners = lines ?? (await linesOf(tx, facts.map(ownerOf)));
  const receiverOf = receivers(owners);
  const events = facts.map((fact): NewEvent => {
    const { sequence, hookUrl: own, fields, ...about } = fact;
    const ownerId = ownerOf(fact);
    const id = newId();
    const body = canonicalJson({ ...fields, event_id: id, sequence });
    const hookUrl = own ?? owners.get(ownerId)?.hook_url ?? null;
    const receiver = hookUrl === null ? null : receiverOf(ownerId, hookUrl);
    return { id, ...about, ownerId, sequence, body, hookUrl, isOwn: own !== null, receiver };
  });
  await addEvents(tx, events, clock.now());
}

/** Who is told. */
function ownerOf(fact: EventFact): string {
  return "userId" in fact ? fact.userId : fact.shopId;
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
  const ownerIds = events.map((one) => one.owner_id);
  const receiverOf = receivers(await linesOf(tx, ownerIds));
  return resend(
    tx,
    events.map((one) => ({ ...one, receiver: receiverOf(one.owner_id, one.hook_url) })),
    clock.now(),
  );
}

/**
 * So many receivers of one owner, a shop or a user, may have a line of their own. What goes to further
 * ones waits in one line that is the owner's: nothing of it is lost, and nobody else waits longer.
 */
const MAX_RECEIVERS_PER_OWNER = 100;

/** Whose turn an address waits for: an origin's of that owner, so that owners do not wait for each other. */
function receivers(
  owners: ReadonlyMap<string, OwnerLines>,
): (ownerId: string, hookUrl: string) => string {
  const known = new Map([...owners].map(([id, one]) => [id, new Set(one.receivers)]));
  return (ownerId, hookUrl) => {
    const own = known.get(ownerId) ?? new Set();
    const origin = URL.parse(hookUrl)?.origin ?? hookUrl;
    const receiver = hash("sha256", `${ownerId} ${origin}`).slice(0, UUID_DIGITS);
    const id = receiver.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    if (!own.has(id) && own.size >= MAX_RECEIVERS_PER_OWNER) return ownerId;
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
