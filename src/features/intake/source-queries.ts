// Every statement about sources: who may report, of which requisites, and when they were last heard.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows, changeRow } from "../../platform/db-row.ts";
import type { Binding, SourceRow } from "./source-nouns.ts";

const BOUND = `array(select json_build_object('requisite_id', requisite_id, 'endings', endings)
      from source_requisites where source_id = sources.id order by requisite_id) as requisites`;

/** Of these those that were not revoked. */
export function livingSources(db: Queryable, ids: readonly string[]): Promise<SourceRow[]> {
  return db.query<SourceRow>(
    `select sources.*, ${BOUND} from sources where id = any($1::uuid[]) and revoked_at is null`,
    [ids],
  );
}

export type NewSource = Pick<
  SourceRow,
  | ("id" | "name" | "adapter" | "channel" | "banks" | "senders")
  | ("needs_statement" | "token_digest" | "key_sealed")
>;

/** Whether it was new. */
export async function insertSource(tx: Tx, source: NewSource, now: Date): Promise<boolean> {
  const added = await addRows(
    tx,
    `insert into sources (id, name, adapter, channel, banks, senders, needs_statement,
       token_digest, key_sealed, unread, created_at)`,
    [{ ...source, unread: 0, created_at: now }],
    "on conflict do nothing returning id",
  );
  return added.length > 0;
}

export async function updateSource(tx: Tx, source: SourceRow): Promise<void> {
  const { id, name, banks, senders, needs_statement } = source;
  await changeRow(tx, "update sources set", id, {
    name,
    banks,
    senders,
    needs_statement,
  });
}

/** These, and no others. */
export async function bindRequisites(
  tx: Tx,
  sourceId: string,
  requisites: readonly Binding[],
): Promise<void> {
  await tx.query(
    "delete from source_requisites where source_id = $1 and requisite_id <> all($2::uuid[])",
    [sourceId, requisites.map(({ requisite_id }) => requisite_id)],
  );
  await addRows(
    tx,
    "insert into source_requisites (source_id, requisite_id, endings)",
    requisites.map((bound) => ({ source_id: sourceId, ...bound })),
    "on conflict (source_id, requisite_id) do update set endings = excluded.endings",
  );
}

export async function endSource(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query("update sources set revoked_at = $2 where id = $1 and revoked_at is null", [
    id,
    now,
  ]);
}

/** It is not silent any more. */
export async function noteHeard(
  tx: Tx,
  id: string,
  heard: { readonly now: Date; readonly isBeat: boolean; readonly unread: number },
): Promise<void> {
  const { now, isBeat, unread } = heard;
  await tx.query(
    `update sources set last_heard_at = $2, silent_since = null, unread = unread + $4,
       last_beat_at = case when $3 then $2 else last_beat_at end
     where id = $1`,
    [id, now, isBeat, unread],
  );
}

/** A living source that sends heartbeats and was not heard since then. */
const SILENT = "revoked_at is null and last_beat_at is not null and last_heard_at < $1";

export interface SilentSource {
  readonly id: string;
  readonly name: string;
  readonly last_heard_at: Date;
  readonly silent_since: Date | null;
}

/** Silent ones on whose requisites payments are under way. */
export function silentWithPayments(db: Queryable, since: Date): Promise<SilentSource[]> {
  return db.query<SilentSource>(
    `select id, name, last_heard_at, silent_since from sources where ${SILENT}
       and exists (select from source_requisites bound
                   join requisite_usage usage on usage.requisite_id = bound.requisite_id
                   where bound.source_id = sources.id and usage.live_payments > 0)
     order by id`,
    [since],
  );
}

/** The ids of those that were not known to be silent yet. */
export async function markSilent(
  tx: Tx,
  ids: readonly string[],
  since: Date,
  now: Date,
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `update sources set silent_since = $2
     where id = any($3::uuid[]) and silent_since is null and ${SILENT} returning id`,
    [since, now, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Requisites that have sources, all of which are silent, and that do not rest yet. */
export async function requisitesUnheard(db: Queryable, since: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select bound.requisite_id as id from source_requisites bound
     join sources on sources.id = bound.source_id and revoked_at is null
     join requisite_usage usage on usage.requisite_id = bound.requisite_id
     where usage.resting_since is null
     group by bound.requisite_id having bool_and(${SILENT}) order by 1`,
    [since],
  );
  return rows.map(({ id }) => id);
}

/** Requisites that rest, though one of their sources is heard or they have none any more. */
export async function requisitesHeard(db: Queryable, since: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select usage.requisite_id as id from requisite_usage usage
     left join source_requisites bound on bound.requisite_id = usage.requisite_id
     left join sources on sources.id = bound.source_id and revoked_at is null
     where usage.resting_since is not null
     group by usage.requisite_id having coalesce(not bool_and(${SILENT}) filter (where sources.id is not null), true)
     order by 1`,
    [since],
  );
  return rows.map(({ id }) => id);
}
