// /manage/users/{user}/people, /cabinet/people: people of a merchant, let in, changed and let go.
// There is always an owner, and no link lets in a person who belongs elsewhere, too.

import { Refusal } from "../../domain/refusal.ts";
import { MEMBER_ROLES, type MemberRole } from "../../domain/role.ts";
import { type App, perApp } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { email, oneOf, Type, text, uuid } from "../../platform/field.ts";
import { openThrottle } from "../../platform/throttle.ts";
import { change, view } from "../operators/doors.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";
import { invitationLetter, recoveryLetter } from "../people/letters.ts";
import { invite, LINK_SECONDS, makeLink } from "../people/link.ts";
import { linkFields } from "../people/manage-people.endpoint.ts";
import { language, People } from "../people/nouns.ts";
import { personWith } from "../people/person.ts";
import { endInvitations, endLinks, endSessions } from "../people/queries.ts";
import { type Member, ownChange, ownView, refuseGoneMember } from "./member.ts";
import { Users } from "./nouns.ts";
import {
  belongsElsewhere,
  endMemberTokens,
  isOnlyInvited,
  lockOwners,
  putMembership,
} from "./queries.ts";

const memberRole = oneOf(MEMBER_ROLES, {
  description: "An owner may do everything; the others what their work is.",
  examples: ["accountant"],
});

const Members = noun(
  {
    from: "memberships",
    keyColumn: "person_id",
    columns: "row.*, person.email, person.name, person.disabled_at",
    join: "join people person on person.id = row.person_id",
    missing: "person_not_found",
  },
  {
    person_id: column.uuid("The person."),
    user_id: column.uuid("The merchant."),
    email: column.text("What they sign in with.", "vera@example.com"),
    name: column.text("What to call them.", "Vera"),
    role: column.as(memberRole),
    created_at: column.moment("Since when."),
    ended_at: column.momentOrNull("Until when, or null."),
    disabled_at: column.momentOrNull("Since when they cannot sign in at all, or null."),
  },
);

type MemberRow = RowOf<typeof Members>;

const person_id = uuid({ description: "The person." });

const inviteInput = (example: string) => ({
  email: email({ description: "What they sign in with.", examples: [example] }),
  name: text({ max: 100 }, { description: "What to call them.", examples: ["Vera"] }),
  role: memberRole,
  language: Type.Optional(language),
});

const inviteData = Type.Object({
  person_id,
  role: memberRole,
  ...linkFields,
});

/** How many a merchant's people invite, and to how many people of a merchant letters go. */
const AGAIN_SECONDS = 180;
const LETTERS = { burst: 20, perSecond: 1 / AGAIN_SECONDS };
const writersOf = perApp(({ clock }) => openThrottle(clock, LETTERS));
const invitersOf = perApp(({ clock }) => openThrottle(clock, LETTERS));

interface Invitation {
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly language?: "en" | "ru";
}

async function inviteMember(
  tx: Tx,
  app: App,
  userId: string,
  { role, language: spoken = "ru", ...wish }: Invitation,
  madeBy: string,
) {
  const { person, isNew } = await personWith(tx, app, { ...wish, language: spoken });
  const before = await memberOf(tx, userId, person.id);
  if (before?.ended_at === null) throw new Refusal("person_exists");
  const made = { seconds: LINK_SECONDS.join, resets: false, madeBy };
  // An address proves nothing: who is known already accepts for themselves, and is no member before that.
  if (isNew) await putMembership(tx, { personId: person.id, userId, role }, app.clock.now());
  const { link, ends_at } = isNew
    ? await makeLink(tx, app, person, made)
    : await invite(tx, app, person, { userId, role, madeBy });
  const after = { person_id: person.id, user_id: userId, email: person.email, role };
  const data = { person_id: person.id, role, link, ends_at };
  const { name: merchant } = await Users.find(tx, userId);
  const letters = writersOf(app).allows(userId)
    ? [invitationLetter(app, person, data, { by: madeBy, merchant })]
    : [];
  return { data, subject: person.id, before: null, after, letters };
}

