// GET /manage/statistics: invoices and money of a period, by day, hour, method or shop.

import { view } from "../operators/doors.ts";
import { readStatistics, StatisticsData, StatisticsInput } from "./statistics.ts";

export const readAllStatistics = view({
  path: "/manage/statistics",
  summary: "Read statistics of a period",
  description:
    "Invoices, payments and money of a period, counted hour by hour about once a minute. A day or an hour without anything has zeros.",
  input: StatisticsInput,
  data: StatisticsData,
  read: (app, { shop_id, ...wish }) =>
    readStatistics(app, { ...wish, shopIds: shop_id === undefined ? undefined : [shop_id] }),
});
