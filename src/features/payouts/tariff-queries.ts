// Every statement about what payouts cost, and what their limits are.

import type { PayoutTerms } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import { remembering } from "../../platform/remember.ts";
import type { User } from "../merchants/principal.ts";

/** The columns of a tariff, and what the code calls them. */
const COLUMNS = {
  service: "service",
  currency: "currency",
  percent_ppm: "percentPpm",
  fix_minor: "fixMinor",
  min_minor: "minMinor",
  max_minor: "maxMinor",
  day_sum_minor: "daySumMinor",
  day_count: "dayCount",
  destination_day_sum_minor: "destinationDaySumMinor",
  destination_day_count: "destinationDayCount",
  hold_over_minor: "holdOverMinor",
  hold_first: "holdFirst",
  hold_day_sum_minor: "holdDaySumMinor",
  four_eyes_over_minor: "fourEyesOverMinor",
  hold_seconds: "holdSeconds",
  refunds_fee: "refundsFee",
  enabled: "enabled",
} as const satisfies Record<string, keyof PayoutTerms>;

const AS_TERMS = Object.entries(COLUMNS)
  .map(([column, name]) => `tariff.${column} as "${name}"`)
  .join(", ");

/** Each user's own, and those for everybody where they have none of their own. */
export async function payoutTermsOfUsers(
  db: Queryable,
  userIds: readonly string[],
): Promise<Map<string, readonly PayoutTerms[]>> {
  const rows = await db.query<PayoutTerms & { readonly userId: string }>(
    `select asked.id as "userId", ${AS_TERMS}
     from unnest($1::uuid[]) as asked(id)
     cross join lateral (
       select distinct on (service, currency) * from payout_tariffs
       where user_id = asked.id or user_id is null
       order by service, currency, user_id nulls last) tariff
     order by tariff.service, tariff.currency`,
    [[...new Set(userIds)]],
  );
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  return new Map(userIds.map((id) => [id, byUser.get(id) ?? []]));
}

const recall = remembering(payoutTermsOfUsers);

/** The same for users who call, without a statement while the settings stand still. */
export function payoutTermsOf(
  app: App,
  users: readonly Pick<User, "id" | "settingsVersion">[],
): Promise<ReadonlyMap<string, readonly PayoutTerms[]>> {
  return recall(
    app,
    users,
    users.map(({ id }) => id),
  );
}

export interface NewPayoutTariff extends PayoutTerms {
  readonly id: string;
  /** Null for everybody. */
  readonly userId: string | null;
}

function toRow(tariff: NewPayoutTariff): object {
  const values = Object.entries(COLUMNS).map(([column, name]) => [column, tariff[name]]);
  return { ...Object.fromEntries(values), id: tariff.id, user_id: tariff.userId };
}

const ALL_COLUMNS = ["id", "user_id", ...Object.keys(COLUMNS)].join(", ");

/** What is there already stays as it is. */
export async function addPayoutTariffs(tx: Tx, tariffs: readonly NewPayoutTariff[]): Promise<void> {
  const insert = `insert into payout_tariffs (${ALL_COLUMNS})`;
  await addRows(tx, insert, tariffs.map(toRow), "on conflict do nothing");
}

type TariffKey = Pick<NewPayoutTariff, "userId" | "service" | "currency">;

/** Exactly what was set for a user, or for all. */
export function ownPayoutTariffs(db: Queryable, userId: string | null): Promise<PayoutTerms[]> {
  return db.query<PayoutTerms>(
    `select ${AS_TERMS} from payout_tariffs tariff
     where tariff.user_id is not distinct from $1 order by tariff.service, tariff.currency`,
    [userId],
  );
}

/** Nobody else sets or removes one until the transaction ends, also where there is none. */
export async function lockPayoutTariff(
  tx: Tx,
  { userId, service, currency }: TariffKey,
): Promise<PayoutTerms | undefined> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('payout tariffs', 0))", []);
  const tariffs = await ownPayoutTariffs(tx, userId);
  return tariffs.find((one) => one.service === service && one.currency === currency);
}

export async function setPayoutTariff(tx: Tx, tariff: NewPayoutTariff): Promise<void> {
  await removePayoutTariff(tx, tariff);
  await addRows(tx, `insert into payout_tariffs (${ALL_COLUMNS})`, [toRow(tariff)]);
}

export async function removePayoutTariff(tx: Tx, key: TariffKey): Promise<void> {
  await tx.query(
    `delete from payout_tariffs
     where user_id is not distinct from $1 and service = $2 and currency = $3`,
    [key.userId, key.service, key.currency],
  );
}
