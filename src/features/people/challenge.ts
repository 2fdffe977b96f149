// What a passkey signs. It says itself until when it is good and that it is ours, so nothing is stored for
// strangers who only look at the page; what was used is remembered until it would have ended anyway. Guards that one
// which was made for a session, or for a link, is of no use to another, nor to sign in with.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { sameDigest } from "../../platform/secret.ts";
import { useChallenge } from "./queries.ts";

const GOOD_SECONDS = 5 * 60;

/** For whom it was made. Who signs in is nobody yet: then the passkey alone says who it is. */
export type ChallengeUse = "sign-in" | `session ${string}` | `link ${string}`;

/** base64url of a moment, random bytes, and a keyed digest of both and of its use. */
export function freshChallenge({ clock, secrets }: App, use: ChallengeUse): string {
  const endsAt = addSeconds(clock.now(), GOOD_SECONDS).getTime();
  const said = `${endsAt.toString(36)}.${secrets.freshHex(16)}`;
  const mark = secrets.digest("challenge", `${use} ${said}`).toString("base64url");
  return Buffer.from(`${said}.${mark}`).toString("base64url");
}

/** Whether it is ours and for this, still good, and used for the first time. */
export async function spendChallenge(
  tx: Tx,
  app: App,
  challenge: string,
  use: ChallengeUse,
): Promise<boolean> {
  const [ends = "", random = "", mark = ""] = Buffer.from(challenge, "base64url")
    .toString("latin1")
    .split(".");
  const said = app.secrets.digest("challenge", `${use} ${ends}.${random}`);
  if (!sameDigest(said, Buffer.from(mark, "base64url"))) return false;
  const endsAt = new Date(Number.parseInt(ends, 36));
  const now = app.clock.now();
  return endsAt > now && useChallenge(tx, said, endsAt, now);
}
