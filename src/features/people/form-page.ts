// An endpoint that changes something as a page: its fields, problems beside each field, and the result.
// Sending the same form twice makes one thing. Secrets are shown once. A dangerous act needs a fresh proof.

import { hash } from "node:crypto";
import { Refusal } from "../../domain/refusal.ts";
import { fromTexts, refusalOf } from "../../platform/ask.ts";
import type { JsonObject } from "../../platform/body.ts";
import { mayBeDone } from "../../platform/db-failure.ts";
import type { Asked, Endpoint } from "../../platform/endpoint.ts";
import { type Failure, isFailure } from "../../platform/failure.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { InvalidInput } from "../../platform/input.ts";
import type { Document, Visit, WebPage } from "../../platform/web-page.ts";
import { decimalText } from "../screens/locale.ts";
import { type FormField, form, link, notice } from "../screens/pieces.ts";
import { type FieldWish, fieldOf, problemOf, refusedWords, UUID, withChoices } from "./cells.ts";
import { plainPage } from "./plain-page.ts";
import { giveFormBack, takeForm } from "./queries.ts";
import { redirect, type Screen, type Sight, type Site, type Words } from "./site.ts";

type Given = Visit["sent"][string];
type Values = Readonly<Record<string, unknown>>;

/** The input of an endpoint that changes what it is given and leaves the rest. */
export function changesOf<Input>(
  door: Asked<Input, unknown>,
  { sent, params }: Pick<Visit, "sent" | "params">,
  now: Values,
): JsonObject {
  const typed = fromTexts(door, { ...sent, ...params }) as JsonObject;
  const { required = [] } = door.input as { readonly required?: readonly string[] };
  const isSent = (name: string): boolean =>
    name in params ||
    required.includes(name) ||
    plainOf(door, name, sent[name]) !== plainOf(door, name, now[name]);
  const changed = Object.entries(typed).filter(([name]) => isSent(name));
  const empty = emptiedIn(door, sent, now);
  const lost = empty.filter((name) => !canBeEmptied(door, name));
  if (lost.length > 0) throw missing(door, lost);
  return { ...Object.fromEntries(changed), ...forgotten(door, empty) };
}

/** The same for what an endpoint takes for the same: 1,5 and 1.5, boxes in another order, other ends of lines. */
function plainOf<Input>(door: Asked<Input, unknown>, name: string, given: unknown): string {
  const value = takenFor(door, name, Array.isArray(given) ? given.map(String) : textOf(given));
  const plain = Array.isArray(value) ? value.map(String).sort().join("\n") : String(value ?? "");
  return plain.replace(/\r\n?/g, "\n");
}

function takenFor<Input>(door: Asked<Input, unknown>, name: string, given: Given): unknown {
  try {
    return (fromTexts(door, { [name]: given }) as JsonObject)[name];
  } catch {
    return given;
  }
}

function missing<Input>(door: Asked<Input, unknown>, names: string[]): InvalidInput {
  const params = { requiredProperties: names };
  const error = { keyword: "required" as const, schemaPath: "", instancePath: "", params };
  return new InvalidInput(door.input, [{ ...error, message: "" }]);
}

type Schema = { readonly type?: string; readonly items?: { readonly enum?: string[] } };

/** Whether a door can forget what stands there; or it is a list. */
function canBeEmptied<Input>(door: Asked<Input, unknown>, name: string): boolean {
  const { clear, ...fields } = door.input.properties as Record<string, Schema>;
  return fields[name]?.type === "array" || clear?.items?.enum?.includes(name) === true;
}

/** Whether something stands there that can be changed, and not taken away. */
function mustStay<Input>(door: Asked<Input, unknown>, name: string, now: unknown): boolean {
  return !isNothing(now) && !canBeEmptied(door, name);
}

/** What has a value and was emptied. */
function emptiedIn<Input>(door: Asked<Input, unknown>, sent: Visit["sent"], now: Values): string[] {
  return Object.keys(door.input.properties).filter((name) => {
    const texts = [sent[name] ?? []].flat();
    return texts.length > 0 && texts.every((text) => text.trim() === "") && !isNothing(now[name]);
  });
}

