// GET /cabinet/statistics: the same statistics as an operator sees, of one merchant's shops.

import { ownShopIds, ownView } from "../merchants/own-doors.ts";
import { readStatistics, StatisticsData, StatisticsInput } from "./statistics.ts";

export const readOwnStatistics = ownView({
  path: "/cabinet/statistics",
  summary: "Read statistics of a period",
  description:
    "Invoices, payments and money of the merchant's shops together or of one, counted hour by hour about once a minute. A day or an hour without anything has zeros.",
  right: "balance",
  input: StatisticsInput,
  data: StatisticsData,
  notFound: "The merchant has no such shop.",
  async read(app, { shop_id: asked, ...wish }, member) {
    return readStatistics(app, { ...wish, shopIds: await ownShopIds(app.db, member, asked) });
  },
});
