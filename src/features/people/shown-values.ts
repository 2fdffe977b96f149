// What a form showed when it was opened, which it brings along: a digest of each value. Guards that whoever sends it
// changes what they have changed and nothing else, however old their tab is, and that two people who change the same
// learn of each other. Nobody can say for others what they were shown: the digests are keyed by who sees the form, and
// where it stands, and one that a link has made up is like no value.

import { createHmac } from "node:crypto";
import { fromTexts } from "../../platform/ask.ts";
import type { JsonObject } from "../../platform/body.ts";
import type { Asked } from "../../platform/endpoint.ts";
import type { Failure, Language } from "../../platform/failure.ts";
import { InvalidInput } from "../../platform/problem.ts";
import type { Visit } from "../../platform/web-page.ts";
import type { FormField } from "../screens/form.ts";
import { decimalText } from "../screens/locale.ts";
import type { Sight } from "./site.ts";

/** The field that carries it. */
export const WAS = "was";

type Given = Visit["sent"][string];
type Values = Readonly<Record<string, unknown>>;
type Digests = ReadonlyMap<string, string>;
type DigestOf = (name: string, given: Given) => string;

const WORDS = {
  en: {
    changed: (now: string) =>
      `Somebody changed this meanwhile: it is now ${now === "" ? "empty" : `“${now}”`}. Send again to save what stands here.`,
  },
  ru: {
    changed: (now: string) =>
      `Пока форма была открыта, это изменили: сейчас ${now === "" ? "пусто" : `«${now}»`}. Отправьте ещё раз, чтобы сохранить то, что стоит здесь.`,
  },
};

export const changedWords = (now: string, language: Language): string =>
  WORDS[language].changed(now);

export class ChangedMeanwhile extends Error implements Failure {
  readonly status = 409;
  readonly code = "changed_meanwhile";
  readonly fields: readonly string[];
  readonly #now: readonly string[];

  constructor(fields: readonly string[], now: Values) {
    super("changed meanwhile");
    this.fields = fields;
    this.#now = fields.map((name) => textOf(now[name]) ?? "");
  }

  words(language: Language): readonly string[] {
    return this.#now.map((now) => changedWords(now, language));
  }
}

/** The same for what a door takes for the same: 1,5 and 1.5, boxes in another order, other ends of lines. */
export function digestsOf<Who, Input>(
  door: Asked<Input, unknown>,
  { app, person }: Pick<Sight<Who>, "app" | "person">,
  action: string,
): DigestOf {
  const key = app.secrets.digest("shown values", `${person.id} ${action}`);
  return (name, given) => {
    const value = takenFor(door, name, given);
    const plain = Array.isArray(value) ? value.map(String).sort().join("\n") : String(value ?? "");
    const digest = createHmac("sha256", key).update(`${name}\0${plain.replace(/\r\n?/g, "\n")}`);
    return digest.digest("base64url").slice(0, 11);
  };
}

function takenFor<Input>(door: Asked<Input, unknown>, name: string, given: Given): unknown {
  try {
    return (fromTexts(door, { [name]: given }) as JsonObject)[name];
  } catch {
    // What no door takes is like nothing that one has shown.
    return given;
  }
}

export function readWas(text: string | undefined): Digests {
  return new Map((text ?? "").split(" ").map((part) => part.split(".") as [string, string]));
}

export function writeWas(digests: Digests): string {
  return [...digests].map((pair) => pair.join(".")).join(" ");
}

/** How a field stands in a form that is shown, perhaps again: whether somebody has changed it, and since what. */
export function standingOf(
  digestOf: DigestOf,
  name: string,
  { given, now, was, isSeen }: { given: Given; now: unknown; was: Digests; isSeen: boolean },
): { readonly isTyped: boolean; readonly since: string } {
  const since = was.get(name);
  const isTyped = given !== undefined && digestOf(name, given) !== since;
  const isOlder = since !== undefined && !isSeen && (isTyped || given === undefined);
  return { isTyped, since: isOlder ? since : digestOf(name, textOf(now)) };
}

/**
 * What a form changes: what was typed into it, and what was emptied. All of it, where it does not say what it showed,
 * or where its door sets the whole: then nothing may have changed since but what stands there.
 */
export function changesOf<Input>(
  door: Asked<Input, unknown>,
  { sent, params, form }: Visit,
  { now, digestOf, isWhole }: { now: Values; digestOf: DigestOf; isWhole: boolean },
): JsonObject {
  const typed = fromTexts(door, { ...sent, ...params }) as JsonObject;
  const { required = [] } = door.input as { readonly required?: readonly string[] };
  const was = readWas(form[WAS]);
  const empty = emptiedIn(door, sent, now);
  const emptied = new Set(empty.filter((name) => canBeEmptied(door, name)));
  const quarrels: string[] = [];
  for (const [name, since] of was) {
    if (!Object.hasOwn(sent, name)) continue;
    const mine = digestOf(name, sent[name]);
    const isSince = digestOf(name, textOf(now[name])) !== since;
    if (isWhole) {
      if (isSince && mine !== digestOf(name, textOf(now[name]))) quarrels.push(name);
    } else if (mine !== since) {
      const isAsked = name in typed || emptied.has(name);
      if (isSince && isAsked && mine !== digestOf(name, textOf(now[name]))) quarrels.push(name);
    } else if (!required.includes(name)) {
      delete typed[name];
      emptied.delete(name);
    } else if (isSince) quarrels.push(name);
  }
  if (quarrels.length > 0) throw new ChangedMeanwhile(quarrels, now);
  const isLost = (name: string): boolean =>
    !canBeEmptied(door, name) && digestOf(name, sent[name]) !== was.get(name);
  if (!isWhole && empty.some(isLost)) throw missing(door, empty.filter(isLost));
  return { ...typed, ...forgotten(door, emptied) };
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
export function mustStay<Input>(door: Asked<Input, unknown>, name: string, now: unknown): boolean {
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
function forgotten<Input>(door: Asked<Input, unknown>, emptied: ReadonlySet<string>): JsonObject {
  const { clear } = door.input.properties as Record<string, Schema>;
  const settings = [...emptied].filter((name) => clear?.items?.enum?.includes(name));
  const lists = [...emptied].filter((name) => !settings.includes(name));
  return {
    ...Object.fromEntries(lists.map((name) => [name, []])),
    ...(settings.length === 0 ? {} : { clear: settings }),
  };
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

export function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return Array.isArray(value) ? value.join("\n") : String(value);
}

/** A number stands there as whoever reads it would write it. */
export function shownOf<Who>(
  value: unknown,
  { look }: Pick<Sight<Who>, "look">,
): string | undefined {
  return typeof value === "number" ? decimalText(value, look.language) : textOf(value);
}

/** A value as its field would show it: a choice by its words. */
export function toldOf<Who>(
  { choices = [] }: FormField,
  value: unknown,
  sight: Pick<Sight<Who>, "look">,
): string {
  const texts = (shownOf(value, sight) ?? "").split("\n");
  return texts.map((text) => choices.find((one) => one.value === text)?.label ?? text).join(", ");
}
