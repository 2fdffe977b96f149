// Every statement about sources, their messages, and the balances that follow from them.

import type { Chain, Link } from "../../domain/balance-chain.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { addRows, changeRow } from "../../platform/db-row.ts";
import type { Ways } from "../operators/noun.ts";
import { ITSELF } from "../transfers/telling.ts";
import type { Binding, MessageRow, SourceRow } from "./source-nouns.ts";

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

interface SilentSource {
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

export interface NewMessage extends Omit<MessageRow, "transfer_id" | "fate"> {
  readonly text_digest: Buffer;
  readonly day: string;
  readonly change_minor: bigint | null;
  readonly told_at: Date;
}

/** Whether it was new: the same text of the same day is a repeat. Its fate is told later. */
export async function addMessage(tx: Tx, message: NewMessage): Promise<boolean> {
  const added = await addRows<{ id: string }>(
    tx,
    `insert into messages (id, source_id, text_digest, day, sender, channel, text_sealed, kind,
       fate, requisite_id, amount_minor, change_minor, balance_minor, made_at, told_at, received_at)`,
    [{ ...message, fate: "waiting" }],
    "on conflict do nothing returning id",
  );
  return added.length > 0;
}

/** Whether the same text was told since, on whatever day. */
export async function wasTold(
  tx: Tx,
  sourceId: string,
  textDigest: Buffer,
  since: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `select from messages where source_id = $1 and text_digest = $2 and told_at > $3 limit 1`,
    [sourceId, textDigest, since],
  );
  return rows.length > 0;
}

/**
 * Who else has told of the same amount with the same balance around then: this source itself, or another one
 * whose balance had followed.
 */
export async function sameBalance(
  tx: Tx,
  { id, source_id, requisite_id, change_minor, balance_minor }: NewMessage,
  around: { readonly from: Date; readonly to: Date },
): Promise<"itself" | "another" | undefined> {
  const rows = await tx.query<{ is_own: boolean }>(
    `select source_id = $4 as is_own from messages
     where requisite_id = $1 and told_at between $2 and $3 and id <> $5
       and change_minor = $6 and balance_minor = $7
       and (fate in ('accepted', 'noted') or fate = 'broken' and source_id = $4)`,
    [requisite_id, around.from, around.to, source_id, id, change_minor, balance_minor],
  );
  if (rows.length === 0) return undefined;
  return rows.some(({ is_own }) => is_own) ? "itself" : "another";
}

export interface Settled {
  readonly id: string;
  readonly fate: MessageRow["fate"];
  readonly transfer_id?: string;
}

export async function settleMessages(tx: Tx, settled: readonly Settled[]): Promise<void> {
  if (settled.length === 0) return;
  await tx.query(
    `update messages set fate = settled.fate,
       transfer_id = coalesce(settled.transfer_id, messages.transfer_id)
     from json_to_recordset($1) as settled(id uuid, fate text, transfer_id uuid)
     where messages.id = settled.id`,
    [rowsOf(settled)],
  );
}

export type ToldChain = Chain & { readonly toldAt: Date };

interface ChainRow {
  readonly opening_minor: bigint | null;
  readonly balance_minor: bigint | null;
  readonly floating_minor: bigint;
  readonly guessable: boolean;
  readonly told_at: Date | null;
}

/** Null where nothing was told yet. Whoever asks holds the requisite's tellings alone. */
export async function readChain(tx: Tx, requisiteId: string): Promise<ToldChain | null> {
  const [row] = await tx.query<ChainRow>(
    `select opening_minor, balance_minor, floating_minor, guessable, told_at from requisite_balances
     where requisite_id = $1`,
    [requisiteId],
  );
  if (row === undefined) return null;
  const { opening_minor: openingMinor, balance_minor: balanceMinor, told_at: toldAt } = row;
  if (openingMinor === null || balanceMinor === null || toldAt === null) return null;
  const { floating_minor: floatingMinor, guessable: isGuessable } = row;
  return { openingMinor, balanceMinor, floatingMinor, isGuessable, toldAt };
}

