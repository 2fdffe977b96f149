// What makes pages of doors, for people who have signed in. A site is the desk or the cabinet: who may see it,
// as whom they ask, and what stands around every page. Guards that a page asks doors and nothing else, that
// nobody who has not signed in sees one, and that what is dangerous is proven anew.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { ask, fromTexts, refusalOf } from "../../platform/ask.ts";
import type { Asked, Endpoint } from "../../platform/endpoint.ts";
import { type Failure, HttpFailure, isFailure, type Language } from "../../platform/failure.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import type { Document, PageAnswer, Visit, WebPage } from "../../platform/web-page.ts";
import type { Look } from "../screens/locale.ts";
import { copyable, link, notice } from "../screens/pieces.ts";
import { WORDS } from "../screens/words.ts";
import { type Naming, refusedWords } from "./cells.ts";
import { entryPage } from "./entry-page.ts";
import { thenOf, typedIn } from "./late-form.ts";
import { hrefOfOther, lookOverPage, OTHERS, pageDocument, strangerPage } from "./plain-page.ts";
import type { SessionWithPerson } from "./queries.ts";
import { isProven, limitPages, signedIn } from "./session.ts";

interface Frame {
  /** What the site is called, and the path that it begins at. */
  readonly site: { readonly name: string; readonly root: string };
  readonly title: string;
  readonly language: Language;
  readonly person: { readonly name: string };
  /** The other site, for who has a place on both. */
  readonly other?: { readonly label: string; readonly href: string } | undefined;
  readonly places: readonly {
    readonly label: string;
    readonly href: string;
    readonly isHere: boolean;
  }[];
  /** The switch between the merchants of a person. */
  readonly merchant?: Part;
  readonly ribbon?: string;
  readonly body: Part;
  /** The same, on the command line. */
  readonly command?: string;
  /** The stream that tells of changes, and what a change does: figures change, lists say how many are new. */
  readonly live?: string;
  readonly liveMode?: "figures" | "list";
  /** Whose page it is: the script takes nobody else's figures into it. */
  readonly of: string;
  /** Whether single letters are keys. */
  readonly keys: boolean;
  /** The server's time, by which the script counts. */
  readonly now: Date;
}

export function frame(wanted: Frame): Html {
  const { site, title, language, merchant, ribbon, body, command, live, now } = wanted;
  const words = WORDS[language];
  const { liveMode = "figures" } = wanted;
  return html`<a class="skip" href="#main">${words.skip}</a><div class="frame" data-root="${site.root}" data-keys="${wanted.keys ? "on" : "off"}" data-now="${now.toISOString()}" data-of="${wanted.of}">${ribbon && html`<aside class="ribbon" aria-label="${ribbon}">${ribbon}</aside>`}<header class="side"><div><a class="brand" href="${site.root}">${site.name}</a>${merchant}${findForm(wanted)}${nav(wanted)}${who(wanted)}<details class="menu"><summary>${words.menu}</summary><div>${merchant}${findForm(wanted)}${nav(wanted)}${who(wanted)}</div></details></div></header><main id="main" tabindex="-1"${
    live !== undefined && html` data-live="${live}" data-live-mode="${liveMode}"`
  }><div class="top"><h1>${title}</h1></div>${
    live !== undefined &&
    liveMode === "list" &&
    html`<p class="new"><button type="button" class="button main" data-new hidden></button></p>`
  }${body}${
    command !== undefined &&
    html`<details class="command"><summary>${words.command}</summary>${copyable(command, words.command)}</details>`
  }</main></div><p class="unseen" role="status" data-said></p>${dialogs(wanted)}`;
}

function nav({ language, places }: Frame): Html | false {
  if (places.length === 0) return false;
  const links = places.map(
    ({ label, href, isHere }) =>
      html`<li><a href="${href}"${isHere && html` aria-current="page"`}>${label}</a></li>`,
  );
  return html`<nav aria-label="${WORDS[language].places}"><ul class="places">${links}</ul></nav>`;
}

