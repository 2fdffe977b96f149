// Invitations of people who are known already. An address proves nothing: whoever was invited first under it may
// be anybody. Guards that somebody becomes a member, or one of the desk, only by accepting it themselves, signed
// in, with the link that this inviter has handed over.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { LINK_SECONDS } from "./link.ts";
import type { PersonRow } from "./nouns.ts";
import { addInvitation, endInvitations, type InvitationRow, livingInvitation } from "./queries.ts";

export async function invite(
  tx: Tx,
  app: App,
  { id: personId }: PersonRow,
  wish: {
    readonly userId: string | null;
    readonly role: string;
    readonly madeBy: string;
    readonly token?: string;
  },
): Promise<{ link: string; ends_at: string }> {
  const { userId, role, madeBy, token = app.secrets.fresh("") } = wish;
  const now = app.clock.now();
  const endsAt = addSeconds(now, LINK_SECONDS.join);
  await endInvitations(tx, personId, userId, now);
  await addInvitation(tx, {
    id: app.newId(),
    person_id: personId,
    digest: digestOf(app, token),
    user_id: userId,
    role,
    made_by: madeBy,
    created_at: now,
    ends_at: endsAt,
  });
  const { deskUrl, cabinetUrl } = app.config;
  const url = userId === null ? deskUrl : cabinetUrl;
  return { link: `${url}/join/${token}`, ends_at: endsAt.toISOString() };
}

export function findInvitation(app: App, token: string): Promise<InvitationRow | undefined> {
  return livingInvitation(app.db, digestOf(app, token), app.clock.now());
}

function digestOf({ secrets }: App, token: string): Buffer {
  return secrets.digest("invitation", token);
}
