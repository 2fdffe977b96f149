// GET /manage/health/minutes: how busy and how fast the process was that answers, over the last hour.

import { numberOrNull } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { minutesOf } from "./minutes.ts";

const figure = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });

export const readMinutes = view({
  path: "/manage/health/minutes",
  summary: "Read how busy and how fast this process is",
  description:
    "The last 60 minutes of the one process that answers, where there are several, and from its start on: its own metrics, kept in its memory. For all of them, and for longer, scrape `/metrics`. Who waits for news on purpose is not counted.",
  input: Type.Object({}),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        ended_at: isoMoment("The end of the minute."),
        requests: Type.Integer({ description: "Requests that were answered.", examples: [1200] }),
        per_second: figure("The same for a second.", 20),
        failed: Type.Integer({ description: "Those with a status of 500 or more.", examples: [0] }),
        p50_ms: numberOrNull({
          description: "Half of them took no longer; null where there was none.",
          examples: [3.2],
        }),
        p99_ms: numberOrNull({ description: "99 of 100 took no longer.", examples: [24.5] }),
        loop_lag_ms: figure("99 of 100 looks at the event loop found it no later.", 11.2),
      }),
    ),
  }),
  read: async (app) => ({ items: [...minutesOf(app)] }),
});
