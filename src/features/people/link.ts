// Links that let a person in: to join, to come back, or to accept an invitation to another place.
// A link is good once and not for long; only its digest is stored.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { PersonRow } from "./nouns.ts";
import {
  addInvitation,
  addLink,
  endInvitations,
  endLinks,
  type InvitationRow,
  type LinkRow,
  livingInvitation,
  livingLink,
} from "./queries.ts";

const HOUR = 60 * 60;

/** Who is invited may be away; who comes back waits for it; the first one sits at the machine. */
export const LINK_SECONDS = { join: 72 * HOUR, recover: HOUR, first: HOUR / 4 };

export async function makeLink(
  tx: Tx,
  app: App,
  person: Pick<PersonRow, "id" | "desk_role">,
  wish: {
    readonly seconds: number;
    readonly resets: boolean;
    readonly madeBy: string;
    readonly token?: string;
  },
): Promise<{ link: string; ends_at: string }> {
  const now = app.clock.now();
  const { token = app.secrets.fresh("") } = wish;
  // One at a time: who asks for another one has lost the one before.
  await endLinks(tx, person.id, now);
  const endsAt = addSeconds(now, wish.seconds);
  await addLink(tx, {
    id: app.newId(),
    person_id: person.id,
    digest: app.secrets.digest("link", token),
    made_by: wish.madeBy,
    resets: wish.resets,
    created_at: now,
    ends_at: endsAt,
  });
  const { deskUrl, cabinetUrl } = app.config;
  const url = person.desk_role === null ? cabinetUrl : deskUrl;
  return { link: `${url}/welcome/${token}`, ends_at: endsAt.toISOString() };
}

export function findLink(app: App, token: string): Promise<LinkRow | undefined> {
  return livingLink(app.db, app.secrets.digest("link", token), app.clock.now());
}

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
