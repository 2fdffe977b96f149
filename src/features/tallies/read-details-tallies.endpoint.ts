// GET /manage/details-tallies: why details were refused, and how often an amount was raised, by hour or day.

import { oneOf, uuid } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { view } from "../operators/doors.ts";
import { sumDetails } from "./queries.ts";
import { count, keysOf, periodInput, periodOf } from "./tallies.ts";

const { currency: _noCurrency, ...period } = periodInput;

export const readDetailsTallies = view({
  path: "/manage/details-tallies",
  summary: "Read why details were refused",
  description:
    "Answers to who asked for details and got none, and those with a raised amount. Each gateway counts them in its memory and writes them down every ten seconds: one that crashes loses at most ten seconds of these figures, and nothing else.",
  input: Type.Object({
    ...period,
    by: Type.Optional(
      oneOf(["day", "hour"], {
        description: "What they are told for: each hour (the default), or each day.",
        examples: ["hour"],
      }),
    ),
    shop_id: Type.Optional(uuid({ description: "Only of this shop." })),
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        key: Type.String({
          description: "The hour's first moment in UTC, or the day.",
          examples: ["2026-03-01T09:00:00.000Z"],
        }),
        nothing_free: count("Every requisite that suits has this amount held.", 2),
        limits: count("Those that suit are full, or do not take such an amount.", 1),
        share: count("What is free is more than the share of the shop, user or payer.", 0),
        off: count("No requisite suits, or the method is switched off.", 0),
        invoice: count("The invoice can have none: it is over, paid, or has had too many.", 4),
        raised: count("Details were given, with an amount that was raised a little.", 7),
      }),
    ),
  }),
  async read(app, { shop_id, by = "hour", ...wish }) {
    const shopIds = shop_id === undefined ? undefined : [shop_id];
    const wanted = periodOf(app, { ...wish, shopIds }, by);
    const rows = await sumDetails(app.db, by, wanted);
    const times = new Map(rows.map((row) => [`${row.key} ${row.outcome}`, Number(row.times)]));
    const items = (keysOf(by, wanted) ?? []).map((key) => {
      const of = (outcome: string): number => times.get(`${key} ${outcome}`) ?? 0;
      return {
        ...{ key, nothing_free: of("nothing_free"), limits: of("limits"), share: of("share") },
        ...{ off: of("off"), invoice: of("invoice"), raised: of("raised") },
      };
    });
    return { items };
  },
});
