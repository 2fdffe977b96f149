// /manage/users/{user}/people: who signs in for a merchant, as operators see and invite them.

import { MEMBER_ROLES } from "../../domain/role.ts";
import { oneOf, Type, uuid } from "../../platform/field.ts";
import { change, view } from "../operators/doors.ts";
import {
  changeMember,
  inviteData,
  inviteInput,
  inviteMember,
  Members,
  person_id,
} from "./members.ts";
import { Users } from "./nouns.ts";

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