export async function writeChain(tx: Tx, requisiteId: string, chain: ToldChain): Promise<void> {
  const { openingMinor, balanceMinor, floatingMinor, isGuessable, toldAt } = chain;
  await tx.query(
    `insert into requisite_balances (requisite_id, opening_minor, balance_minor, floating_minor,
       told_at, guessable)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (requisite_id) do update
       set opening_minor = excluded.opening_minor, balance_minor = excluded.balance_minor,
           floating_minor = excluded.floating_minor, told_at = excluded.told_at,
           guessable = excluded.guessable`,
    [requisiteId, openingMinor, balanceMinor, floatingMinor, toldAt, isGuessable],
  );
}

/** A message whose balance did not follow, and whether its money still waits for that. */
export interface BrokenMessage extends Link {
  readonly id: string;
  readonly kind: MessageRow["kind"];
  readonly transferId: string | null;
  readonly toldAt: Date;
  readonly isSettled: boolean;
}

/** More of them are for a person, and a statement puts them right at once. */
const MOST_BROKEN = 200;

export function brokenMessages(tx: Tx, requisiteId: string): Promise<BrokenMessage[]> {
  return tx.query<BrokenMessage>(
    `select message.id, message.kind, message.transfer_id as "transferId",
            message.change_minor as "changeMinor", message.balance_minor as "balanceMinor",
            message.told_at as "toldAt",
            coalesce(transfer.state <> 'suspense' or transfer.suspense_reason <> 'balance_break',
              false) as "isSettled"
     from messages message left join transfers transfer on transfer.id = message.transfer_id
     where message.requisite_id = $1 and message.fate = 'broken'
     order by message.told_at desc limit ${MOST_BROKEN}`,
    [requisiteId],
  );
}

/**
 * The last balance since then of a message whose money waited for it until a person has assigned it, and so has
 * looked at the account. A line proves the money and not the balance that a text told with it; nor is a balance
 * looked at that is told of money which somebody else had told of.
 */
export async function provenBalance(
  tx: Tx,
  requisiteId: string,
  since: Date,
): Promise<(Link & { readonly toldAt: Date }) | undefined> {
  const [row] = await tx.query<Link & { readonly toldAt: Date }>(
    `select message.change_minor as "changeMinor", message.balance_minor as "balanceMinor",
            message.told_at as "toldAt"
     from messages message join transfers transfer on transfer.id = message.transfer_id
     where message.requisite_id = $1 and message.told_at >= $2 and message.balance_minor is not null
       and transfer.state = 'matched' and transfer.settled_by <> $3
       and transfer.suspense_reason = 'balance_break'
       and right(transfer.reference, 36) = message.id::text
     order by message.told_at desc limit 1`,
    [requisiteId, since, ITSELF],
  );
  return row;
}

/** Whether messages of then that were believed have told that there was nothing on the account, or had been. */
export async function toldOfNothing(
  tx: Tx,
  requisiteId: string,
  during: { readonly from: Date; readonly to: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `select from messages
     where requisite_id = $1 and told_at between $2 and $3 and fate in ('accepted', 'noted')
       and 0 in (balance_minor, balance_minor - change_minor)
     limit 1`,
    [requisiteId, during.from, during.to],
  );
  return rows.length > 0;
}

/** More since a statement's end are a statement to come. */
const MOST_BELIEVED = 1_000;

/** What messages since then that were believed have told of the balance, one after another. */
export function believedSince(tx: Tx, requisiteId: string, since: Date): Promise<Link[]> {
  return tx.query<Link>(
    `select change_minor as "changeMinor", balance_minor as "balanceMinor" from messages
     where requisite_id = $1 and told_at > $2 and fate in ('accepted', 'noted')
       and balance_minor is not null and change_minor is not null
     order by told_at, id limit ${MOST_BELIEVED}`,
    [requisiteId, since],
  );
}

export function waysToMessages(filter: {
  readonly source_id?: string;
  readonly requisite_id?: string;
  readonly fate?: string;
}): Ways {
  const { source_id, requisite_id, fate } = filter;
  return { leads: { source_id, fate }, filters: { requisite_id } };
}
