// The description of an endpoint as cells of a table and fields of a form, with names in the place of ids.
// A list of fifty rows asks once for all names.

import type { TSchema } from "typebox";
import { INVOICE_STATES } from "../../domain/invoice.ts";
import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Endpoint } from "../../platform/endpoint.ts";
import type { Failure } from "../../platform/failure.ts";
import { html, type Part } from "../../platform/html.ts";
import { decimalText, type Look } from "../screens/locale.ts";
import {
  type Column,
  chip,
  choicesOf,
  type FormField,
  moment,
  money,
  shortId,
} from "../screens/pieces.ts";
import { invoiceState, labelOf, stateWord, wordOf } from "../screens/words.ts";
import type { Sight } from "./site.ts";

export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly maxLength?: number;
}

type Wire = Readonly<Record<string, unknown>>;

const STATES = new Set(["state", "status", "outcome", "verdict", "fate"]);
const YES: Readonly<Record<Look["language"], readonly [yes: string, no: string]>> = {
  en: ["yes", "no"],
  ru: ["да", "нет"],
};

const OF_INVOICES = INVOICE_STATES.join();

/** What a code of this field is called by where people read it. */
function toldCode<Value>(schema: FieldSchema, value: Value): Value | string {
  const isInvoices = typeof value === "string" && schema.enum?.join() === OF_INVOICES;
  return isInvoices ? invoiceState(value) : value;
}

/** A field of an answer, as it stands in a cell. Numbers with a decimal point are money. */
export function shown(
  name: string,
  schema: FieldSchema,
  row: Wire,
  look: Look,
  root: string,
): Part {
  const value = row[name];
  if (value === null || value === undefined || value === "") return "—";
  if (typeof value === "boolean") return YES[look.language][value ? 0 : 1];
  if (typeof value === "number") {
    const currency = row["currency"];
    if (kindOf(schema) !== "number" || /(?:percent|_ms)$/.test(name))
      return decimalText(value, look.language);
    return money(value, look, typeof currency === "string" ? currency : undefined);
  }
  if (Array.isArray(value)) {
    return value
      .map((one) => (typeof one === "string" ? wordOf(one, look.language) : JSON.stringify(one)))
      .join(", ");
  }
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(toldCode(schema, value));
  if (isMoment(name, schema)) return moment(text, look);
  if (schema.format === "uuid") return shortId(text, `${root}/go/${text}`);
  if (STATES.has(name)) return chip(text, look);
  if (schema.enum !== undefined || CODES.test(name)) return wordOf(text, look.language);
  return text;
}

const isMoment = (name: string, { format }: FieldSchema): boolean =>
  format === "date-time" || name === "day" || name.endsWith("_at");

/** Fields whose texts are codes that people have words for. */
const CODES =
  /^(?:service|bank|kind|act|event|reason_code|method|rail|held_reason|format|channel)$/;

function kindOf({ type }: FieldSchema): string | undefined {
  return typeof type === "string" ? type : type?.find((one) => one !== "null");
}

/** What a list answers one of. */
export function itemFields(door: Endpoint): Readonly<Record<string, FieldSchema>> {
  const { properties } = door.data as TSchema & FieldSchema;
  return properties?.["items"]?.items?.properties ?? {};
}

function columnOf<Item extends object>(
  name: string,
  fields: Readonly<Record<string, FieldSchema>>,
  look: Look,
  root: string,
): Column<Item> {
  const schema = fields[name] ?? {};
  const isNumber = ["number", "integer"].includes(kindOf(schema) ?? "");
  return {
    label: labelOf(name, look.language),
    ...(isNumber ? { align: "end" } : {}),
    cell: (row) => shown(name, schema, row as Wire, look, root),
    text: (row) => {
      const value = plainText(toldCode(schema, (row as Wire)[name]));
      return isMoment(name, schema) && typeof value === "string" ? localTime(value, look) : value;
    },
  };
}

/** How each row stands, where no field of it says so. */
export function stateColumn<Item>(look: Look, of: (row: Item) => string): Column<Item> {
  return {
    label: labelOf("state", look.language),
    cell: (row) => chip(of(row), look),
    text: of,
  };
}

/** Columns of a page's own, and those that are but the name of a field. */
export function columnsOf<Item extends object>(
  wished: readonly (string | Column<Item>)[],
  fields: Readonly<Record<string, FieldSchema>>,
  { look, root }: { readonly look: Look; readonly root: string },
): Column<Item>[] {
  return wished.map((one) =>
    typeof one === "string" ? columnOf<Item>(one, fields, look, root) : one,
  );
}

/** 2026-03-01 01:30:00, the time that the page shows; a day stays a day. */
function localTime(value: string, { zone }: Look): string {
  return value.includes("T") ? momentFormat(zone).text(new Date(value)) : value;
}

function plainText(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "string") return value;
  return Array.isArray(value) ? value.join(" ") : JSON.stringify(value);
}

/** A field of a form; what the page says of it comes before what the door does. */
export function fieldOf(
  door: Endpoint,
  name: string,
  { language }: Look,
  own: Partial<FormField> = {},
): FormField {
  const schema = ((door.input as FieldSchema).properties?.[name] ?? {}) as FieldSchema;
  const required = (door.input as FieldSchema).required?.includes(name) ?? false;
  const isSeveral = kindOf(schema) === "array";
  const choices = own.choices ?? choicesIn((isSeveral && schema.items) || schema, language);
  return {
    name,
    label: labelOf(name, language),
    kind: fieldKind(name, schema),
    required,
    ...(choices === undefined ? {} : { kind: isSeveral ? "several" : "choice", choices }),
    ...own,
  };
}

