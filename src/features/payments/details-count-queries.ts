// Adding what a gateway has counted of details to its hours.

import { type Queryable, rowsOf } from "../../platform/db.ts";
import { BEFORE_ALL_IDS } from "../../platform/id.ts";
import type { DetailsCount } from "./details-count.ts";

/** In one order, so that gateways that do so at once wait for each other and no more. */
export async function addDetailsCounts(
  db: Queryable,
  counts: readonly DetailsCount[],
): Promise<void> {
  await db.query(
    `insert into details_tallies as old (hour, shop_id, outcome, times)
     select hour, coalesce("shopId", '${BEFORE_ALL_IDS}'), outcome, sum(times)
     from json_to_recordset($1) as fresh(hour timestamptz, "shopId" uuid, outcome text, times bigint)
     group by grouping sets ((hour, "shopId", outcome), (hour, outcome))
     order by 1, 2, 3
     on conflict (hour, shop_id, outcome) do update set times = old.times + excluded.times`,
    [rowsOf(counts)],
  );
}
