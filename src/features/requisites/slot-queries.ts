// Every statement about slots: who holds a (requisite, amount), and until when.

import type { Slot } from "../../domain/requisite.ts";
import { type HeldSlot, type Holder, MAX_NUDGE_MINOR } from "../../domain/share.ts";
import { rowsOf, type Tx } from "../../platform/db.ts";
import { AFTER_ALL_IDS } from "../../platform/id.ts";
import { RETENTION_SET, type Swept } from "../../platform/retention-job.ts";

/** The slots within a nudge of these ranges of amounts that are held, quarantine included, and by whom. */
export async function heldSlots(
  tx: Tx,
  requisiteIds: readonly string[],
  ranges: readonly { fromMinor: bigint; toMinor: bigint }[],
  now: Date,
): Promise<HeldSlot[]> {
  return tx.query<HeldSlot>(
    `select distinct slot.requisite_id as "requisiteId", slot.amount_minor as "amountMinor",
            slot.shop_id as "shopId", slot.user_id as "userId", slot.payer
     from json_to_recordset($2) as range("fromMinor" bigint, "toMinor" bigint)
     join slots slot on slot.requisite_id = any($1::uuid[])
       and slot.amount_minor between range."fromMinor" - ${MAX_NUDGE_MINOR}
         and range."toMinor" + ${MAX_NUDGE_MINOR}
       and slot.held_until > $3`,
    [requisiteIds, rowsOf(ranges), now],
  );
}

export interface Claim extends Slot, Holder {
  readonly paymentId: string;
  readonly heldUntil: Date;
}

/**
 * The payments that got their slot. The primary key decides; a slot that ran out is taken over. Where
 * who holds what is not known, a slot is given only if fewer than so many around it are held at all.
 */
export async function claimSlots(
  tx: Tx,
  claims: readonly Claim[],
  now: Date,
  crowd: number | undefined,
): Promise<Set<string>> {
  const claimed = await tx.query<{ payment_id: string }>(
    `insert into slots (requisite_id, amount_minor, payment_id, held_until, shop_id, user_id, payer)
     select "requisiteId", "amountMinor", "paymentId", "heldUntil", "shopId", "userId", payer
     from json_to_recordset($1) as claim("requisiteId" uuid, "amountMinor" bigint,
       "paymentId" uuid, "heldUntil" timestamptz, "shopId" uuid, "userId" uuid, payer text,
       turn integer)
     where $3::integer is null or turn + (
       select count(*) from slots near
       where near.requisite_id = claim."requisiteId"
         and near.amount_minor between claim."amountMinor" - ${MAX_NUDGE_MINOR}
           and claim."amountMinor" + ${MAX_NUDGE_MINOR}
         and near.held_until > $2) < $3
     order by 1, 2
     on conflict (requisite_id, amount_minor) do update
       set payment_id = excluded.payment_id, held_until = excluded.held_until,
           shop_id = excluded.shop_id, user_id = excluded.user_id, payer = excluded.payer
       where slots.held_until <= $2
     returning payment_id`,
    [rowsOf(withTurns(claims)), now, crowd ?? null],
  );
  return new Set(claimed.map((row) => row.payment_id));
}

/** How many claims of the same statement, which does not see them, stand before each on its requisite. */
function withTurns(claims: readonly Claim[]): (Claim & { turn: number })[] {
  const turns = new Map<string, number>();
  return claims.map((claim) => {
    const turn = turns.get(claim.requisiteId) ?? 0;
    turns.set(claim.requisiteId, turn + 1);
    return { ...claim, turn };
  });
}

/** Details that were replaced hold their slot for less long than they would have. */
export async function shortenSlots(
  tx: Tx,
  slots: readonly (Slot & { paymentId: string; heldUntil: Date })[],
): Promise<void> {
  await tx.query(
    `update slots set held_until = least(slots.held_until, shorter."heldUntil")
     from json_to_recordset($1) as shorter("requisiteId" uuid, "amountMinor" bigint,
       "paymentId" uuid, "heldUntil" timestamptz)
     where slots.requisite_id = any($2::uuid[]) and slots.requisite_id = shorter."requisiteId"
       and slots.amount_minor = any($3::bigint[]) and slots.amount_minor = shorter."amountMinor"
       and slots.payment_id = shorter."paymentId"`,
    [
      rowsOf(slots),
      slots.map(({ requisiteId }) => requisiteId),
      slots.map(({ amountMinor }) => amountMinor),
    ],
  );
}

/** The next slots after a place, "requisite amount", whose time was over before the moment. */
export async function sweepSlots(tx: Tx, after: string, before: Date): Promise<Swept> {
  const [requisiteId, amountMinor = "0"] = after.split(" ");
  const [end] = await tx.query<{ place: string }>(
    `select requisite_id || ' ' || amount_minor as place from slots
     where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
     order by requisite_id, amount_minor offset ${RETENTION_SET} - 1 limit 1`,
    [requisiteId, amountMinor],
  );
  const [lastId, lastMinor] = end?.place.split(" ") ?? [AFTER_ALL_IDS, "0"];
  const gone = await tx.query(
    `delete from slots where ctid = any(array(
       select ctid from slots
       where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
         and (requisite_id, amount_minor) <= ($3::uuid, $4::bigint) and held_until < $5
       for update skip locked))
     returning payment_id`,
    [requisiteId, amountMinor, lastId, lastMinor, before],
  );
  return { removed: gone.length, next: end?.place };
}
