// The commands about who sends payouts: a part of the table in table.ts.

import type { Doors } from "./command.ts";

export const RAILS: Doors = {
  "rail list": {
    call: "GET /manage/rails",
    columns: "code kind services paused url repeatable_seconds",
  },
  "rail add": {
    call: "POST /manage/rails",
    places: ["code"],
    example: "--url http://127.0.0.1:9400 --services card --repeatable-seconds 86400",
  },
  "rail change": { call: "POST /manage/rails/{code}", example: "--services card --services sbp" },
  "rail pause": {
    call: "POST /manage/rails/{code}",
    summary: "Give a rail nothing more to send",
    preset: { paused: true },
  },
  "rail resume": {
    call: "POST /manage/rails/{code}",
    summary: "Let a rail send again",
    preset: { paused: false },
  },
  "rail rotate-secret": {
    call: "POST /manage/rails/{code}/rotate-secret",
    warning: "What is signed with the old secret is refused from now on.",
  },
};
