// GET /manage/suspense-flows: money that began to wait without an owner, and money that ceased to, day by day. It is
// read where it stands, by the index of its account: as many postings as waited, however many there are.

import { toDecimalNumber } from "../../domain/money.ts";
import { Type } from "../../platform/schema.ts";
import { view } from "../operators/doors.ts";
import { sumSuspense } from "./queries.ts";
import { amount, count, daysOf, inCurrency, periodInput, periodOf } from "./tallies.ts";

const NONE = { came: 0n, came_minor: 0n, assigned_minor: 0n, left_minor: 0n };

export const readSuspenseFlows = view({
  path: "/manage/suspense-flows",
  summary: "Read how money came to wait, and ceased to",
  description:
    "The account of what waits without an owner, day by day: each day is the sum of that day's entries in the statement of `suspense`.",
  input: Type.Object(periodInput),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        day: Type.String({ description: "The day.", examples: ["2026-03-01"] }),
        came: count("Transfers that began to wait.", 3),
        came_amount: amount("Their money.", 4500),
        assigned_amount: amount("Money that was assigned to a payment.", 3000),
        left_amount: amount("Money that left in another way: returned, own, a payout's.", 500),
      }),
    ),
  }),
  async read(app, wish) {
    const period = periodOf(app, await inCurrency(app, { ...wish, shopIds: undefined }), "day");
    const rows = new Map((await sumSuspense(app.db, period)).map((row) => [row.day, row]));
    const items = daysOf(period).map((day) => {
      const { came, came_minor, assigned_minor, left_minor } = rows.get(day) ?? NONE;
      return {
        ...{ day, came: Number(came), came_amount: toDecimalNumber(came_minor) },
        assigned_amount: toDecimalNumber(assigned_minor),
        left_amount: toDecimalNumber(left_minor),
      };
    });
    return { items };
  },
});
