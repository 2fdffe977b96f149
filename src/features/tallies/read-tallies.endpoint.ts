// GET /manage/tallies: what happened in a period, by day, hour, method or shop, for charts.

import { uuid } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { view } from "../operators/doors.ts";
import { byInput, periodInput, readTallies, TalliesData } from "./tallies.ts";

export const readTalliesDoor = view({
  path: "/manage/tallies",
  summary: "Read figures of a period",
  description:
    "Invoices, payments and money of a period, counted hour by hour and about a minute late. What had nothing is there with zeros.",
  input: Type.Object({
    ...periodInput,
    by: byInput,
    shop_id: Type.Optional(uuid({ description: "Only of this shop." })),
  }),
  data: TalliesData,
  read: (app, { shop_id, ...wish }) =>
    readTallies(app, { ...wish, shopIds: shop_id === undefined ? undefined : [shop_id] }),
});
