// Every statement about files of payouts.

import type { FileFormat } from "../../domain/payout-file.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { AttemptKey } from "./attempt-queries.ts";

/** Those that stand in line for a file, locked, the first in line first; what others hold is skipped. */
export async function lockForFile(
  tx: Tx,
  wish: {
    readonly services: readonly string[];
    readonly currency: string;
    readonly now: Date;
    readonly limit: number;
  },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from payouts
     where queued_at <= $1 and service = any($2::text[]) and currency = $3
     order by queued_at limit $4 for no key update skip locked`,
    [wish.now, wish.services, wish.currency, wish.limit],
  );
  return rows.map(({ id }) => id);
}

export interface NewBatch {
  readonly id: string;
  readonly rail: string;
  readonly format: FileFormat;
  readonly currency: string;
  readonly content_sealed: Buffer;
  readonly digest: Buffer;
  readonly payouts: number;
  readonly sum_minor: bigint;
  readonly created_by: string;
}

export async function addBatch(tx: Tx, batch: NewBatch, now: Date): Promise<void> {
  await addRows(
    tx,
    `insert into payout_batches (id, rail, format, currency, content_sealed, digest, payouts,
       sum_minor, created_by, created_at)`,
    [{ ...batch, created_at: now }],
  );
}

export type SealedBatch = Pick<NewBatch, "id" | "content_sealed" | "digest" | "format">;

export async function sealedBatch(db: Queryable, id: string): Promise<SealedBatch | undefined> {
  const [row] = await db.query<SealedBatch>(
    "select id, content_sealed, digest, format from payout_batches where id = $1",
    [id],
  );
  return row;
}

/** The attempts that a file is. */
export function attemptsOfBatch(db: Queryable, batchId: string): Promise<AttemptKey[]> {
  return db.query<AttemptKey>(
    `select payout_id as "payoutId", number from payout_attempts
     where batch_id = $1 order by payout_id`,
    [batchId],
  );
}
