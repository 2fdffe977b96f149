// GET /manage/hook-tallies: how webhooks were heard, day by day.

import { uuid } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { view } from "../operators/doors.ts";
import { HookTalliesData, hookPeriodInput, readHookTallies } from "./hook-tallies.ts";

export const readHookTalliesDoor = view({
  path: "/manage/hook-tallies",
  summary: "Read how webhooks were heard",
  description:
    "What became of the events of each day, whenever that was, and how long receivers took to answer.",
  input: Type.Object({
    ...hookPeriodInput,
    shop_id: Type.Optional(uuid({ description: "Only of this shop." })),
  }),
  data: HookTalliesData,
  read: (app, { shop_id, ...wish }) =>
    readHookTallies(app, { ...wish, ownerIds: shop_id === undefined ? undefined : [shop_id] }),
});
