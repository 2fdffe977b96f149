// People as they are added and changed, by whichever door. Guards that who is at the desk is an operator, and
// that what somebody may do and the links that let them in change together.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Language } from "../../platform/failure.ts";
import type { Operator } from "../operators/operator.ts";
import { lockChangers, operatorsOf, putOperator } from "../operators/queries.ts";
import type { DeskRole, PersonRow } from "./nouns.ts";
import {
  addPerson,
  changePerson,
  endInvitations,
  endLinks,
  endLooks,
  endSessions,
  findByEmail,
} from "./queries.ts";

export interface NewcomerWish {
  readonly email: string;
  readonly name: string;
  readonly language: Language;
}

/** Whoever has that e-mail address, or somebody new. */
export async function personWith(
  tx: Tx,
  app: App,
  { email, ...wish }: NewcomerWish,
): Promise<{ person: PersonRow; isNew: boolean }> {
  const known = email.trim().toLowerCase();
  const fresh = { id: app.newId(), email: known, ...wish, created_at: app.clock.now() };
  const isNew = await addPerson(tx, fresh);
  const found = await findByEmail(tx, known);
  if (found === undefined) throw new Error("A person who was added is not there.");
  return { person: found, isNew };
}

/** What they are at the desk from now on; null is nothing. */
export async function setDeskRole(
  tx: Tx,
  app: App,
  person: PersonRow,
  role: DeskRole | null,
): Promise<PersonRow> {
  const now = app.clock.now();
  const changers = await lockChangers(tx, now);
  const isLast = changers.length === 1 && changers[0] === person.id;
  if (isLast && role !== "operator") throw new Refusal("last_operator");
  const { id, name } = person;
  const digest = app.secrets.digest("operator token", app.secrets.fresh(""));
  await putOperator(tx, { id, name, role, digest }, now);
  await changePerson(tx, id, { desk_role: role });
  await endLinks(tx, id, now);
  // Of the desk: one that is still open would bring back a role that was taken away.
  await endInvitations(tx, id, null, now);
  // Of before it: a role that is given again brings no look back.
  await endLooks(tx, id);
  return { ...person, desk_role: role };
}

/** They sign in no more, and who they were stays in the log. */
export async function setDisabled(
  tx: Tx,
  app: App,
  person: PersonRow,
  isDisabled: boolean,
): Promise<PersonRow> {
  const now = app.clock.now();
  const disabledAt = isDisabled ? (person.disabled_at ?? now) : null;
  const next = isDisabled ? await setDeskRole(tx, app, person, null) : person;
  await changePerson(tx, person.id, { disabled_at: disabledAt });
  if (isDisabled) await endSessions(tx, person.id, now);
  await endLinks(tx, person.id, now);
  return { ...next, disabled_at: disabledAt };
}

/** As whom a person acts at the desk; undefined for who is none of its people. */
export async function operatorOf(
  { db, clock }: App,
  { id, desk_role: role }: PersonRow,
): Promise<Operator | undefined> {
  return role === null ? undefined : (await operatorsOf(db, [id], clock.now()))[0];
}

/** Who somebody is at the desk, in a word: another one with another role. */
export function deskMark({ id, role }: Pick<Operator, "id" | "role">): string {
  return `${id} ${role}`;
}

export async function deskMarks({ db, clock }: App, ids: readonly string[]): Promise<string[]> {
  return (await operatorsOf(db, ids, clock.now())).map(deskMark);
}
