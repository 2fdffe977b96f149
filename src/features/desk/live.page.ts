// /desk/changes, /my/changes: how open pages hear of news.

import { cabinet } from "../cabinet/site.ts";
import { readNewest, readOwnNewest } from "../overview/read-newest.endpoint.ts";
import { livePage } from "../people/live.ts";
import { desk } from "./site.ts";

export const livePages = [
  livePage(desk, { keyOf: () => "all", newest: ({ ask }) => ask(readNewest, {}) }),
  livePage(cabinet, { keyOf: ({ userId }) => userId, newest: ({ ask }) => ask(readOwnNewest, {}) }),
];
