// GET /cabinet/tallies, /cabinet/pay-speeds, /cabinet/hook-tallies: the same figures as an operator sees, of one
// merchant's shops alone. Guards that what is told of payouts is counted only for who may see payouts.

import { oneOf, uuid } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { refuseWithout } from "../merchants/member.ts";
import { ownShopIds, ownView } from "../merchants/own-doors.ts";
import { HookTalliesData, hookPeriodInput, readHookTallies } from "./hook-tallies.ts";
import {
  byInput,
  PaySpeedsData,
  periodInput,
  readPaySpeeds,
  readTallies,
  TalliesData,
} from "./tallies.ts";

const shop_id = Type.Optional(uuid({ description: "Only of this shop." }));
const notFound = "The merchant has no such shop.";

export const readOwnTallies = ownView({
  path: "/cabinet/tallies",
  summary: "Read figures of a period",
  description:
    "Invoices, payments and money of the merchant's shops together or of one, counted hour by hour and about a minute late. What had nothing is there with zeros.",
  right: "balance",
  input: Type.Object({ ...periodInput, by: byInput, shop_id }),
  data: TalliesData,
  notFound,
  async read(app, { shop_id: asked, ...wish }, member) {
    return readTallies(app, { ...wish, shopIds: await ownShopIds(app.db, member, asked) });
  },
});

export const readOwnPaySpeeds = ownView({
  path: "/cabinet/pay-speeds",
  summary: "Read how fast payers pay",
  description:
    "The time from details to money of what was paid to the merchant's shops on each day: half, and nine of ten.",
  right: "balance",
  input: Type.Object({ ...periodInput, shop_id }),
  data: PaySpeedsData,
  notFound,
  async read(app, { shop_id: asked, ...wish }, member) {
    return readPaySpeeds(app, { ...wish, shopIds: await ownShopIds(app.db, member, asked) });
  },
});

export const readOwnHookTallies = ownView({
  path: "/cabinet/hook-tallies",
  summary: "Read how the merchant's servers heard",
  description:
    "What became of the events of each day, whenever that was, and how long the merchant's servers took to answer.",
  right: "look",
  input: Type.Object({
    ...hookPeriodInput,
    about: Type.Optional(
      oneOf(["invoices", "payouts"], { description: "What they are about; invoices." }),
    ),
    shop_id,
  }),
  data: HookTalliesData,
  notFound,
  async read(app, { shop_id: asked, about, ...wish }, member) {
    if (about === "payouts") refuseWithout("balance", member);
    const shopIds = await ownShopIds(app.db, member, asked);
    return readHookTallies(app, {
      ...{ ...wish, ownerIds: about === "payouts" ? [member.userId] : shopIds },
    });
  },
});
