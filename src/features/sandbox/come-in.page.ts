// POST /sign-in/sandbox, /prove/sandbox: sign in as Anna, the sandbox's person.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Language } from "../../platform/failure.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { SANDBOX_EMAIL } from "../people/entry-page.ts";
import type { PersonRow } from "../people/nouns.ts";
import { personWith, setDeskRole } from "../people/person.ts";
import { ownPath } from "../people/plain-page.ts";
import { changePerson } from "../people/queries.ts";
import { openSession, proveSession, signedIn } from "../people/session.ts";
import { goOn, toSignIn } from "../people/sign-in.page.ts";
import { redirect } from "../people/site.ts";

/** The cast's owner, who also runs the desk from the first time on that somebody comes in as her. */
async function anna(tx: Tx, app: App, language: Language): Promise<PersonRow> {
  const { person } = await personWith(tx, app, { email: SANDBOX_EMAIL, name: "Anna", language });
  await changePerson(tx, person.id, { language });
  const spoken = { ...person, language };
  return spoken.desk_role === null ? setDeskRole(tx, app, spoken, "operator") : spoken;
}

export const comeIn: WebPage = {
  method: "POST",
  path: "/sign-in/sandbox",
  site: "people",
  async answer(app, visit) {
    const cookies = await app.db.transaction(async (tx) =>
      openSession(tx, app, await anna(tx, app, visit.language), visit),
    );
    return redirect(ownPath(visit.form["then"]), cookies);
  },
};

export const proveInSandbox: WebPage = {
  method: "POST",
  path: "/prove/sandbox",
  site: "people",
  async answer(app, visit) {
    const signed = await signedIn(app, visit);
    if (signed?.person.email !== SANDBOX_EMAIL) return toSignIn(visit);
    const { person, session } = signed;
    const cookies = await app.db.transaction((tx) => proveSession(tx, app, person, session, visit));
    return goOn(visit, person, cookies);
  },
};