/**
 * By an owner, alike for each address: another merchant's person and somebody new are members once they accept.
 * A person without a way in makes one by the same link.
 */
async function inviteColleague(
  tx: Tx,
  app: App,
  { userId, name: madeBy }: Pick<Member, "userId" | "name">,
  { role, language: spoken = "ru", ...wish }: Invitation,
) {
  if (!invitersOf(app).allows(userId)) throw new HttpFailure("too_many_invitations", AGAIN_SECONDS);
  const { person } = await personWith(tx, app, { ...wish, language: spoken });
  const before = await memberOf(tx, userId, person.id);
  if (before?.ended_at === null) throw new Refusal("person_exists");
  const isNew = await isOnlyInvited(tx, person.id, userId);
  const made = { madeBy, token: app.secrets.fresh("") };
  const { link, ends_at } = await invite(tx, app, person, { ...made, userId, role });
  if (isNew)
    await makeLink(tx, app, person, { ...made, seconds: LINK_SECONDS.join, resets: false });
  const data = { role, link, ends_at };
  const { name: merchant } = await Users.find(tx, userId);
  const letters = [invitationLetter(app, person, data, { by: madeBy, merchant })];
  // Under its own id the merchant's log does not tell which person has the address.
  return { data, subject: userId, before: null, after: { email: person.email, role }, letters };
}

async function memberOf(tx: Tx, userId: string, personId: string): Promise<MemberRow | undefined> {
  const [row] = await Members.all(tx, { "row.user_id": userId, "row.person_id": personId });
  return row;
}

async function livingMember(tx: Tx, userId: string, personId: string): Promise<MemberRow> {
  const row = await memberOf(tx, userId, personId.toLowerCase());
  if (row === undefined || row.ended_at !== null) throw new Refusal("person_not_found");
  return row;
}

/** Another role, or none. */
async function changeMember(
  tx: Tx,
  app: App,
  userId: string,
  personId: string,
  role: MemberRole | "none",
) {
  const owners = await lockOwners(tx, userId);
  const row = await livingMember(tx, userId, personId);
  const isLast = owners.length === 1 && owners[0] === row.person_id;
  if (isLast && role !== "owner") throw new Refusal("last_owner");
  const now = app.clock.now();
  const endedAt = role === "none" ? now : null;
  const given = role === "none" ? row.role : role;
  await putMembership(tx, { personId: row.person_id, userId, role: given, endedAt }, now);
  await endInvitations(tx, row.person_id, userId, now);
  if (endedAt !== null) await endMemberTokens(tx, row.person_id, now, userId);
  if (!(await belongsElsewhere(tx, row.person_id, userId))) await endLinks(tx, row.person_id, now);
  const after = Members.toWire({ ...row, role: given, ended_at: endedAt });
  return { data: after, subject: row.person_id, before: Members.toWire(row), after };
}

/** For who has lost every way in, and belongs to nobody else: a link is as good as being them. */
async function linkForMember(
  tx: Tx,
  app: App,
  { userId, name: madeBy, personId: ownId }: Member,
  personId: string,
) {
  const row = await livingMember(tx, userId, personId);
  // It would end the very session or token that asks.
  if (row.person_id === ownId) throw new Refusal("link_for_oneself");
  const person = await People.lock(tx, row.person_id);
  const isShared = person.desk_role !== null || (await belongsElsewhere(tx, person.id, userId));
  if (isShared || person.disabled_at !== null) throw new Refusal("person_shared");
  await endSessions(tx, person.id, app.clock.now());
  await endMemberTokens(tx, person.id, app.clock.now());
  const made = { seconds: LINK_SECONDS.recover, resets: true, madeBy };
  const data = await makeLink(tx, app, person, made);
  const letters = [recoveryLetter(app, person, data, madeBy)];
  return { data, subject: person.id, before: null, after: { ends_at: data.ends_at }, letters };
}

