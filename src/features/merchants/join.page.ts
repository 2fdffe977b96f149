// /join/{token}: somebody who is known here already is asked to work for one more merchant, or at the desk. Guards
// that only the person who was meant becomes it, signed in and lately proven, and that opening it changes nothing.

import { Refusal } from "../../domain/refusal.ts";
import type { MemberRole } from "../../domain/role.ts";
import type { App } from "../../platform/app.ts";
import { html } from "../../platform/html.ts";
import type { PageAnswer, Visit, WebPage } from "../../platform/web-page.ts";
import { recordAudit } from "../operators/doors.ts";
import { findInvitation, findLink } from "../people/link.ts";
import { type DeskRole, People } from "../people/nouns.ts";
import { setDeskRole } from "../people/person.ts";
import { plainPage } from "../people/plain-page.ts";
import {
  endLinks,
  type InvitationRow,
  type SessionWithPerson,
  turnSession,
  useInvitation,
} from "../people/queries.ts";
import { isProven, signedIn } from "../people/session.ts";
import { redirect } from "../people/site.ts";
import { button } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { Users } from "./nouns.ts";
import { putMembership } from "./queries.ts";

const WORDS = {
  en: {
    title: "An invitation",
    ended: "This invitation was used, or its time is over, or it is not for you",
    again: "Sign in as the person it was made for, or ask for another one.",
    asks: (by: string, place: string, role: string) => `${by} invites you to ${place} as: ${role}.`,
    desk: "the desk of this gateway",
    accept: "Accept",
  },
  ru: {
    title: "Приглашение",
    ended: "Приглашение использовано, его время вышло, или оно не для вас",
    again: "Войдите как тот, для кого оно сделано, или попросите ещё одно.",
    asks: (by: string, place: string, role: string) =>
      `${by} приглашает вас: ${place}, роль — ${role}.`,
    desk: "стол оператора",
    accept: "Принять",
  },
};

/** What stands behind the link, for who it is meant for; else where they are led. */
async function meantFor(
  app: App,
  visit: Visit,
): Promise<{ signed: SessionWithPerson; invitation: InvitationRow } | PageAnswer> {
  const { token = "" } = visit.params;
  // Somebody new makes a way in first.
  if ((await findLink(app, token)) !== undefined) return redirect(`/welcome/${token}`);
  const signed = await signedIn(app, visit);
  const path = `/join/${token}`;
  if (signed === undefined) return redirect(`/sign-in?then=${encodeURIComponent(path)}`);
  const invitation = await findInvitation(app, token);
  if (invitation?.person_id !== signed.person.id) {
    const { language } = signed.person;
    const words = WORDS[language];
    return plainPage(language, words.ended, html`<p>${words.again}</p>`, 404);
  }
  return { signed, invitation };
}

export const showInvitation: WebPage = {
  method: "GET",
  path: "/join/:token",
  site: "people",
  async answer(app, visit) {
    const meant = await meantFor(app, visit);
    if ("kind" in meant) return meant;
    const { invitation, signed } = meant;
    const { language } = signed.person;
    const words = WORDS[language];
    const { user_id: userId, role, made_by: by } = invitation;
    const place = userId === null ? words.desk : (await Users.find(app.db, userId)).name;
    const said = words.asks(by, place, wordOf(role, language));
    const body = html`<p>${said}</p><form class="form" method="post" action="/join/${visit.params["token"]}">${button(words.accept, { kind: "main" })}</form>`;
    return plainPage(language, words.title, body);
  },
};

export const acceptInvitation: WebPage = {
  method: "POST",
  path: "/join/:token",
  site: "people",
  async answer(app, visit) {
    const meant = await meantFor(app, visit);
    if ("kind" in meant) return meant;
    const { signed, invitation } = meant;
    const { person, session } = signed;
    if (!isProven(app, session)) {
      return redirect(`/prove?then=${encodeURIComponent(`/join/${visit.params["token"]}`)}`);
    }
    const { user_id: userId, role } = invitation;
    const now = app.clock.now();
    await app.db.transaction(async (tx) => {
      // Whoever makes a link for them at this moment has looked where they belong, or will see it.
      await People.lock(tx, person.id);
      if (!(await useInvitation(tx, invitation.id, now))) throw new Refusal("link_used");
      if (userId === null) await setDeskRole(tx, app, person, role as DeskRole);
      else await putMembership(tx, { personId: person.id, userId, role: role as MemberRole }, now);
      // One that another merchant's owner made would let that owner in here, as them.
      await endLinks(tx, person.id, now);
      const after = { user_id: userId, role, invited_by: invitation.made_by };
      const audit = {
        by: person.name,
        act: "person.join",
        subject: person.id,
        before: null,
        after,
      };
      await recordAudit(tx, app, userId === null ? audit : { ...audit, userId });
    });
    if (userId !== null) await turnSession(app.db, session.id, userId);
    return redirect(userId === null ? "/desk" : "/my");
  },
};
