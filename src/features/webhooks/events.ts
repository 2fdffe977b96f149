// Facts that shops are told. Other rooms record them in the transaction that makes them true, so that a
// change and its event are there together or not at all (invariant 18); the id and the body are fixed
// here, once for all attempts, and the sequence of an invoice grows by one (invariant 20).

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { addEvents, lastSequences, type NewEvent, resend } from "./queries.ts";

export interface EventFact {
  readonly invoiceId: string;
  readonly shopId: string;
  readonly hookUrl: string | null;
  /** What the body says, beside event_id and sequence. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The caller holds the locks of the invoices, so their sequences stand still. */
export async function recordEvents(
  tx: Tx,
  { clock, newId }: App,
  facts: readonly EventFact[],
): Promise<void> {
  if (facts.length === 0) return;
  const now = clock.now();
  const invoiceIds = [...new Set(facts.map(({ invoiceId }) => invoiceId))];
  const last = new Map(
    (await lastSequences(tx, invoiceIds)).map((row) => [row.invoice_id, row.sequence]),
  );
  const events = facts.map(({ invoiceId, shopId, hookUrl, fields }): NewEvent => {
    const id = newId();
    const sequence = (last.get(invoiceId) ?? 0) + 1;
    last.set(invoiceId, sequence);
    const body = canonicalJson({ ...fields, event_id: id, sequence });
    const receiver = hookUrl === null ? null : receiverOf(hookUrl);
    return { id, invoiceId, shopId, sequence, body, hookUrl, receiver };
  });
  await addEvents(tx, events, now);
}

/** Makes delivered and exhausted events due again, with the whole schedule before them. */
export function resendEvents(tx: Tx, { clock }: App, ids: readonly string[]): Promise<string[]> {
  return resend(tx, ids, clock.now());
}

/** An address that no URL can be made of is a receiver of its own; its attempts will say so. */
function receiverOf(hookUrl: string): string {
  return URL.parse(hookUrl)?.origin ?? hookUrl;
}

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
