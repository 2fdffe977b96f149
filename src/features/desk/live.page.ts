// /desk/changes, /my/changes: how open pages hear of news.

import { cabinet } from "../cabinet/site.ts";
import { memberMark, memberMarks } from "../merchants/member.ts";
import { readNewest, readOwnNewest } from "../overview/read-newest.endpoint.ts";
import { livePage } from "../people/live.ts";
import { deskMark, deskMarks } from "../people/person.ts";
import { desk } from "./site.ts";

export const livePages = [
  livePage(desk, {
    keyOf: () => "all",
    newest: ({ ask }) => ask(readNewest, {}),
    markOf: deskMark,
    marksOf: deskMarks,
  }),
  livePage(cabinet, {
    keyOf: ({ userId }) => userId,
    newest: ({ ask }) => ask(readOwnNewest, {}),
    markOf: memberMark,
    marksOf: memberMarks,
  }),
];
