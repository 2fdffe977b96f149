// People who work for a merchant, in a test: who they are is written into the tables, what they do goes through
// the front door.

import { randomUUID } from "node:crypto";
import type { MemberRole } from "../src/domain/role.ts";
import { memberTokenDigest } from "../src/features/merchants/member.ts";
import { addMemberships, addMemberTokens } from "../src/features/merchants/queries.ts";
import { addPerson, addSession } from "../src/features/people/queries.ts";
import { OTHER_USER, USER } from "./cast.ts";
import type { TestGateway } from "./gateway.ts";
import { type Manage, manage } from "./manage.ts";
import { type Visitor, visitor } from "./people.ts";

/** The sandbox user's owner, by the token that everybody knows. */
export const OWNER_TOKEN = "sandbox_owner_token";

export interface Hired {
  readonly personId: string;
  readonly token: string;
  readonly own: Manage;
}

export async function hire(
  gateway: TestGateway,
  role: MemberRole,
  userId: string = USER.id,
  name = `the ${role}`,
): Promise<Hired> {
  const { app } = gateway;
  const [personId, token] = [app.newId(), `kom_${randomUUID()}`];
  const email = `${personId}@example.org`;
  await app.db.transaction(async (tx) => {
    const now = app.clock.now();
    await addPerson(tx, { id: personId, email, name, language: "en", created_at: now });
    await addMemberships(tx, [{ personId, userId, role }], now);
    const digest = memberTokenDigest(app.secrets, token);
    const row = { id: app.newId(), person_id: personId, user_id: userId, name: "test", digest };
    await addMemberTokens(tx, [{ ...row, ends_at: null }], now);
  });
  return { personId, token, own: manage(gateway, token, "cabinet") };
}

/** A browser in which this person has just signed in. */
export async function signedInAs(
  gateway: TestGateway,
  { personId }: Pick<Hired, "personId">,
): Promise<Visitor> {
  const { app } = gateway;
  const visit = visitor(gateway);
  const [token, now] = [randomUUID(), app.clock.now()];
  const ends_at = new Date(now.getTime() + 24 * 60 * 60 * 1000);
  const when = { created_at: now, seen_at: now, proven_at: now, ends_at, ended_at: null };
  const digest = app.secrets.digest("session", token);
  const row = { id: app.newId(), person_id: personId, user_id: null, digest };
  await app.db.transaction((tx) =>
    addSession(tx, { ...row, ...when, address: "127.0.0.1", agent: "test" }),
  );
  visit.jar.set("kopeck", token);
  return visit;
}

/** The sandbox user's owner, and the other user's. */
export async function owners(gateway: TestGateway): Promise<{ mine: Manage; theirs: Manage }> {
  const { own: theirs } = await hire(gateway, "owner", OTHER_USER.id);
  return { mine: manage(gateway, OWNER_TOKEN, "cabinet"), theirs };
}
