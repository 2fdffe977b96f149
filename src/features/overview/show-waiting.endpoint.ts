// GET /manage/waiting: what waits for a person, for whoever sits down to work.

import { momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { numberOrNull, oneOf, Type, textOrNull, uuid } from "../../platform/field.ts";
import { view } from "../operators/doors.ts";
import { everythingThatWaits, MOST_COUNTED, WAITING_KINDS } from "./waiting-queries.ts";

export const showWaiting = view({
  path: "/manage/waiting",
  summary: "What waits for a person",
  description:
    "Only kinds that something waits of, in the order that they should be looked at; what is of " +
    "money has an item for each currency.",
  input: Type.Object({}),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        kind: oneOf(WAITING_KINDS, { description: "What waits.", examples: ["suspense"] }),
        count: Type.Integer({
          description: `How many; exact up to ${MOST_COUNTED}.`,
          examples: [3],
        }),
        capped: Type.Boolean({
          description: "Whether there are more: then count, amount and oldest_at are of the first.",
        }),
        amount: numberOrNull({
          description: "How much money it is, or null.",
          examples: [1020.37],
        }),
        currency: textOrNull({ description: "Its currency, or null." }),
        oldest_at: textOrNull(
          { description: "Since when the oldest waits, or null." },
          "date-time",
        ),
        first_id: uuid({ description: "The oldest of them." }),
      }),
    ),
  }),
  async read({ db, clock, config }) {
    const now = clock.now();
    const rows = await everythingThatWaits(db, now, momentFormat(config.timeZone).day(now));
    return {
      items: rows.map(({ kind, count, capped, amount_minor, currency, oldest_at, first_id }) => ({
        kind,
        count,
        capped,
        amount: amount_minor === null ? null : toDecimalNumber(amount_minor),
        currency,
        oldest_at: oldest_at?.toISOString() ?? null,
        first_id,
      })),
    };
  },
});
