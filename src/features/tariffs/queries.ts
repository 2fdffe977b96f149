// Every statement about services and tariffs.

import type { Tariff } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import { remembering } from "../../platform/remember.ts";
import type { Shop } from "../merchants/principal.ts";
import type { RowOf } from "../operators/noun.ts";
import type { Services } from "./nouns.ts";

export interface ShopTariff extends Tariff {
  readonly serviceLabel: string;
}

/** The columns of a tariff, and what the code calls them. */
const COLUMNS = {
  service: "service",
  currency: "currency",
  percent_ppm: "percentPpm",
  shop_percent_ppm: "shopPercentPpm",
  user_percent_ppm: "userPercentPpm",
  fix_minor: "fixMinor",
  min_minor: "minMinor",
  max_minor: "maxMinor",
  enabled: "enabled",
} as const satisfies Record<string, keyof Tariff>;

const RATES = Object.keys(COLUMNS).join(", ");
const AS_TARIFF = Object.entries(COLUMNS)
  .map(([column, name]) => `tariff.${column} as "${name}"`)
  .join(", ");

/** Each shop's own tariffs, and the defaults where it has none of its own. */
export async function tariffsOfShops(
  db: Queryable,
  shopIds: readonly string[],
): Promise<Map<string, readonly ShopTariff[]>> {
  const rows = await db.query<ShopTariff & { readonly shopId: string }>(
    `select tariff.shop_id as "shopId", ${AS_TARIFF}, service.label as "serviceLabel"
     from (select shop_id, ${RATES} from tariffs where shop_id = any($1::uuid[])
           union all
           select shop_id, ${RATES}
           from default_tariffs tariff cross join unnest($1::uuid[]) as shop_id
           where not exists (
             select from tariffs own where own.shop_id = shop_id.shop_id
               and own.service = tariff.service and own.currency = tariff.currency)) tariff
     join services service on service.code = tariff.service
     order by tariff.service, tariff.currency`,
    [[...new Set(shopIds)]],
  );
  const byShop = Map.groupBy(rows, ({ shopId }) => shopId);
  return new Map(shopIds.map((shopId) => [shopId, byShop.get(shopId) ?? []]));
}

const recall = remembering(tariffsOfShops);

/** The same for shops that call, without a statement while the settings stand still. */
export function termsOf(
  app: App,
  shops: readonly Pick<Shop, "id" | "settingsVersion">[],
): Promise<ReadonlyMap<string, readonly ShopTariff[]>> {
  return recall(
    app,
    shops,
    shops.map(({ id }) => id),
  );
}

export interface NewTariff extends Tariff {
  readonly shopId: string;
}

function toRow(tariff: Tariff): object {
  const values = Object.entries(COLUMNS).map(([column, name]) => [column, tariff[name]]);
  return Object.fromEntries(values);
}

export async function addTariffs(tx: Tx, tariffs: readonly NewTariff[]): Promise<void> {
  const rows = tariffs.map((tariff) => ({ ...toRow(tariff), shop_id: tariff.shopId }));
  await addRows(tx, `insert into tariffs (shop_id, ${RATES})`, rows, "on conflict do nothing");
}

interface TariffKey {
  /** Null for the default of all shops. */
  readonly shopId: string | null;
  readonly service: string;
  readonly currency: string;
}

/** Exactly what was set for a shop, or as a default. */
export function ownTariffs(db: Queryable, shopId: TariffKey["shopId"]): Promise<Tariff[]> {
  const from =
    shopId === null
      ? "default_tariffs tariff where $1::uuid is null"
      : "tariffs tariff where shop_id = $1";
  return db.query(`select ${AS_TARIFF} from ${from} order by service, currency`, [shopId]);
}

export const MOST_EXCEPTIONS = 500;

/** What shops have of their own instead of the defaults, shop by shop. */
export function exceptions(db: Queryable): Promise<(Tariff & { readonly shop_id: string })[]> {
  return db.query(
    `select shop_id, ${AS_TARIFF} from tariffs tariff order by shop_id, service, currency
     limit ${MOST_EXCEPTIONS}`,
  );
}

/** Whoever changes a tariff locks its service first, so that it stands still, also before there is one. */
export async function lockTariff(tx: Tx, key: TariffKey): Promise<Tariff | undefined> {
  await tx.query("select from services where code = $1 for no key update", [key.service]);
  const tariffs = await ownTariffs(tx, key.shopId);
  return tariffs.find(
    ({ service, currency }) => service === key.service && currency === key.currency,
  );
}

export async function setTariff(
  tx: Tx,
  tariff: Tariff & { readonly shopId: string | null },
): Promise<void> {
  const { shopId } = tariff;
  await removeTariff(tx, tariff);
  if (shopId !== null) return addTariffs(tx, [{ ...tariff, shopId }]);
  await addRows(tx, `insert into default_tariffs (${RATES})`, [toRow(tariff)]);
}

export async function removeTariff(tx: Tx, key: TariffKey): Promise<void> {
  const { shopId, service, currency } = key;
  await tx.query(
    shopId === null
      ? `delete from default_tariffs
         where $1::uuid is null and service = $2 and currency = $3`
      : "delete from tariffs where shop_id = $1 and service = $2 and currency = $3",
    [shopId, service, currency],
  );
}

export async function updateService(
  tx: Tx,
  { code, label, freeze_seconds }: RowOf<typeof Services>,
): Promise<void> {
  await tx.query("update services set label = $2, freeze_seconds = $3 where code = $1", [
    code,
    label,
    freeze_seconds,
  ]);
}
