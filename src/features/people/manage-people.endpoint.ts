// /manage/people: who signs in, what they are at the desk, and links that let them in.

import { Refusal } from "../../domain/refusal.ts";
import { email, oneOf, Type, text, uuid, yesNo } from "../../platform/field.ts";
import { change, list, refuseGone, view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { renameOperator, wasOperator } from "../operators/queries.ts";
import { invitationLetter, recoveryLetter } from "./letters.ts";
import { invite, LINK_SECONDS, makeLink } from "./link.ts";
import { DESK_ROLES, language, People } from "./nouns.ts";
import { personWith, setDeskRole, setDisabled } from "./person.ts";
import { changePerson, endSessions, invitedToDesk } from "./queries.ts";

const person_id = uuid({ description: "The person." });
const name = text({ max: 100 }, { description: "What to call them.", examples: ["Anna"] });

const deskRole = oneOf(DESK_ROLES, {
  description: "A viewer looks, a cashier works with money, an operator also changes settings.",
  examples: ["viewer"],
});

/** What lets them in; it is shown only now. */
export const linkFields = {
  link: Type.String({
    description: "The link that lets them in, once; it is shown only now.",
    examples: ["https://pay.example.com/welcome/…"],
  }),
  ends_at: isoMoment("Until when it is good."),
};

export const readPeople = list({
  path: "/manage/people",
  summary: "List people who sign in",
  description: "Those of the desk and of merchants; the newest first.",
  noun: People,
  filters: {},
});

export const readPerson = view({
  path: "/manage/people/:person_id",
  summary: "Show a person",
  description: "What they are called and what they are at the desk; nothing that lets anybody in.",
  input: Type.Object({ person_id }),
  data: People.wire,
  notFound: "There is no such person.",
  async read({ db }, input) {
    return People.toWire(await People.find(db, input.person_id));
  },
});

export const invitePerson = change({
  path: "/manage/people",
  summary: "Invite a person to the desk",
  description:
    "The answer holds a link, good once and for three days, by which they make a passkey or a password. Who is " +
    "known here already accepts by it, signed in, and is nobody at the desk before that.",
  act: "person.invite",
  input: Type.Object({
    email: email({ description: "What they sign in with.", examples: ["boris@example.com"] }),
    name,
    language: Type.Optional(language),
    desk_role: deskRole,
  }),
  data: Type.Object({ person: People.wire, ...linkFields }),
  async make(tx, app, { desk_role: role, language: spoken = "en", ...wish }, { name: madeBy }) {
    const { person, isNew } = await personWith(tx, app, { ...wish, language: spoken });
    if (!isNew) {
      // Whoever was invited first under this address may be anybody: they become nothing by it alone.
      if (person.desk_role !== null || person.disabled_at !== null)
        throw new Refusal("person_exists");
      const shown = People.toWire(person);
      const asked = await invite(tx, app, person, { userId: null, role, madeBy });
      const after = { ...shown, invited_as: role };
      const letters = [invitationLetter(app, person, asked, { by: madeBy })];
      const data = { person: shown, ...asked };
      return { data, subject: person.id, before: null, after, letters };
    }
    const next = await setDeskRole(tx, app, person, role);
    const made = { seconds: LINK_SECONDS.join, resets: false, madeBy };
    const shown = People.toWire(next);
    const way = await makeLink(tx, app, next, made);
    const letters = [invitationLetter(app, person, way, { by: madeBy })];
    const data = { person: shown, ...way };
    return { data, subject: person.id, before: null, after: shown, letters };
  },
});

export const changePersonDoor = change({
  path: "/manage/people/:person_id",
  summary: "Change a person",
  description:
    "What is left out stays as it is. With another role, links that were made before open nothing any more.",
  act: "person.update",
  input: Type.Object({
    person_id,
    name: Type.Optional(name),
    desk_role: Type.Optional(
      oneOf([...DESK_ROLES, "none"], {
        description: "What they are at the desk; none is nothing.",
      }),
    ),
    disabled: Type.Optional(yesNo({ description: "Whether they cannot sign in." })),
  }),
  data: People.wire,
  notFound: "There is no such person.",
  mayEndOwn: true,
  async make(tx, app, { person_id: id, name: called, desk_role: role, disabled }, operator) {
    const row = await People.lock(tx, id);
    await refuseGone(tx, app, operator);
    // That one was taken back stands in the log as well.
    const invited = () => invitedToDesk(tx, row.id, app.clock.now());
    const before = { ...People.toWire(row), ...(await invited()) };
    let next = { ...row, name: called ?? row.name };
    if (disabled !== undefined) next = await setDisabled(tx, app, next, disabled);
    if (role !== undefined) {
      const given = role === "none" ? null : role;
      // Who cannot sign in is nobody at the desk, and is not counted among those who keep it running.
      if (given !== null && next.disabled_at !== null) throw new Refusal("person_disabled");
      if (given !== null && !(await wasOperator(tx, row.id)))
        throw new Refusal("person_must_accept");
      // The same one again ends nothing that is under way. No role at all also takes an invitation back.
      if (given === null || given !== next.desk_role)
        next = await setDeskRole(tx, app, next, given);
    }
    // Last, because a role locks other operators first.
    if (called !== undefined) {
      await changePerson(tx, row.id, { name: called });
      await renameOperator(tx, row.id, called);
    }
    const data = People.toWire(next);
    return { data, subject: row.id, before, after: { ...data, ...(await invited()) } };
  },
});

export const makePersonLink = change({
  path: "/manage/people/:person_id/link",
  summary: "Make a link that lets a person in again",
  description:
    "For who has lost every way in; good once, for an hour. Links made before open nothing any more.",
  act: "person.link",
  input: Type.Object({
    person_id,
    resets: Type.Optional(
      yesNo({
        description:
          "Whether their old passkeys, password, codes, known browsers and personal tokens go when it is used.",
      }),
    ),
  }),
  data: Type.Object(linkFields),
  notFound: "There is no such person.",
  async make(tx, app, { person_id: id, resets = false }, { name: madeBy }) {
    const person = await People.lock(tx, id);
    if (person.disabled_at !== null) throw new Refusal("person_disabled");
    const data = await makeLink(tx, app, person, { seconds: LINK_SECONDS.recover, resets, madeBy });
    const letters = [recoveryLetter(app, person, data, madeBy)];
    const after = { ends_at: data.ends_at, resets };
    return { data, subject: person.id, before: null, after, letters };
  },
});

export const endPersonSessions = change({
  path: "/manage/people/:person_id/end-sessions",
  summary: "Sign a person out everywhere",
  description: "All of their sessions end at once.",
  act: "person.end_sessions",
  input: Type.Object({ person_id }),
  data: Type.Object({
    ended: Type.Integer({ description: "How many there were.", examples: [1] }),
  }),
  notFound: "There is no such person.",
  async make(tx, { clock }, { person_id: id }) {
    const person = await People.lock(tx, id);
    const data = { ended: await endSessions(tx, person.id, clock.now()) };
    return { data, subject: person.id, before: null, after: data };
  },
});
