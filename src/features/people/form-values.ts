// What a form changes: fields that differ from what stands there now, and fields that were emptied. Guards that a form
// that was sent with nothing changed sends nothing on.

import { fromTexts } from "../../platform/ask.ts";
import type { JsonObject } from "../../platform/body.ts";
import type { Asked } from "../../platform/endpoint.ts";
import { InvalidInput } from "../../platform/input.ts";
import type { Visit } from "../../platform/web-page.ts";
import { decimalText } from "../screens/locale.ts";
import type { Sight } from "./site.ts";

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

export function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return Array.isArray(value) ? value.join("\n") : String(value);
}

/** A number stands there as its reader would write it. */
export function shownOf<Who>(
  value: unknown,
  { look }: Pick<Sight<Who>, "look">,
): string | undefined {
  return typeof value === "number" ? decimalText(value, look.language) : textOf(value);
}
