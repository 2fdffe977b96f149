// Every statement about services and tariffs.

import type { Tariff } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { remembering } from "../../platform/remember.ts";
import type { Shop } from "../merchants/principal.ts";

interface TariffRow {
  readonly shop_id: string;
  readonly service: string;
  readonly service_label: string;
  readonly currency: string;
  readonly percent_ppm: number;
  readonly shop_percent_ppm: number;
  readonly user_percent_ppm: number;
  readonly fix_minor: bigint;
  readonly min_minor: bigint;
  readonly max_minor: bigint;
  readonly enabled: boolean;
}

export interface ShopTariff extends Tariff {
  readonly serviceLabel: string;
}

const RATES = `tariff.service, tariff.currency, tariff.percent_ppm, tariff.shop_percent_ppm,
            tariff.user_percent_ppm, tariff.fix_minor, tariff.min_minor, tariff.max_minor,
            tariff.enabled`;

/** Each shop's own tariffs, and the defaults where it has none of its own. */
export async function tariffsOfShops(
  db: Queryable,
  shopIds: readonly string[],
): Promise<Map<string, readonly ShopTariff[]>> {
  const rows = await db.query<TariffRow>(
    `select tariff.shop_id, ${RATES}, service.label as service_label
     from (select shop_id, ${RATES} from tariffs tariff where shop_id = any($1::uuid[])
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
  const byShop = Map.groupBy(rows, (row) => row.shop_id);
  return new Map(shopIds.map((shopId) => [shopId, (byShop.get(shopId) ?? []).map(toTariff)]));
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

function toTariff(row: TariffRow): ShopTariff {
  return {
    service: row.service,
    serviceLabel: row.service_label,
    currency: row.currency,
    percentPpm: row.percent_ppm,
    shopPercentPpm: row.shop_percent_ppm,
    userPercentPpm: row.user_percent_ppm,
    fixMinor: row.fix_minor,
    minMinor: row.min_minor,
    maxMinor: row.max_minor,
    enabled: row.enabled,
  };
}

export interface NewTariff extends Tariff {
  readonly shopId: string;
}

export async function addTariffs(tx: Tx, tariffs: readonly NewTariff[]): Promise<void> {
  await tx.query(
    `insert into tariffs (shop_id, service, currency, percent_ppm, shop_percent_ppm,
       user_percent_ppm, fix_minor, min_minor, max_minor, enabled)
     select "shopId", service, currency, "percentPpm", "shopPercentPpm", "userPercentPpm",
            "fixMinor", "minMinor", "maxMinor", enabled
     from json_to_recordset($1) as fresh("shopId" uuid, service text, currency text,
       "percentPpm" integer, "shopPercentPpm" integer, "userPercentPpm" integer,
       "fixMinor" bigint, "minMinor" bigint, "maxMinor" bigint, enabled boolean)
     on conflict do nothing`,
    [rowsOf(tariffs)],
  );
}

/** Exactly what was set for a shop, or as a default. */
export async function ownTariffs(db: Queryable, shopId: string | null): Promise<Tariff[]> {
  const rows =
    shopId === null
      ? await db.query<TariffRow>(
          `select ${RATES} from default_tariffs tariff order by service, currency`,
          [],
        )
      : await db.query<TariffRow>(
          `select ${RATES} from tariffs tariff where shop_id = $1 order by service, currency`,
          [shopId],
        );
  return rows.map(toTariff);
}

interface TariffKey {
  readonly shopId: string | null;
  readonly service: string;
  readonly currency: string;
}

/** The caller holds the lock of the service, so the tariff stands still. */
export async function lockTariff(tx: Tx, key: TariffKey): Promise<Tariff | undefined> {
  const tariffs = await ownTariffs(tx, key.shopId);
  return tariffs.find(
    ({ service, currency }) => service === key.service && currency === key.currency,
  );
}

export async function setTariff(
  tx: Tx,
  tariff: Tariff & { readonly shopId: string | null },
): Promise<void> {
  await removeTariff(tx, tariff);
  if (tariff.shopId !== null) return addTariffs(tx, [{ ...tariff, shopId: tariff.shopId }]);
  await tx.query(
    `insert into default_tariffs (service, currency, percent_ppm, shop_percent_ppm,
       user_percent_ppm, fix_minor, min_minor, max_minor, enabled)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      tariff.service,
      tariff.currency,
      tariff.percentPpm,
      tariff.shopPercentPpm,
      tariff.userPercentPpm,
      tariff.fixMinor,
      tariff.minMinor,
      tariff.maxMinor,
      tariff.enabled,
    ],
  );
}

export async function removeTariff(
  tx: Tx,
  { shopId, service, currency }: TariffKey,
): Promise<void> {
  if (shopId === null) {
    await tx.query("delete from default_tariffs where service = $1 and currency = $2", [
      service,
      currency,
    ]);
    return;
  }
  await tx.query("delete from tariffs where shop_id = $1 and service = $2 and currency = $3", [
    shopId,
    service,
    currency,
  ]);
}

export interface ServiceRow {
  readonly code: string;
  readonly label: string;
  readonly freeze_seconds: number;
}

export function listServices(db: Queryable): Promise<ServiceRow[]> {
  return db.query<ServiceRow>("select code, label, freeze_seconds from services order by code", []);
}

export async function lockService(tx: Tx, code: string): Promise<ServiceRow | undefined> {
  const [row] = await tx.query<ServiceRow>(
    "select code, label, freeze_seconds from services where code = $1 for no key update",
    [code],
  );
  return row;
}

export async function updateService(
  tx: Tx,
  { code, label, freeze_seconds }: ServiceRow,
): Promise<void> {
  await tx.query("update services set label = $2, freeze_seconds = $3 where code = $1", [
    code,
    label,
    freeze_seconds,
  ]);
}
