// What a passkey signs. It says itself until when it is good and that it is ours, so nothing is stored for
// strangers who only look at the page; what was used is remembered until it would have ended anyway.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { sameDigest } from "../../platform/secret.ts";
import { useChallenge } from "./queries.ts";

const GOOD_SECONDS = 5 * 60;

/** base64url of a moment, random bytes, and a keyed digest of both. */
export function freshChallenge({ clock, secrets }: App): string {
  const endsAt = addSeconds(clock.now(), GOOD_SECONDS).getTime();
  const said = `${endsAt.toString(36)}.${secrets.freshHex(16)}`;
  const mark = secrets.digest("challenge", said).toString("base64url");
  return Buffer.from(`${said}.${mark}`).toString("base64url");
}

/** Whether it is ours, still good, and used for the first time. */
export async function spendChallenge(tx: Tx, app: App, challenge: string): Promise<boolean> {
  const [ends = "", random = "", mark = ""] = Buffer.from(challenge, "base64url")
    .toString("latin1")
    .split(".");
  const said = app.secrets.digest("challenge", `${ends}.${random}`);
  if (!sameDigest(said, Buffer.from(mark, "base64url"))) return false;
  const endsAt = new Date(Number.parseInt(ends, 36));
  const now = app.clock.now();
  return endsAt > now && useChallenge(tx, said, endsAt, now);
}
