// The commands that look across everything: what waits, what something is, how it is.

import type { Doors } from "./command.ts";
import { SAMPLE_ID as ID } from "./manual.ts";

export const OVERVIEW: Doors = {
  waiting: {
    call: "GET /manage/waiting",
    columns: "kind count capped amount currency oldest_at first_id",
  },
  find: {
    call: "GET /manage/find",
    places: ["q"],
    columns: "kind id title detail",
  },
  newest: { call: "GET /manage/newest" },
  health: { call: "GET /manage/health" },
  "books show": { call: "GET /manage/books" },
  "books check": { call: "POST /manage/books/check" },
  "tariff try": {
    call: "GET /manage/tariffs/try",
    places: ["service"],
    example: `--shop-id ${ID} --shop-percent 4 --user-percent 0`,
  },
  "requisite slots": {
    call: "GET /manage/requisites/{requisite_id}/slots",
    columns: "amount phase payment_id payment_state ends_at held_until",
    example: "--amount 1000",
  },
  statistics: {
    call: "GET /manage/statistics",
    columns:
      "key created converted expired paid paid_in_time received credited fee refunds refunded",
    example: "--from 2026-03-01 --to 2026-04-01 --by day",
  },
};
