// /manage/wall-links: links that open the wallboard, without anybody signing in. Guards that a link is shown once.

import { Refusal } from "../../domain/refusal.ts";
import { moment, text, uuid } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { change, changed, list } from "../operators/doors.ts";
import { WallLinks } from "./nouns.ts";
import { addWallLink, endWallLink } from "./queries.ts";
import { wallLinkDigest } from "./wall-link.ts";

export const readWallLinks = list({
  path: "/manage/wall-links",
  summary: "List links to the wallboard",
  description: "Those that ended as well, with when each was last used; the newest first.",
  noun: WallLinks,
  filters: {},
});

export const createWallLink = change({
  path: "/manage/wall-links",
  summary: "Make a link to the wallboard",
  description:
    "Whoever has the link sees the figures of `/desk/wall`, and nothing else. It is shown only once.",
  act: "wall_link.create",
  input: Type.Object({
    name: text({ max: 100 }, { description: "Where the screen hangs.", examples: ["Hall"] }),
    ends_at: Type.Optional(
      moment({ description: "When it ends, in ISO 8601; never when left out." }),
    ),
  }),
  data: Type.Object({
    wall_link: WallLinks.wire,
    link: Type.String({
      description: "The link; it is shown only now.",
      examples: ["https://pay.example.com/wall#…"],
    }),
  }),
  async make(tx, app, { name, ends_at: ends }, operator) {
    const now = app.clock.now();
    const endsAt = ends === undefined ? null : new Date(ends);
    if (endsAt !== null && endsAt <= now) throw new Refusal("link_ends_before_now");
    const token = app.secrets.fresh("");
    const row = {
      ...{ id: app.newId(), name, digest: wallLinkDigest(app, token), created_at: now },
      ...{ ends_at: endsAt, seen_at: null, revoked_at: null },
    };
    await addWallLink(tx, row);
    const wall_link = WallLinks.toWire({ ...row, created_by: operator.name });
    const data = { wall_link, link: `${app.config.deskUrl}/wall#${token}` };
    return { data, subject: row.id, before: null, after: wall_link };
  },
});

export const revokeWallLink = change({
  path: "/manage/wall-links/:wall_link_id/revoke",
  summary: "Revoke a link to the wallboard",
  description: "It opens nothing from now on; a screen that shows the board ceases to within 30 s.",
  act: "wall_link.revoke",
  input: Type.Object({ wall_link_id: uuid({ description: "The link." }) }),
  data: WallLinks.wire,
  notFound: "There is no such link.",
  async make(tx, { clock }, { wall_link_id: id }) {
    const row = await WallLinks.lock(tx, id);
    const now = clock.now();
    await endWallLink(tx, row.id, now);
    return changed(WallLinks, row, { ...row, revoked_at: row.revoked_at ?? now });
  },
});
