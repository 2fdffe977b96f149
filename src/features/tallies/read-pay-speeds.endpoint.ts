// GET /manage/pay-speeds: how long payers take from details to money, day by day.

import { uuid } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { view } from "../operators/doors.ts";
import { PaySpeedsData, periodInput, readPaySpeeds } from "./tallies.ts";

export const readPaySpeedsDoor = view({
  path: "/manage/pay-speeds",
  summary: "Read how fast payers pay",
  description:
    "The time from details to money of what was paid on each day: half, and nine of ten.",
  input: Type.Object({
    ...periodInput,
    shop_id: Type.Optional(uuid({ description: "Only of this shop." })),
  }),
  data: PaySpeedsData,
  read: (app, { shop_id, ...wish }) =>
    readPaySpeeds(app, { ...wish, shopIds: shop_id === undefined ? undefined : [shop_id] }),
});