const user_id = uuid({
  description: "The merchant.",
  examples: ["00000000-0000-4000-8000-000000000001"],
});

export const readMembers = view({
  path: "/manage/users/:user_id/people",
  summary: "List a merchant's people",
  description: "Those who were let go as well.",
  input: Type.Object({ user_id }),
  data: Type.Object({ items: Type.Array(Members.wire) }),
  notFound: "There is no such user.",
  async read({ db }, input) {
    const { id } = await Users.find(db, input.user_id);
    return { items: (await Members.all(db, { "row.user_id": id })).map(Members.toWire) };
  },
});

export const inviteMerchantPerson = change({
  path: "/manage/users/:user_id/people",
  summary: "Invite a person of a merchant",
  description:
    "The answer holds a link, good once and for three days: who signs in here already accepts by it.",
  act: "member.invite",
  input: Type.Object({ user_id, ...inviteInput("vera@example.com") }),
  data: inviteData,
  notFound: "There is no such user.",
  async make(tx, app, { user_id: id, ...wish }, { name }) {
    const user = await Users.lock(tx, id);
    return inviteMember(tx, app, user.id, wish, name);
  },
});

export const changeMerchantPerson = change({
  path: "/manage/users/:user_id/people/:person_id",
  summary: "Change what a person of a merchant may do",
  description: "None lets them go; the last owner stays.",
  act: "member.update",
  input: Type.Object({
    user_id,
    person_id,
    role: oneOf([...MEMBER_ROLES, "none"], { description: "What they are from now on." }),
  }),
  data: Members.wire,
  notFound: "There is no such person.",
  async make(tx, app, { user_id: id, person_id: personId, role }) {
    const user = await Users.lock(tx, id);
    return changeMember(tx, app, user.id, personId, role);
  },
});

export const readOwnPeople = ownView({
  path: "/cabinet/people",
  summary: "List your merchant's people",
  description: "Those who were let go as well.",
  right: "people",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(Members.wire) }),
  async read({ db }, _input, { userId }) {
    return { items: (await Members.all(db, { "row.user_id": userId })).map(Members.toWire) };
  },
});

export const inviteOwnPerson = ownChange({
  path: "/cabinet/people",
  summary: "Invite a person",
  description:
    "The answer holds a link, good once and for three days. The person makes a way in by it where they have none, " +
    "accepts, and is a member from then on. 20 invitations at once, then one in three minutes.",
  right: "people",
  act: "member.invite",
  input: Type.Object(inviteInput("olga@example.com")),
  data: Type.Omit(inviteData, ["person_id"]),
  make: (tx, app, wish, member) => inviteColleague(tx, app, member, wish),
});

export const changeOwnPerson = ownChange({
  path: "/cabinet/people/:person_id",
  summary: "Change what a person may do",
  description: "None lets them go; the last owner stays.",
  right: "people",
  act: "member.update",
  input: Type.Object({
    person_id,
    role: oneOf([...MEMBER_ROLES, "none"], { description: "What they are from now on." }),
  }),
  data: Members.wire,
  notFound: "There is no such person.",
  mayEndOwn: true,
  async make(tx, app, { person_id: personId, role }, member) {
    // Who changes an owner has them: whoever is none by now makes nobody one, not even themselves.
    await lockOwners(tx, member.userId);
    await refuseGoneMember(tx, app, member);
    return changeMember(tx, app, member.userId, personId, role);
  },
});

export const makeOwnPersonLink = ownChange({
  path: "/cabinet/people/:person_id/link",
  summary: "Make a link that lets a person in again",
  description:
    "For who has lost every way in: good once, for an hour. Their sessions and tokens end at once, their old ways in " +
    "when it is used. Not for oneself, nor for who belongs to others, too: their operator makes one.",
  right: "people",
  act: "member.link",
  input: Type.Object({ person_id }),
  data: Type.Object(linkFields),
  notFound: "There is no such person.",
  make: (tx, app, { person_id: personId }, member) => linkForMember(tx, app, member, personId),
});
