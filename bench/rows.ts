// Every row there is, in the order of the table.

import { COSTS } from "./cost-rows.ts";
import { CROWDS } from "./crowd-rows.ts";
import { DOORS } from "./door-rows.ts";
import { FLOODS } from "./flood-rows.ts";
import { IMPORTS } from "./import-rows.ts";
import { PAYOUT_ROWS } from "./payout-rows.ts";
import type { Group } from "./row.ts";
import { SIZES } from "./size-rows.ts";
import { STARTS } from "./start-rows.ts";
import { STRANGERS } from "./stranger-rows.ts";
import { TROUBLES } from "./trouble-rows.ts";

export const GROUPS: readonly Group[] = [
  STARTS,
  DOORS,
  PAYOUT_ROWS,
  CROWDS,
  SIZES,
  TROUBLES,
  IMPORTS,
  STRANGERS,
  FLOODS,
  COSTS,
];

export const ROW_NAMES: readonly string[] = GROUPS.flatMap(({ rows }) =>
  rows.map(({ name }) => name),
);
