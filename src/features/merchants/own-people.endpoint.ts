// /cabinet/people: who signs in for a merchant, as its owner sees and invites them.

import { MEMBER_ROLES } from "../../domain/role.ts";
import { oneOf, Type } from "../../platform/field.ts";
import { linkFields } from "../people/manage-people.endpoint.ts";
import { ownChange, ownView, refuseGoneMember } from "./member.ts";
import {
  changeMember,
  inviteColleague,
  inviteData,
  inviteInput,
  linkForMember,
  Members,
  person_id,
} from "./members.ts";
import { lockOwners } from "./queries.ts";

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