/** A list that was emptied is empty, a setting is forgotten. */
function forgotten<Input>(door: Asked<Input, unknown>, emptied: readonly string[]): JsonObject {
  const { clear } = door.input.properties as Record<string, Schema>;
  const settings = emptied.filter((name) => clear?.items?.enum?.includes(name));
  const lists = emptied.filter((name) => !settings.includes(name));
  return {
    ...Object.fromEntries(lists.map((name) => [name, []])),
    ...(settings.length === 0 ? {} : { clear: settings }),
  };
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return Array.isArray(value) ? value.join("\n") : String(value);
}

/** A number stands there as its reader would write it. */
function shownOf<Who>(value: unknown, { look }: Pick<Sight<Who>, "look">): string | undefined {
  return typeof value === "number" ? decimalText(value, look.language) : textOf(value);
}

export interface FormDefinition<Who, Input, Data> {
  readonly path: string;
  readonly title: Words;
  /** What its button says; its title without it. */
  readonly submit?: Words;
  readonly door: Asked<Input, Data>;
  /** Names of the door's fields, or more said of them; all that are not in a path without it. */
  fields?(sight: Sight<Who>): readonly FieldWish[] | Promise<readonly FieldWish[]>;
  /** How it stands now, for a form that changes something. */
  values?(sight: Sight<Who>): Promise<Readonly<Record<string, unknown>>>;
  /** Whether its door sets all of that anew, whatever was there. */
  readonly setsWhole?: boolean;
  /** What is sent beside what was typed. */
  also?(sight: Sight<Who>): Partial<Input> | Promise<Partial<Input>>;
  /** False for what needs no fresh proof of who sends it. */
  readonly needsProof?: boolean;
  readonly danger?: boolean;
  /** What of the address stays while it is filled in, such as of which rows it is. */
  readonly keeps?: readonly string[];
  readonly note?: Words;
  readonly maxBodyBytes?: number;
  above?(sight: Sight<Who>): Part | Promise<Part>;
  /** What is shown instead of the form, where there is nothing that it could be about. */
  nothing?(sight: Sight<Who>): Promise<Part>;
  /**
   * Where it leads then: to the nearest page above it, without this; nowhere by an empty text, where what is shown
   * leads on by itself.
   */
  then?(data: Data, sight: Sight<Who>): string;
  /** What is shown instead, once: secrets. */
  shows?(data: Data, sight: Sight<Who>): Part;
  readonly command?: string;
}

const WORDS = {
  en: {
    saved: (value: string) => `Saved: ${value}`,
    once: "This form was sent before, and is not carried out twice. Look whether what it makes is there; what it showed once is not shown again.",
    on: "Go on",
    unknown: "Nobody knows whether this was done",
    mayBeDone:
      "The connection to the database was lost at the very moment of saving: what you sent may have been carried out, or not. Look first whether it is there, and fill the form in anew only if it is not. What was just sent is not carried out a second time.",
    look: "Look",
    byLink:
      "Filled in by the address of this page, and not saved yet. If somebody has sent you this link, look at each before you go on:",
  },
  ru: {
    saved: (value: string) => `Сохранено: ${value}`,
    once: "Эта форма уже отправлялась и второй раз не выполняется. Посмотрите, появилось ли то, что она делает; показанное однажды больше не показывается.",
    on: "Дальше",
    unknown: "Неизвестно, выполнено ли это",
    mayBeDone:
      "Связь с базой данных прервалась в самый момент записи: отправленное могло выполниться, а могло и нет. Сначала посмотрите, появилось ли оно, и только если нет, заполните форму заново. Отправленное сейчас второй раз не выполняется.",
    look: "Посмотреть",
    byLink:
      "Заполнено по адресу этой страницы и ещё не сохранено. Если ссылку вам прислали, проверьте каждое поле:",
  },
};