function findForm({ language, site }: Frame): Html {
  const { find: label, findWhat } = WORDS[language];
  return html`<form class="find" role="search" action="${site.root}/find"><input type="search" name="q" aria-label="${label}" placeholder="${findWhat}" autocomplete="off"><kbd aria-hidden="true">/</kbd></form>`;
}

function who({ language, person, other }: Frame): Html {
  const words = WORDS[language];
  return html`<div class="who"><a class="bare" href="/security"><bdi>${person.name}</bdi></a>${other && html`<a class="bare" href="${other.href}">${other.label}</a>`}<button type="button" class="bare" data-opens="keys" hidden>${words.keys}</button><form method="post" action="/sign-out"><button class="bare">${words.signOut}</button></form></div>`;
}

function dialogs({ language }: Frame): Html {
  const words = WORDS[language];
  const close = html`<form method="dialog"><button class="bare">${words.close}</button></form>`;
  const keys = words.keysList.map(
    ([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`,
  );
  return html`<dialog id="keys" aria-labelledby="keys-title"><div class="top"><h2 id="keys-title">${words.keys}</h2>${close}</div><dl class="facts">${keys}</dl></dialog>`;
}

type Ask = Sight<unknown>["ask"];

/**
 * Parts of a page may want to know the same: it is asked once, until something is changed, or until the page is
 * made. A stream or a long file goes on asking after that.
 */
function askingOnce(ask: Ask): { readonly ask: Ask; forget(): void } {
  let known: Map<unknown, Map<string, Promise<unknown>>> | undefined = new Map();
  return {
    forget: () => {
      known = undefined;
    },
    ask<Input, Data>(door: Asked<Input, Data>, input: Input): Promise<Data> {
      if (door.method !== "GET") known?.clear();
      if (known === undefined || door.method !== "GET") return ask(door, input);
      const key = JSON.stringify(input);
      const answers = known.get(door) ?? new Map<string, Promise<unknown>>();
      const answer = (answers.get(key) as Promise<Data> | undefined) ?? ask(door, input);
      known.set(door, answers.set(key, answer));
      return answer;
    },
  };
}

/** A text in both languages. */
export interface Words {
  readonly en: string;
  readonly ru: string;
}

/** A place of the menu. */
export interface Place {
  readonly label: Words;
  readonly href: string;
}

/** A visit of somebody who is known, and what a page may do with it. */
export interface Sight<Who> extends SessionWithPerson {
  readonly app: App;
  readonly visit: Visit;
  readonly who: Who;
  readonly look: Look;
  readonly root: string;
  readonly naming: Readonly<Record<string, Naming<Who>>>;
  /** Of what its forms are; see the site's definition. */
  readonly formOf: string;
  /** Whether they change nothing here, whatever their role is. */
  readonly onlyLooks: boolean;
  say(words: Words): string;
  ask<Input, Data>(door: Asked<Input, Data>, input: Input): Promise<Data>;
  /** Asks a door for what the path of the page names. */
  askHere<Input, Data>(door: Asked<Input, Data>): Promise<Data>;
  /** As ask, where this person may; else, or where there is no such thing, undefined. */
  askIfAllowed<Input, Data>(door: Asked<Input, Data>, input: Input): Promise<Data | undefined>;
  /** What was asked is asked anew from now on. */
  forget(): void;
  /** Whether the gate of a door lets them in. */
  may(door: Endpoint): boolean;
}

interface SiteDefinition<Who> {
  readonly kind: "desk" | "cabinet";
  readonly root: string;
  readonly name: Words;
  /** As whom they ask; undefined for who has no business here. */
  whoOf(app: App, signed: SessionWithPerson): Promise<Who | undefined>;
  places(who: Who): readonly Place[];
  /** Fields whose ids people know by a name. */
  readonly naming: Readonly<Record<string, Naming<Who>>>;
  /** Of which of several a form is, where somebody may turn from one to another. */
  formOf?(who: Who): string;
  /** Whether somebody of the desk only looks here: they do so at the desk's own host. */
  onlyLooks?(who: Who): boolean;
  /** What stands on every page, above everything else on it. */
  banner?(sight: Sight<Who>): Part;
  /** What stands above the menu, such as which merchant it is. */
  heading?(sight: Sight<Who>): Promise<Part>;
}

export interface Screen {
  readonly title: string;
  readonly body: Part;
  readonly status?: number;
  /** The command that shows or does the same. */
  readonly command?: string | undefined;
  /** Which changes it listens for, and what it does then. */
  readonly live?: { readonly of: string; readonly mode: "figures" | "list" };
}

interface PageDefinition<Who> {
  readonly method?: "GET" | "POST";
  readonly path: string;
  /** What somebody does here must be proven anew, where the last proof is old. */
  readonly needsProof?: boolean;
  readonly maxBodyBytes?: number;
  show(sight: Sight<Who>): Promise<Screen | PageAnswer>;
}

export type Site<Who> = ReturnType<typeof openSite<Who>>;

export function openSite<Who>(definition: SiteDefinition<Who>) {
  const { kind, root } = definition;
  const shown = new Set<string>();

  const sightOf = async (app: App, visit: Visit): Promise<Sight<Who> | PageAnswer> => {
    const signed = await signedIn(app, visit);
    const who = signed && (await definition.whoOf(app, signed));
    const onlyLooks = who !== undefined && definition.onlyLooks?.(who) === true;
    // Whose look is over is led back to the desk; nobody else learns that a cabinet can be seen there.
    const isLooker = kind === "cabinet" && !onlyLooks && signed?.person.desk_role != null;
    if (isElsewhere(app, visit, kind, onlyLooks)) {
      if (isLooker) return lookOverPage(app, signed.person.language, 404);
      throw new HttpFailure("path_not_found");
    }
    if (signed === undefined) return redirect(`/sign-in?then=${encodeURIComponent(thenOf(visit))}`);
    const { language } = signed.person;
    if (who === undefined) {
      return isLooker ? lookOverPage(app, language, 403) : strangerPage(language);
    }
    const look = { language, zone: app.config.timeZone, now: app.clock.now() };
    const once = askingOnce((door, input) => ask(app, door, input, who));
    return {
      app,
      visit,
      who,
      look,
      root,
      naming: definition.naming,
      onlyLooks,
      ...signed,
      formOf: definition.formOf?.(who) ?? "",
      say: (words) => words[language],
      ask: once.ask,
      forget: once.forget,
      askHere: (door) => once.ask(door, fromTexts(door, visit.params)),
      may: (door) => refusalOf(door, who) === undefined,
      async askIfAllowed(door, input) {
        if (refusalOf(door, who) !== undefined) return undefined;
        return once.ask(door, input).catch((error: unknown) => {
          if (isFailure(error) && error.status === 404) return undefined;
          throw error;
        });
      },
    };
  };

  const documentOf = async (sight: Sight<Who>, screen: Screen): Promise<Document> => {
    const { visit, person, say } = sight;
    const { title, body, status = 200, command, live } = screen;
    const [here = ""] = visit.url.split("?");
    const places = definition.places(sight.who).map(({ label, href }) => ({
      label: say(label),
      href,
      isHere: href === here || (href !== root && here.startsWith(`${href}/`)),
    }));
    const framed = frame({
      site: { name: say(definition.name), root },
      title,
      language: person.language,
      person: { name: person.name },
      places,
      body: html`${definition.banner?.(sight)}${visit.query["unsent"] !== undefined && notice("warn", say(UNSENT))}${body}`,
      keys: person.has_keys,
      now: sight.look.now,
      of: ofWhom(sight),
      ...(command === undefined ? {} : { command }),
      ...(live === undefined || sight.onlyLooks
        ? {}
        : { live: `${root}/changes?of=${live.of}`, liveMode: live.mode }),
      ...(sight.app.config.mode === "sandbox" ? { ribbon: SANDBOX[person.language] } : {}),
      merchant: await definition.heading?.(sight),
      other: otherOf(kind, sight),
    });
    return pageDocument(person.language, `${title} · Kopeck`, framed, status);
  };

  return {
    kind,
    root,
    documentOf,
    /** Whether there is a page to look at. */
    shows: (path: string): boolean => shown.has(path),
    page(page: PageDefinition<Who>): WebPage {
      if (page.method !== "POST") shown.add(page.path);
      return {
        method: page.method ?? "GET",
        path: page.path,
        site: kind,
        ...(page.maxBodyBytes === undefined
          ? {}
          : { maxBodyBytes: page.maxBodyBytes, admits: refuseUnknown(definition) }),
        answer: (app, visit) =>
          limitPages(app, visit, async () => {
            const sight = await sightOf(app, visit);
            if ("kind" in sight) return sight;
            // Whatever changes something, or would ask for a proof to do so, whichever page it is.
            if (sight.onlyLooks && (page.method === "POST" || page.needsProof))
              return documentOf(sight, troubleOf(sight, new Refusal("looker_cannot_change")));
            if (page.needsProof && !isProven(app, sight.session)) {
              const [then, typed] = [thenOf(visit), typedIn(visit)];
              if (typed === undefined) return redirect(`/prove?then=${encodeURIComponent(then)}`);
              return entryPage(app, visit, "prove", { then, typed, signed: sight });
            }
            try {
              const shown = await page.show(sight);
              if (!("kind" in shown)) return await documentOf(sight, shown);
              sight.forget();
              return shown;
            } catch (error) {
              if (!isFailure(error) || error.status >= 500 || visit.wantsJson) throw error;
              return documentOf(sight, troubleOf(sight, error));
            }
          }),
      };
    },
  };
}

/** Whose a page is: another tab may have changed it since. */
function ofWhom<Who>({ person, formOf }: Sight<Who>): string {
  return `${person.id} ${formOf}`.trim();
}

/** Who looks at the cabinet does so where the desk is, and nobody else does. */
function isElsewhere(
  { config: { deskUrl, cabinetUrl } }: App,
  { host }: Visit,
  kind: "desk" | "cabinet",
  onlyLooks: boolean,
): boolean {
  if (kind === "desk" || deskUrl === cabinetUrl) return false;
  return (new URL(deskUrl).host === host) !== onlyLooks;
}

/** A large form is read only of who has signed in. */
function refuseUnknown<Who>(definition: SiteDefinition<Who>) {
  return async (app: App, visit: Visit): Promise<void> => {
    const signed = await signedIn(app, visit);
    const who = signed && (await definition.whoOf(app, signed));
    if (who === undefined || definition.onlyLooks?.(who)) throw new HttpFailure("other_site");
  };
}

/** Who is at the desk finds back to it; in a sandbox everybody is Anna, who has both. */
function otherOf<Who>(kind: "desk" | "cabinet", { app, person, say }: Sight<Who>) {
  if (kind === "desk" ? app.config.mode !== "sandbox" : person.desk_role === null) return undefined;
  return { label: say(OTHERS[kind]), href: hrefOfOther(kind, app) };
}

const SANDBOX: Readonly<Record<Language, string>> = {
  en: "Sandbox: no real money",
  ru: "Песочница: деньги ненастоящие",
};

const UNSENT: Words = {
  en: "What you sent was not carried out: it had to be proven first that it is you. Fill the form in again.",
  ru: "Отправленное не выполнено: сначала надо было подтвердить, что это вы. Заполните форму ещё раз.",
};
const TROUBLE: Words = { en: "This did not work", ru: "Не получилось" };
const BACK: Words = { en: "Back to the start", ru: "На главную" };

function troubleOf<Who>({ say, look, root }: Sight<Who>, failure: Failure): Screen {
  const said = refusedWords(failure, look.language).join(" ");
  const body = html`${notice("bad", said)}<p>${link(say(BACK), root)}</p>`;
  return { title: say(TROUBLE), body, status: failure.status };
}

export function redirect(to: string, cookies: readonly string[] = []): PageAnswer {
  return { kind: "redirect", to, cookies };
}
