// Where payouts go to, sealed and known by a keyed digest, and what was asked for in a day.

import { type DayTotal, maskDestination, type PayoutService } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { Secrets } from "../../platform/secret.ts";

interface DestinationWish {
  readonly userId: string;
  /** By each key of the ring, in hexadecimal digits. */
  readonly digests: readonly string[];
  readonly amountMinor: bigint;
  /** Whether its tariff limits what goes to one destination in a day. */
  readonly isLimited: boolean;
}

export interface KnownDestination {
  readonly place: number;
  readonly id: string;
  readonly isProven: boolean;
  /** What was asked for today; nothing where no limit asks for it. */
  readonly sumMinor: bigint;
  readonly payouts: number;
  /** Of payouts of the same amount: whether nobody knows what became of one, and when the last was asked for. */
  readonly hasUnknown: boolean;
  readonly lastAt: Date | null;
}

/** What did not leave after all. */
const UNSENT = "('failed', 'canceled')";

/** Those that are known, by the places of the wishes. */
export function findDestinations(
  tx: Tx,
  wishes: readonly DestinationWish[],
  { today, since }: { readonly today: string; readonly since: Date },
): Promise<KnownDestination[]> {
  return tx.query<KnownDestination>(
    `select asked.place, destination.id, destination.first_done_at is not null as "isProven",
            day.sum as "sumMinor", day.count as payouts,
            (select true from payouts where destination_id = destination.id and state = 'unknown'
                      and amount_minor = asked."amountMinor" limit 1) is true as "hasUnknown",
            (select created_at from payouts
             where destination_id = destination.id and created_at > $3
               and amount_minor = asked."amountMinor" and state not in ${UNSENT}
             order by created_at desc limit 1) as "lastAt"
     from json_to_recordset($1) as asked(place integer, "userId" uuid, digests text[],
       "amountMinor" bigint, "isLimited" boolean)
     cross join lateral (
       select * from payout_destinations
       where user_id = asked."userId" and digest = decode(asked.digests[1], 'hex')
       union all
       select * from payout_destinations
       where user_id = asked."userId" and digest = decode(asked.digests[2], 'hex')
       limit 1) destination
     cross join lateral (
       select coalesce(sum(amount_minor), 0)::bigint as sum, count(*)::integer as count from payouts
       where asked."isLimited" and destination_id = destination.id and created_at > $3
         and created_on = $2 and state not in ${UNSENT}) day`,
    [rowsOf(wishes.map((wish, place) => ({ ...wish, place }))), today, since],
  );
}

export interface NewDestination {
  readonly id: string;
  readonly user_id: string;
  readonly service: PayoutService;
  readonly bank_id: string | null;
  readonly currency: string;
  readonly digest: Buffer;
  readonly number_sealed: Buffer;
  readonly masked: string;
}

export async function addDestinations(
  tx: Tx,
  destinations: readonly NewDestination[],
  now: Date,
): Promise<void> {
  if (destinations.length === 0) return;
  await addRows(
    tx,
    `insert into payout_destinations (id, user_id, service, bank_id, currency, digest, number_sealed,
       masked, created_at)`,
    destinations.map((one) => ({ ...one, created_at: now })),
  );
}

export interface DayKey {
  readonly userId: string;
  readonly service: PayoutService;
  readonly currency: string;
}

/** What users have asked for on a day. */
export function daysOf(
  tx: Tx,
  userIds: readonly string[],
  day: string,
): Promise<(DayKey & DayTotal)[]> {
  return tx.query<DayKey & DayTotal>(
    `select user_id as "userId", service, currency, sum_minor as "sumMinor", payouts
     from payout_days where user_id = any($1::uuid[]) and day = $2`,
    [[...new Set(userIds)], day],
  );
}

interface DayChange extends DayKey, DayTotal {
  readonly day: string;
}

export async function addToDays(tx: Tx, changes: readonly DayChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `insert into payout_days as known (user_id, service, currency, day, sum_minor, payouts)
     select "userId", service, currency, day, "sumMinor", payouts
     from json_to_recordset($1) as fresh("userId" uuid, service text, currency text, day date,
       "sumMinor" bigint, payouts integer)
     order by 1, 2, 3, 4
     on conflict (user_id, service, currency, day) do update
     set sum_minor = known.sum_minor + excluded.sum_minor, payouts = known.payouts + excluded.payouts`,
    [rowsOf(changes)],
  );
}

/** Of payouts that did not leave after all; their day has them. */
export async function takeFromDays(tx: Tx, gone: readonly DayChange[]): Promise<void> {
  if (gone.length === 0) return;
  await tx.query(
    `update payout_days known set sum_minor = sum_minor - sum, payouts = payouts - count
     from (select "userId", service, currency, day, sum("sumMinor") as sum, sum(payouts) as count
           from json_to_recordset($1) as gone("userId" uuid, service text, currency text, day date,
             "sumMinor" bigint, payouts integer)
           group by 1, 2, 3, 4) lost
     where known.user_id = any($2::uuid[]) and (known.user_id, known.service, known.currency, known.day)
       = (lost."userId", lost.service, lost.currency, lost.day)`,
    [rowsOf(gone), gone.map(({ userId }) => userId)],
  );
}

/** Money has arrived there. */
export async function proveDestinations(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update payout_destinations set first_done_at = $2
     where id = any($1::uuid[]) and first_done_at is null`,
    [ids, now],
  );
}

/**
 * Their money came back: where no other has arrived, none has. The payouts are no longer done, and their users' balances
 * are locked, so that of two that come back at once the second sees the first.
 */
export async function unproveDestinations(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  // What has left and did not come back is done; said so, it is found by the destination, never by the state.
  await tx.query(
    `update payout_destinations destination set first_done_at = null
     where id = any($1::uuid[])
       and (select true from payouts where destination_id = destination.id
              and done_at is not null and state <> 'returned' limit 1) is null`,
    [ids],
  );
}

const SEALED = "id, user_id, service, bank_id, currency, digest, number_sealed, masked";

export function sealedDestinations(
  db: Queryable,
  ids: readonly string[],
): Promise<NewDestination[]> {
  return db.query<NewDestination>(
    `select ${SEALED} from payout_destinations where id = any($1::uuid[])`,
    [ids],
  );
}

export interface Destination {
  readonly service: PayoutService;
  readonly currency: string;
  readonly number: string;
  readonly bankId: string | null;
}

/** By each key of the ring: what is known may be of either. */
export function destinationDigests({ secrets }: App, one: Destination): string[] {
  return secrets.fingerprints(PURPOSE, textOf(one)).map((digest) => digest.toString("hex"));
}

export function destinationDigest(secrets: Secrets, one: Destination): Buffer {
  return secrets.fingerprint(PURPOSE, textOf(one));
}

export function sealDestination(
  { secrets }: Pick<App, "secrets">,
  id: string,
  userId: string,
  one: Destination,
): NewDestination {
  return {
    id,
    user_id: userId,
    service: one.service,
    bank_id: one.bankId,
    currency: one.currency,
    digest: destinationDigest(secrets, one),
    number_sealed: secrets.seal(destinationSeal(id), one.number),
    masked: maskDestination(one.number),
  };
}

export function openDestination(
  secrets: Secrets,
  { id, number_sealed }: Pick<NewDestination, "id" | "number_sealed">,
): string {
  return secrets.open(destinationSeal(id), number_sealed);
}

const PURPOSE = "payout destination";

function textOf({ service, currency, number, bankId }: Destination): string {
  return [service, currency, number, bankId ?? ""].join(" ");
}

export function destinationSeal(id: string): string {
  return `${id} payout destination`;
}
