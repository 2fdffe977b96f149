// Every statement about services and tariffs.

import type { Tariff } from "../../domain/tariff.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

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

export async function tariffsOfShops(
  db: Queryable,
  shopIds: readonly string[],
): Promise<Map<string, ShopTariff[]>> {
  const rows = await db.query<TariffRow>(
    `select tariff.shop_id, tariff.service, service.label as service_label, tariff.currency,
            tariff.percent_ppm, tariff.shop_percent_ppm, tariff.user_percent_ppm,
            tariff.fix_minor, tariff.min_minor, tariff.max_minor, tariff.enabled
     from tariffs tariff join services service on service.code = tariff.service
     where tariff.shop_id = any($1::uuid[])
     order by tariff.service, tariff.currency`,
    [[...new Set(shopIds)]],
  );
  return Map.groupBy(rows, (row) => row.shop_id)
    .entries()
    .reduce((all, [shopId, own]) => all.set(shopId, own.map(toTariff)), new Map());
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