export function formPages<Who, Input, Data>(
  site: Site<Who>,
  definition: FormDefinition<Who, Input, Data>,
): readonly WebPage[] {
  const { path, door, needsProof = true, setsWhole = false, maxBodyBytes } = definition;
  const bounds = maxBodyBytes === undefined ? {} : { maxBodyBytes };
  return [
    site.page({
      path,
      needsProof,
      async show(sight) {
        // Nobody fills in what would be refused.
        const refused = refusalOf(door, sight.who);
        if (refused !== undefined) throw refused;
        return screenOf(sight, definition);
      },
    }),
    site.page({
      method: "POST",
      path,
      needsProof,
      ...bounds,
      async show(sight) {
        const { app, visit, person, look } = sight;
        // Another tab may have turned to another merchant since.
        if ((visit.form["of"] ?? sight.formOf) !== sight.formOf)
          throw new Refusal("wrong_merchant");
        const once = visit.form["once"] ?? "";
        const isNew =
          !UUID.test(once) || (await takeForm(app.db, once, person.id, app.clock.now()));
        if (!isNew) return sentBefore(sight, definition);
        let data: Data;
        try {
          const now = (await definition.values?.(sight)) ?? {};
          const asked = await definition.fields?.(sight);
          const version = versionOf(definition, now, asked);
          if (version !== "" && (visit.form["version"] ?? version) !== version)
            throw new Refusal("changed_meanwhile");
          const typed = setsWhole
            ? fromTexts(door, { ...visit.sent, ...visit.params })
            : changesOf(door, visit, now);
          data = await sight.ask(door, {
            ...typed,
            ...referenceOf(door, once, visit),
            ...(await definition.also?.(sight)),
          } as Input);
        } catch (error) {
          // It stays used up: sent once more it could be done twice.
          if (mayBeDone(error) && !visit.wantsJson)
            return unknownPage(sight, pageAbove(site, path, visit));
          if (UUID.test(once) && !mayBeDone(error)) await giveFormBack(app.db, once);
          if (!isFailure(error) || error.status >= 500) throw error;
          return { ...(await screenOf(sight, definition, error)), status: error.status };
        }
        // It is done, whatever comes of showing it.
        const seen = definition.shows?.(data, sight);
        const to = definition.then?.(data, sight) ?? pageAbove(site, path, visit);
        if (seen === undefined) return redirect(to);
        const on = to !== "" && html`<p>${link(WORDS[look.language].on, to, "main")}</p>`;
        return { title: sight.say(definition.title), body: html`${seen}${on}` };
      },
    }),
  ];
}

const addressOf = (path: string, params: Visit["params"]): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

/** The form by itself, to stand on another page as well. */
export async function formOf<Who, Input, Data>(
  sight: Sight<Who>,
  definition: FormDefinition<Who, Input, Data>,
  params: Visit["params"] = sight.visit.params,
  failure?: Failure,
): Promise<Html> {
  const { door, title, submit = title, note } = definition;
  const { danger = false, needsProof = true } = definition;
  const action = addressOf(definition.path, params);
  const now = (await definition.values?.(sight)) ?? {};
  const asked = (await definition.fields?.(sight)) ?? fieldsOf(door, definition.path);
  const typed = failure === undefined ? undefined : sight.visit.sent;
  const isConflict = failure instanceof Refusal && failure.code === "changed_meanwhile";
  const fields = (await withChoices(sight, asked)).map(({ name, ...own }): FormField => {
    const given = (typed ?? sight.visit.query)[name];
    const isNow = given === undefined && typed === undefined;
    const value = isNow ? shownOf(now[name], sight) : textOf(given);
    const isKept = definition.values && !definition.setsWhole && mustStay(door, name, now[name]);
    const field = fieldOf(door, name, sight.look, {
      ...(isKept && { required: true }),
      ...own,
      ...(value === undefined ? {} : { value }),
    });
    const problem =
      problemOf(failure, name, sight.look) ??
      (isConflict && name in now && plainOf(door, name, value) !== plainOf(door, name, now[name])
        ? WORDS[sight.look.language].saved(shownOf(now[name], sight) ?? "—")
        : undefined);
    return problem === undefined ? field : { ...field, problem };
  });
  const names = new Set(fields.map(({ name }) => name));
  const byLink = typed
    ? []
    : fields.filter(({ name, kind }) => {
        const said = sight.visit.query[name];
        const isGrave = needsProof || danger || GRAVE.has(kind);
        return isGrave && said && said !== textOf(now[name]);
      });
  return html`${byLink.length > 0 && linkNotice(byLink, sight)}${form({
    fields,
    submit: sight.say(submit),
    danger,
    look: sight.look,
    action: withQuery(action, definition.keeps, sight),
    hidden: {
      ...hiddenOf(sight),
      // A preview brings along what was typed, and the version that this was typed over.
      ...(definition.values && {
        version: (!typed && sight.visit.query["version"]) || versionOf(definition, now, asked),
      }),
    },
    problems: restOf(failure, names, sight),
    ...(note === undefined ? {} : { note: sight.say(note) }),
  })}`;
}

