// Calls an endpoint for a page: the same input check, gate and handler as over HTTP.

import { type App, perApp } from "./app.ts";
import type { JsonObject } from "./body.ts";
import type { Asked, Call, Endpoint } from "./endpoint.ts";
import { type CheckName, type InputReader, InvalidInput, inputReader } from "./input.ts";

/** Made when a door is first asked: its checks are compiled. */
const readers = perApp(() => new Map<Endpoint, InputReader>());

function readerOf(app: App, door: Endpoint): InputReader {
  const known = readers(app).get(door) ?? inputReader(door);
  readers(app).set(door, known);
  return known;
}

/** What a form or a query brings: texts, several for a field that was sent several times. */
export type Texts = Readonly<Record<string, string | readonly string[] | undefined>>;

export async function ask<Input, Data>(
  app: App,
  door: Asked<Input, Data>,
  input: Input,
  principal: unknown,
): Promise<Data> {
  const refused = refusalOf(door, principal);
  if (refused !== undefined) throw refused;
  const reader = readerOf(app, door);
  const sent = { ...input } as JsonObject;
  const params: JsonObject = {};
  for (const name of door.path.match(/(?<=:)\w+/g) ?? []) {
    params[name] = sent[name];
    delete sent[name];
  }
  const gathered = reader.gather({ params, query: door.method === "GET" ? sent : {}, body: sent });
  reader.check(gathered);
  const own = app.for(door.gate.callers ?? "merchants");
  const call = { input: gathered, principal } as unknown as Call<never, unknown>;
  if (!("handleSet" in door)) return (await door.handle(own, call)) as Data;
  const [answer] = await door.handleSet(own, [call]);
  if (answer instanceof Error) throw answer;
  return answer as Data;
}

/** Why this door is not theirs. One whose gate knows no sessions is nobody's: a page never asks it. */
export function refusalOf({ gate, path, method }: Endpoint, principal: unknown): Error | undefined {
  if (gate.admits === undefined) throw new Error(`${path} is no door for pages.`);
  return gate.admits(principal, method);
}

interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly items?: FieldSchema;
  readonly maximum?: number;
}

/** What a person has typed, as the door's input wants it: numbers with a comma and spaces are numbers, too. */
export function fromTexts<Input>(door: Asked<Input, unknown>, texts: Texts): Input {
  const input: JsonObject = {};
  const unclear: { name: string; check: CheckName }[] = [];
  for (const [name, field] of Object.entries(door.input.properties)) {
    const given = texts[name];
    if (given === undefined || given === "") continue;
    const value = fromText(field as FieldSchema, given);
    if (value instanceof Unclear) unclear.push({ name, check: value.check });
    else input[name] = value;
  }
  if (unclear.length === 0) return input as Input;
  throw new InvalidInput(door.input, unclear.map(errorOf));
}

const errorOf = ({ name, check }: { name: string; check: CheckName }) => ({
  keyword: "~refine" as const,
  schemaPath: "",
  instancePath: `/${name}`,
  message: "",
  params: { index: 0, message: check },
});

/** A number that one reader takes for another than the next one does. */
class Unclear {
  readonly check: CheckName;

  constructor(check: CheckName) {
    this.check = check;
  }
}

function fromText({ type, items = {}, maximum }: FieldSchema, given: string | readonly string[]) {
  if (type === "array") {
    const parts = typeof given === "string" ? given.split(/[\n,]/) : given;
    const filled = parts.map((part) => part.trim()).filter((part) => part !== "");
    return filled.map((part): unknown => fromText(items, part));
  }
  const text = (typeof given === "string" ? given : (given.at(-1) ?? "")).trim();
  if (type === "boolean") return text === "true" || (text === "false" ? false : text);
  if (type !== "integer" && type !== "number") return text;
  return fromNumber(text, type, maximum);
}

/**
 * 150,000 is 150 to one reader and 150 thousand to another, and so is 150.000: of money no more than two digits
 * follow a separator. What cannot be a thousand, such as a percentage, has as many as its door takes. A space stands
 * between thousands and nowhere else: "150 50" is 150 roubles and 50 kopecks to whoever has typed it.
 */
function fromNumber(text: string, type: "integer" | "number", maximum = Number.POSITIVE_INFINITY) {
  const [, sign = "", whole, part] = TYPED_NUMBER.exec(text) ?? [];
  const most = type === "integer" ? 0 : maximum < 1000 ? Number.POSITIVE_INFINITY : 2;
  if (whole !== undefined && (part?.length ?? 0) <= most) {
    return Number(`${sign}${whole.replace(/\D/g, "")}.${part ?? 0}`);
  }
  // Two patterns, for in one the separator could be any of those: 60 KB of spaces took ten seconds.
  if (!/^-?\d[\d.,\s]*$/.test(text) || !/[.,\s]/.test(text)) return text;
  return new Unclear(type === "integer" ? "typed_whole" : "typed_decimal");
}

const TYPED_NUMBER = /^(-?)(\d{1,15}|\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3}){1,4})(?:[.,](\d+))?$/;
