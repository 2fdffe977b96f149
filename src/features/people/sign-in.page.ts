// /sign-in, /prove, /sign-out, /start: coming in, proving anew who one is, leaving, and where one belongs.

import type { Tx } from "../../platform/db.ts";
import { isFailure } from "../../platform/failure.ts";
import { postLetters } from "../../platform/mail.ts";
import type { PageAnswer, Visit, WebPage } from "../../platform/web-page.ts";
import { entryPage } from "./entry-page.ts";
import { sendAgainPage } from "./late-form.ts";
import { deviceLetter } from "./letters.ts";
import type { PersonRow } from "./nouns.ts";
import { ownPath } from "./plain-page.ts";
import { isKnownBrowser, openSession, proveSession, signedIn, signOut } from "./session.ts";
import { provenByPasskey, provenByPassword, recordProof } from "./sign-in.ts";
import { redirect } from "./site.ts";

function page(method: "GET" | "POST", path: string, answer: WebPage["answer"]): WebPage {
  return { method, path, site: "people", answer };
}

export const showSignIn = page("GET", "/sign-in", async (app, visit) => {
  const signed = await signedIn(app, visit);
  const then = ownPath(visit.query["then"]);
  return signed ? redirect(then) : entryPage(app, visit, "sign-in", { then });
});

type Way = "password" | "passkey";

/** Whoever is proven gets in; whoever is not sees the page again, with words that tell nothing. */
function signIn(way: Way): WebPage["answer"] {
  return async (app, visit) => {
    try {
      const proven = way === "password" ? provenByPassword : provenByPasskey;
      const { cookies, letters } = await proven(app, visit, async (tx, person) => {
        await recordProof(tx, app, person, "person.sign_in", way);
        const isSeen = await isKnownBrowser(tx, app, visit, person.id);
        const news = isSeen ? [] : [deviceLetter(app, person, visit)];
        return { letters: news, cookies: await openSession(tx, app, person, visit) };
      });
      postLetters(app, letters);
      return redirect(ownPath(visit.form["then"]), cookies);
    } catch (error) {
      if (!isFailure(error) || error.status >= 429) throw error;
      const problems = [error.words(visit.language)].flat();
      return entryPage(app, visit, "sign-in", { then: ownPath(visit.form["then"]), problems });
    }
  };
}

export const signInByPassword = page("POST", "/sign-in", signIn("password"));
export const signInByPasskey = page("POST", "/sign-in/passkey", signIn("passkey"));

/** For who was to prove who they are, and has no session any more: where they go on stays the same. */
export function toSignIn({ form, query }: Visit): PageAnswer {
  const then = form["then"] ?? query["then"];
  return redirect(then ? `/sign-in?then=${encodeURIComponent(ownPath(then))}` : "/sign-in");
}

export const showProve = page("GET", "/prove", async (app, visit) => {
  const signed = await signedIn(app, visit);
  if (signed === undefined) return toSignIn(visit);
  return entryPage(app, visit, "prove", { then: ownPath(visit.query["then"]), signed });
});

/** After a proof: to the page that wanted it, or to the form that was sent too late for the one before. */
export function goOn(
  { form }: Visit,
  { language }: PersonRow,
  cookies: readonly string[],
): PageAnswer {
  const [then, typed] = [ownPath(form["then"]), form["typed"]];
  if (typed === undefined) return redirect(then, cookies);
  return { ...sendAgainPage(language, then, typed), cookies };
}

function prove(way: Way): WebPage["answer"] {
  return async (app, visit) => {
    const signed = await signedIn(app, visit);
    if (signed === undefined) return toSignIn(visit);
    const { person, session } = signed;
    try {
      // Who has signed in is known: their own e-mail address, whatever the form says.
      const own = { ...visit, form: { ...visit.form, email: person.email } };
      const renew = async (tx: Tx): Promise<string[]> => {
        await recordProof(tx, app, person, "person.prove", way);
        return proveSession(tx, app, person, session, visit);
      };
      const cookies =
        way === "password"
          ? await provenByPassword(app, own, renew)
          : await provenByPasskey(app, own, renew, signed);
      return goOn(visit, person, cookies);
    } catch (error) {
      if (!isFailure(error) || error.status >= 429) throw error;
      const problems = [error.words(person.language)].flat();
      const [then, typed] = [ownPath(visit.form["then"]), visit.form["typed"]];
      return entryPage(app, visit, "prove", { then, typed, problems, signed });
    }
  };
}

export const proveByPassword = page("POST", "/prove", prove("password"));
export const proveByPasskey = page("POST", "/prove/passkey", prove("passkey"));

export const leave = page("POST", "/sign-out", async (app, visit) => {
  const signed = await signedIn(app, visit);
  return redirect("/sign-in", signed ? await signOut(app, signed) : []);
});

/** Where somebody belongs who has said no more than who they are. */
export const start = page("GET", "/start", async (app, visit) => {
  const signed = await signedIn(app, visit);
  if (signed === undefined) return redirect("/sign-in");
  const { deskUrl, cabinetUrl } = app.config;
  const [path, url] = signed.person.desk_role === null ? ["/my", cabinetUrl] : ["/desk", deskUrl];
  return redirect(deskUrl === cabinetUrl ? path : url + path);
});