function withQuery<Who>(
  path: string,
  keeps: readonly string[] = [],
  { visit }: Sight<Who>,
): string {
  const kept = new URLSearchParams();
  for (const name of keeps) if (visit.query[name]) kept.set(name, visit.query[name]);
  return kept.size === 0 ? path : `${path}?${kept}`;
}

/**
 * Of the values that the form shows: another one where somebody has changed them since. Empty where nothing is saved
 * yet, which cannot be overwritten.
 */
function versionOf<Who, Input, Data>(
  { door, path, values }: FormDefinition<Who, Input, Data>,
  now: Readonly<Record<string, unknown>>,
  asked: readonly FieldWish[] = fieldsOf(door, path),
): string {
  const shown = asked.map((one) => now[typeof one === "string" ? one : one.name] ?? null);
  if (values === undefined || shown.every((value) => value === null)) return "";
  return hash("sha256", JSON.stringify(shown), "base64url").slice(0, 22);
}

/** Its number, by which it makes one thing however often it is sent; and the merchant that it is for. */
function hiddenOf<Who>({ app, formOf: of }: Sight<Who>): Readonly<Record<string, string>> {
  return { once: app.newId(), ...(of === "" ? {} : { of }) };
}

/** What nobody should send without having looked at it, whatever the form is for. */
const GRAVE: ReadonlySet<FormField["kind"]> = new Set(["money", "yes", "hidden"]);

/** An address can come from anybody: what it has put into a form of money, people or settings is named. */
function linkNotice<Who>(fields: readonly FormField[], { look }: Sight<Who>): Html {
  const named = fields.map(({ label, kind, value = "" }) =>
    kind === "hidden" ? `${label}: ${value}` : label,
  );
  return notice("warn", html`${WORDS[look.language].byLink} <b>${named.join(", ")}</b>`);
}

async function screenOf<Who, Input, Data>(
  sight: Sight<Who>,
  definition: FormDefinition<Who, Input, Data>,
  failure?: Failure,
): Promise<Screen> {
  const body =
    (await definition.nothing?.(sight)) ||
    html`${await definition.above?.(sight)}${await formOf(sight, definition, sight.visit.params, failure)}`;
  return { title: sight.say(definition.title), body, command: definition.command };
}

function sentBefore<Who, Input, Data>(
  { say, look, root }: Sight<Who>,
  { title }: FormDefinition<Who, Input, Data>,
): Screen {
  const { once, on } = WORDS[look.language];
  return { title: say(title), body: html`${notice("plain", once)}<p>${link(on, root)}</p>` };
}

/** Of what may have been done: without a word from the database, which may be away, and without coming again. */
function unknownPage<Who>({ look: { language } }: Sight<Who>, to: string): Document {
  const { unknown, mayBeDone: said, look } = WORDS[language];
  const body = html`${notice("warn", said)}<p>${link(look, to, "main")}</p>`;
  return plainPage(language, unknown, body, 503);
}

/** Where what a form makes or changes is seen. */
function pageAbove<Who>({ shows, root }: Site<Who>, path: string, { params }: Visit): string {
  let above = path;
  do above = above.slice(0, above.lastIndexOf("/"));
  while (above !== "" && !shows(above));
  return addressOf(above, params) || root;
}

function fieldsOf({ path, input }: Endpoint, pagePath: string): string[] {
  const inPath = new Set(`${path}${pagePath}`.match(/(?<=:)\w+/g));
  return Object.keys(input.properties).filter((name) => !inPath.has(name) && !OWN.has(name));
}

/** What the page itself fills in. */
const OWN = new Set(["reference", "clear"]);

/** Money that is sent twice by the same form is one refund, one payout: its name is the form's. */
function referenceOf(door: Endpoint, once: string, { form: sent }: Visit): object {
  const isWanted = "reference" in door.input.properties && !sent["reference"] && UUID.test(once);
  return isWanted ? { reference: once } : {};
}

/** What is wrong with none of the fields that are shown. */
function restOf<Who>(
  failure: Failure | undefined,
  names: ReadonlySet<string>,
  { look }: Sight<Who>,
): string[] {
  if (failure === undefined) return [];
  const words = refusedWords(failure, look.language);
  return words.filter((_, at) => !names.has(failure.fields?.[at]?.split(".")[0] ?? ""));
}
