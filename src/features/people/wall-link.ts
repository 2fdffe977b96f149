// A screen on the wall is known by a link: its secret becomes a cookie that browsers send to the board alone, and
// only the board looks at it. Guards that it ends with the link, and that no table holds the secret.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Visit } from "../../platform/web-page.ts";
import type { WallLinkRow } from "./nouns.ts";
import { livingWallLink, seeWallLink } from "./queries.ts";

export const WALL_PATH = "/desk/wall";

const SEEN_SECONDS = 60;
/** Browsers keep none longer; each visit begins it anew. */
const COOKIE_SECONDS = 400 * 24 * 60 * 60;

export function wallLinkDigest({ secrets }: App, token: string): Buffer {
  return secrets.digest("wall link", token);
}

function isSecure({ config }: App): boolean {
  return config.deskUrl.startsWith("https:");
}

function cookieName(app: App): string {
  return isSecure(app) ? "__Secure-kopeck-wall" : "kopeck-wall";
}

export interface Wall {
  readonly link: WallLinkRow;
  readonly cookie: string;
}

/** Whose secret this is, while it is good. */
export async function openWall(app: App, token: string | undefined): Promise<Wall | undefined> {
  if (token === undefined || token.length > 100) return undefined;
  const now = app.clock.now();
  const link = await livingWallLink(app.db, wallLinkDigest(app, token), now);
  if (link === undefined) return undefined;
  if (link.seen_at === null || addSeconds(link.seen_at, SEEN_SECONDS) <= now)
    await seeWallLink(app.db, link.id, now);
  const flags = `Path=${WALL_PATH}; HttpOnly; SameSite=Lax; Max-Age=${COOKIE_SECONDS}`;
  return {
    link,
    cookie: `${cookieName(app)}=${token}; ${flags}${isSecure(app) ? "; Secure" : ""}`,
  };
}

export function wallOf(app: App, { cookies }: Visit): Promise<Wall | undefined> {
  return openWall(app, cookies[cookieName(app)]);
}
