// Links that let a person in who has no other way: to join, or to come back. They can always be copied, with
// or without e-mail. Guards that a link is good once and not for long, and that nobody learns it from a dump.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { PersonRow } from "./nouns.ts";
import { addLink, endLinks, type LinkRow, livingLink } from "./queries.ts";

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
