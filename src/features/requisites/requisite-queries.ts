// Reading and changing requisites for whoever manages the gateway.

import type { BankCode } from "../../domain/requisite.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

export interface RequisiteView {
  readonly id: string;
  readonly bank: BankCode;
  readonly currency: string;
  readonly receiver_name: string;
  readonly card_sealed: Buffer | null;
  readonly phone_sealed: Buffer | null;
  readonly enabled: boolean;
  readonly min_minor: bigint;
  readonly max_minor: bigint;
  readonly max_live_payments: number;
  readonly max_day_payments: number;
  readonly max_day_sum_minor: bigint;
  readonly live_payments: number;
  readonly day: string | null;
  readonly day_payments: number;
  readonly day_sum_minor: bigint;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

interface RequisiteFilter {
  readonly bank: BankCode | undefined;
  readonly enabled: boolean | undefined;
  /** Only these, where a number's last digits were asked for. */
  readonly ids: readonly string[] | undefined;
}

export function listRequisites(
  db: Queryable,
  wish: PageWish,
  { bank, enabled, ids }: RequisiteFilter,
): Promise<Page<RequisiteView>> {
  return page<RequisiteView>(db, wish, {
    columns: "row.*",
    from: "requisites",
    by: { "id = any(?::uuid[])": ids },
    filters: { "bank = ?": bank, "enabled = ?": enabled },
  });
}

export async function findRequisite(db: Queryable, id: string): Promise<RequisiteView | undefined> {
  const [row] = await db.query<RequisiteView>("select * from requisites where id = $1", [id]);
  return row;
}

export async function lockRequisite(tx: Tx, id: string): Promise<RequisiteView | undefined> {
  const [row] = await tx.query<RequisiteView>("select * from requisites where id = $1 for update", [
    id,
  ]);
  return row;
}

export async function updateRequisite(tx: Tx, requisite: RequisiteView): Promise<void> {
  await tx.query(
    `update requisites set receiver_name = $2, enabled = $3, min_minor = $4, max_minor = $5,
       max_live_payments = $6, max_day_payments = $7, max_day_sum_minor = $8
     where id = $1`,
    [
      requisite.id,
      requisite.receiver_name,
      requisite.enabled,
      requisite.min_minor,
      requisite.max_minor,
      requisite.max_live_payments,
      requisite.max_day_payments,
      requisite.max_day_sum_minor,
    ],
  );
}

export type SealedNumbers = Pick<RequisiteView, "id" | "card_sealed" | "phone_sealed">;

export function everyWallet(db: Queryable): Promise<SealedNumbers[]> {
  return db.query<SealedNumbers>("select id, card_sealed, phone_sealed from requisites", []);
}
