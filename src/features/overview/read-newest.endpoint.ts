// /manage/newest, /cabinet/newest: whether there is something new, for who watches.

import { Type, textOrNull } from "../../platform/field.ts";
import { ownView } from "../merchants/member.ts";
import { view } from "../operators/doors.ts";
import { newestOfAll, newestOfUser } from "./newest-queries.ts";

const data = Type.Object({
  invoices: textOrNull({ description: "The newest invoice." }, "uuid"),
  transfers: textOrNull({ description: "The newest transfer, where they are seen." }, "uuid"),
  payouts: textOrNull({ description: "The newest payout." }, "uuid"),
  events: textOrNull(
    { description: "The newest event: every change of an invoice has one." },
    "uuid",
  ),
});

const NOTHING = { invoices: null, transfers: null, payouts: null, events: null };

export const readNewest = view({
  path: "/manage/newest",
  summary: "What is newest",
  description: "The newest of each; whoever watches asks again and compares.",
  input: Type.Object({}),
  data,
  async read({ db }) {
    return (await newestOfAll(db)) ?? NOTHING;
  },
});

export const readOwnNewest = ownView({
  path: "/cabinet/newest",
  summary: "What is newest of your merchant's",
  description: "The newest of each; whoever watches asks again and compares.",
  right: "look",
  input: Type.Object({}),
  data,
  async read({ db }, _input, { userId }) {
    return (await newestOfUser(db, userId)) ?? NOTHING;
  },
});