function fieldKind(name: string, schema: FieldSchema): FormField["kind"] {
  const kind = kindOf(schema);
  if (kind === "number") return name.endsWith("percent") ? "number" : "money";
  if (kind === "integer") return "number";
  if (schema.format === "email") return "email";
  if (schema.format === "moment") return "day";
  if (kind === "array") return "area";
  return (schema.maxLength ?? 0) > 300 && schema.format === "clean-text" ? "area" : "text";
}

function choicesIn(schema: FieldSchema, language: Look["language"]) {
  const kind = kindOf(schema);
  const values = kind === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  if (values === undefined) return undefined;
  const [yes, no] = YES[language];
  const label = (value: string): string =>
    kind === "boolean" ? (value === "true" ? yes : no) : wordOf(toldCode(schema, value), language);
  return values.map((value) => ({ value, label: label(value) }));
}

/** What was refused: a state that the wire has a code for is called as everywhere on the pages. */
export function refusedWords(failure: Failure, language: Look["language"]): string[] {
  const words = [failure.words(language)].flat();
  const { state } = failure instanceof Refusal ? failure.params : {};
  if (state === undefined || language === "en") return words;
  return words.map((one) => one.replace(state, stateWord(state, language).toLowerCase()));
}

/** What is wrong with a field, by what stands above it: programs read the wire's name of it there. */
export function problemOf(
  failure: Failure | undefined,
  name: string,
  { language }: Look,
): string | undefined {
  const at = failure?.fields?.findIndex((field) => field.split(".")[0] === name) ?? -1;
  const words = at < 0 ? undefined : [failure?.words(language) ?? ""].flat()[at];
  const label = labelOf(name, language);
  const wireName = name.replaceAll("_", " ");
  return words
    ?.replace(`Поле ${wireName} `, `Поле «${label}» `)
    .replace(`The ${wireName} field `, `The “${label}” field `);
}

export type Names = ReadonlyMap<string, string>;
export type Ids = readonly (string | null)[];

/** How a site names the ids of a field. */
export interface Naming<Who> {
  /** Of these ids, or of the newest there are. */
  names(sight: Sight<Who>, ids?: Ids): Promise<Names>;
  /** Where whose it is is seen. */
  href(id: string): string;
}

/** A field that is shown, or chosen, by name. */
export interface Named {
  readonly name: string;
  readonly isNamed: true;
}

export const named = (name: string): Named => ({ name, isNamed: true });

function namingOf<Who>({ naming }: Sight<Who>, name: string): Naming<Who> {
  const found = naming[name];
  if (found === undefined) throw new Error(`${name} has no names here.`);
  return found;
}

/** The name as a link to whose it is; without one, the id. */
export function nameLink(names: Names, id: string | null, href: string, root: string): Part {
  if (id === null) return "—";
  const name = names.get(id);
  if (name === undefined) return shortId(id, `${root}/go/${id}`);
  return html`<a href="${href}"><bdi>${name}</bdi></a>`;
}

export async function nameOf<Who>(sight: Sight<Who>, field: string, id: string | null) {
  const { names, href } = namingOf(sight, field);
  return nameLink(await names(sight, [id]), id, href(id ?? ""), sight.root);
}

/** The same columns, of which those that are named know the names of these rows. */
export function withNames<Who, Item extends object>(
  sight: Sight<Who>,
  wished: readonly (string | Named | Column<Item>)[],
  items: readonly Item[],
): Promise<(string | Column<Item>)[]> {
  return Promise.all(
    wished.map(async (wish) => {
      if (typeof wish === "string" || !("isNamed" in wish)) return wish;
      const idOf = (item: Item): string | null =>
        (item as Readonly<Record<string, string | null>>)[wish.name] ?? null;
      const naming = namingOf(sight, wish.name);
      const names = await naming.names(sight, items.map(idOf));
      return {
        label: labelOf(wish.name, sight.look.language),
        cell: (item: Item): Part =>
          nameLink(names, idOf(item), naming.href(idOf(item) ?? ""), sight.root),
        text: (item: Item) => names.get(idOf(item) ?? "") ?? idOf(item),
      };
    }),
  );
}

export type FieldWish = string | (Partial<FormField & Named> & { readonly name: string });

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The newest, and whatever is chosen already. */
async function offered<Who>(sight: Sight<Who>, name: string): Promise<Names> {
  const { names } = namingOf(sight, name);
  const newest = await names(sight);
  const chosen = [sight.visit.sent[name] ?? []].flat().at(-1) ?? "";
  if (newest.has(chosen) || !UUID.test(chosen)) return newest;
  return new Map([...newest, ...(await names(sight, [chosen]))]);
}

/** The same fields, of which those that are named offer names. */
export function withChoices<Who>(
  sight: Sight<Who>,
  wishes: readonly FieldWish[],
): Promise<(Partial<FormField> & { readonly name: string })[]> {
  return Promise.all(
    wishes.map(async (wish) => {
      if (typeof wish === "string") return { name: wish };
      const { isNamed: byName, ...own } = wish;
      if (!byName) return own;
      return { ...own, choices: choicesOf(await offered(sight, own.name)) };
    }),
  );
}
