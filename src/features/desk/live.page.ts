// /desk/changes, /my/changes: how open pages hear of news.

import { Refusal } from "../../domain/refusal.ts";
import { HttpFailure } from "../../platform/failure.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { cabinet } from "../cabinet/site.ts";
import { memberMark, memberMarks } from "../merchants/member.ts";
import { readNewest, readOwnNewest } from "../overview/read-newest.endpoint.ts";
import { deskMark, deskMarks } from "../people/person.ts";
import type { Sight, Site } from "../people/site.ts";
import { type Audience, type News, screenWatchers } from "../people/tell-screens.job.ts";
import { desk } from "./site.ts";

/** One merchant's pages must not take everybody's streams. */
const MAX_STREAMS = 100;

function livePage<Who>(
  site: Site<Who>,
  of: {
    /** Who sees the same as this one. */
    keyOf(who: Who): string;
    newest(sight: Sight<Who>): Promise<News>;
    /** What they are, in a word; and all that these people are now. */
    markOf(who: Who): string;
    marksOf: Audience;
  },
): WebPage {
  return site.page({
    path: `${site.root}/changes`,
    async show(sight) {
      const { app, visit, who, session, onlyLooks } = sight;
      // A look is short, and its pages are loaded again by hand.
      if (onlyLooks) throw new Refusal("looker_cannot_change");
      const key = `${site.root} ${of.keyOf(who)}`;
      const watchers = screenWatchers(app);
      if (watchers.count(key) >= MAX_STREAMS) throw new HttpFailure("overloaded");
      const topics = (visit.query["of"] ?? "").split(",").slice(0, 10);
      return {
        kind: "stream",
        open: (send, end) =>
          watchers.add(key, () => of.newest(sight), {
            topics,
            tell: () => send("change"),
            end,
            visitor: { session, mark: of.markOf(who), audience: of.marksOf },
          }),
      };
    },
  });
}

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
