// Every statement about rails: who can send, for which services, and whether they may at the moment.

import type { PayoutService } from "../../domain/payout.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";

export type RailKind = "desk" | "file" | "http" | "sandbox";

export interface RailRow {
  readonly code: string;
  readonly kind: RailKind;
  readonly services: readonly PayoutService[];
  readonly paused: boolean;
  /** Of a program. */
  readonly url: string | null;
  readonly secret_sealed: Buffer | null;
  readonly repeatable_seconds: number;
  readonly created_at: Date;
}

const RAIL = `rails.code, rails.kind, rails.services, rails.paused, rails.url, rails.secret_sealed,
       rails.repeatable_seconds, rails.created_at`;

export function allRails(db: Queryable): Promise<RailRow[]> {
  return db.query<RailRow>(`select ${RAIL} from rails order by created_at, code`, []);
}

export function railsByCode(db: Queryable, codes: readonly string[]): Promise<RailRow[]> {
  return db.query<RailRow>(`select ${RAIL} from rails where code = any($1::text[])`, [codes]);
}

/** It stays as it is until the transaction ends. */
export async function lockRail(tx: Tx, code: string): Promise<RailRow | undefined> {
  const [row] = await tx.query<RailRow>(
    `select ${RAIL} from rails where code = $1 for no key update`,
    [code],
  );
  return row;
}

/** Of these kinds those that may send now, and for which something stands in line, by their codes. */
export async function railsWithWork(
  db: Queryable,
  kinds: readonly RailKind[],
  now: Date,
): Promise<string[]> {
  const rows = await db.query<{ code: string }>(
    `select code from rails
     where kind = any($1::text[]) and not paused
       and (select true from payouts where queued_at <= $2 and service = any(rails.services)
            order by queued_at limit 1)`,
    [kinds, now],
  );
  return rows.map(({ code }) => code);
}

/** Whether something that it was told of has not ended. */
export async function hasOpenAttempts(tx: Tx, code: string): Promise<boolean> {
  const rows = await tx.query(
    `select from payouts payout
     cross join lateral (select from payout_attempts where payout_id = payout.id and rail = $1
       and state <> 'not_sent' limit 1) attempt
     where payout.state in ('sending', 'unknown') limit 1`,
    [code],
  );
  return rows.length > 0;
}

/** As it is, where it may send, until the transaction ends: whoever changes or pauses it waits for that. */
export async function holdOpenRail(tx: Tx, code: string): Promise<RailRow | undefined> {
  const [row] = await tx.query<RailRow>(
    `select ${RAIL} from rails where code = $1 and not paused for share`,
    [code],
  );
  return row;
}

/** Of a payout, by its service: no program takes it, so that somebody has to send it. */
export const OF_NO_PROGRAM = `not exists (
  select from rails where kind in ('http', 'sandbox') and not paused and service = any(services))`;

/** When the next payout that waits for its moment may be claimed by one of these kinds. */
export async function nextInLineAt(
  db: Queryable,
  kinds: readonly RailKind[],
  now: Date,
): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(queued_at) as at from payouts
     where queued_at > $2 and service = any(array(
       select unnest(services) from rails where kind = any($1::text[]) and not paused))`,
    [kinds, now],
  );
  return row?.at ?? undefined;
}

export type NewRail = Omit<RailRow, "created_at">;

/** Whether it was new. */
export async function addRail(tx: Tx, rail: NewRail, now: Date): Promise<boolean> {
  const added = await addRows(
    tx,
    `insert into rails (code, kind, services, paused, url, secret_sealed, repeatable_seconds,
       created_at)`,
    [{ ...rail, created_at: now }],
    "on conflict do nothing returning code",
  );
  return added.length > 0;
}

export async function changeRail(tx: Tx, rail: RailRow): Promise<void> {
  const { code, services, paused, url, repeatable_seconds: seconds } = rail;
  await tx.query(
    `update rails set services = $2, paused = $3, url = $4, repeatable_seconds = $5
     where code = $1`,
    [code, services, paused, url, seconds],
  );
}

export async function replaceRailSecret(tx: Tx, code: string, sealed: Buffer): Promise<void> {
  await tx.query("update rails set secret_sealed = $2 where code = $1", [code, sealed]);
}
