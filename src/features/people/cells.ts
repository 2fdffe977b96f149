// From a door's own description to what a person sees: which kind of cell a field is in a table, and which
// kind of field in a form. So a page names fields, and nothing is described twice.

import type { TSchema } from "typebox";
import { INVOICE_STATES } from "../../domain/invoice.ts";
import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Endpoint } from "../../platform/endpoint.ts";
import type { Failure } from "../../platform/failure.ts";
import type { Part } from "../../platform/html.ts";
import { decimalText, type Look } from "../screens/locale.ts";
import { type Column, chip, type FormField, moment, money, shortId } from "../screens/pieces.ts";
import { invoiceState, labelOf, stateWord, wordOf } from "../screens/words.ts";

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
  const choices = own.choices ?? choicesOf((isSeveral && schema.items) || schema, language);
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

function choicesOf(schema: FieldSchema, language: Look["language"]) {
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
