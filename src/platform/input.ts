// From a request to the checked input of its endpoint, or to words about each field, in the schema's order.

import type { TObject } from "typebox";
import type { TLocalizedValidationError } from "typebox/error";
import { Compile, type Validator } from "typebox/schema";
import { isJsonObject, type JsonObject } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Failure, HttpFailure, type Language } from "./failure.ts";

interface Parts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export type InputReader = ReturnType<typeof inputReader>;

export function inputReader(endpoint: Endpoint) {
  const { method, path, input: schema, identifier, refusesUnknown } = endpoint;
  const inPath = new Set(path.match(/(?<=:)\w+/g));
  const hasParams = inPath.size > 0;
  const whole = compiledOnce(() => Compile(schema));
  const identity = compiledOnce(() =>
    identifier === undefined ? undefined : onlyField(schema, identifier),
  );
  const fields = fieldsOf(schema);
  const sendable = fields.filter(({ name }) => !inPath.has(name));
  // Found while the request is there, told once it is known who asks.
  const unknown = new WeakMap<JsonObject, string[][]>();

  return {
    gather({ params, query, body }: Parts): JsonObject {
      const sent = method === "GET" ? query : body === undefined ? {} : body;
      if (!isJsonObject(sent)) throw new HttpFailure("body_not_object");
      const input = pick(fields, sent, hasParams ? (params as JsonObject) : undefined);
      if (method === "GET") readTexts(schema, input);
      if (refusesUnknown) {
        const beside = method === "GET" || !isJsonObject(query) ? [] : Object.keys(query);
        const found = [...unknownIn(sendable, sent), ...beside.map((name) => [name])];
        unknown.set(input, found.slice(0, MOST_UNKNOWN));
      }
      return input;
    },
    /** The identifier in lower case, or a refusal that speaks of nothing else. */
    identifier(input: JsonObject): string {
      const only = identity();
      if (identifier === undefined || only === undefined) return "";
      if (!only.check.Check(input)) {
        throw new InvalidInput(only.schema, errorsOf(only.check, input));
      }
      return String(input[identifier]).toLowerCase();
    },
    check(input: JsonObject): void {
      const names = unknown.get(input) ?? [];
      const isRight = whole().Check(input);
      if (isRight && names.length === 0) return;
      throw new InvalidInput(schema, isRight ? [] : errorsOf(whole(), input), names);
    },
  };
}

/** When it is first asked for: a door takes a millisecond, all of them 0.1 s of every start. */
function compiledOnce<Check>(compile: () => Check): () => Check {
  let compiled: { readonly check: Check } | undefined;
  return () => {
    compiled ??= { check: compile() };
    return compiled.check;
  };
}

function errorsOf(check: Validator, value: unknown) {
  const [, errors] = check.Errors(value);
  return errors;
}

/** What is wrong with a part of an input that is judged by itself, as an item of a list. */
export function judgeOf(schema: TObject): (value: unknown) => InvalidInput | undefined {
  const whole = Compile(schema);
  return (value) =>
    whole.Check(value) ? undefined : new InvalidInput(schema, errorsOf(whole, value));
}

/** A query has only texts; what its field wants as a number or a yes or no is read as one. */
function readTexts(schema: Endpoint["input"], input: JsonObject): void {
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = input[name];
    if (typeof value !== "string" || !("type" in field)) continue;
    if (field.type === "boolean" && /^(?:true|false)$/.test(value)) input[name] = value === "true";
    const isNumeric = field.type === "integer" || field.type === "number";
    if (isNumeric && /^\d{1,15}(?:\.\d+)?$/.test(value)) input[name] = Number(value);
  }
}

function onlyField(schema: Endpoint["input"], name: string) {
  const field = schema.properties[name];
  if (field === undefined) throw new Error(`The input has no field ${name}.`);
  const alone = { type: "object", required: [name], properties: { [name]: field } };
  return { schema: alone, check: Compile(alone) };
}

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly maxItems: number;
  readonly inner: readonly Field[] | undefined;
  readonly each: readonly Field[] | undefined;
}

interface FieldSchema {
  readonly required?: readonly string[];
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
}

function fieldsOf({ properties = {}, required = [] }: FieldSchema): Field[] {
  return Object.entries(properties).map(([name, field]) => ({
    name,
    isOptional: !required.includes(name),
    maxItems: field.maxItems ?? Number.POSITIVE_INFINITY,
    inner: field.properties && fieldsOf(field),
    each: field.items?.properties && fieldsOf(field.items),
  }));
}

/**
 * What the fields want of what was sent; the rest costs nothing, however much it is. Existing clients
 * send null or "" for what they leave out.
 */
function pick(fields: readonly Field[], sent: JsonObject, params?: JsonObject): JsonObject {
  const input: JsonObject = {};
  for (const { name, isOptional, maxItems, inner, each } of fields) {
    const given = params?.[name] ?? sent[name];
    const value = given === null || given === "" ? undefined : given;
    if (value === undefined && isOptional) continue;
    if (inner !== undefined && (value === undefined || isJsonObject(value))) {
      input[name] = pick(inner, value ?? {});
    } else if (Array.isArray(value)) {
      // One too many says as much as thousands.
      const items = value.length > maxItems ? value.slice(0, maxItems + 1) : value;
      input[name] =
        each === undefined
          ? items
          : items.map((item) => (isJsonObject(item) ? pick(each, item) : item));
    } else if (value !== undefined) input[name] = value;
  }
  return input;
}

/** Whoever sends more of them has read another manual. */
const MOST_UNKNOWN = 10;

/** Where fields stand that nobody asked for; the first of them, where they are many. */
function unknownIn(fields: readonly Field[], sent: JsonObject): string[][] {
  const known = new Map(fields.map((field) => [field.name, field]));
  const found: string[][] = [];
  for (const name in sent) {
    if (found.length >= MOST_UNKNOWN) break;
    const field = known.get(name);
    const value = sent[name];
    if (field === undefined) found.push([name]);
    else if (field.inner !== undefined && isJsonObject(value)) {
      found.push(...unknownIn(field.inner, value).map((path) => [name, ...path]));
    } else if (field.each !== undefined && Array.isArray(value)) {
      const { each, maxItems } = field;
      for (const [index, item] of value.slice(0, maxItems).entries()) {
        if (!isJsonObject(item)) continue;
        found.push(...unknownIn(each, item).map((path) => [name, String(index), ...path]));
      }
    }
  }
  return found;
}

interface Problem {
  readonly path: readonly string[];
  readonly error: TLocalizedValidationError | "required" | "unknown";
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
}

export class InvalidInput extends Error implements Failure {
  readonly status = 422;
  readonly #problems: readonly Problem[];

  constructor(
    schema: ObjectSchema,
    errors: readonly TLocalizedValidationError[],
    unknown: readonly (readonly string[])[] = [],
  ) {
    super("invalid input");
    const strangers = unknown.map((path): Problem => ({ path, error: "unknown" }));
    this.#problems = [...inOrder(schema, errors, []), ...strangers];
  }

  get code(): string {
    const error = this.#problems[0]?.error;
    return typeof error === "string" ? `field_${error}` : "field_invalid";
  }

  get fields(): readonly string[] {
    return this.#problems.map(({ path }) => path.join("."));
  }

  words(language: Language): readonly string[] {
    return this.#problems.map((problem) => phrase(problem, language));
  }
}

/** One problem a field, the first that its schema names. */
function inOrder(
  schema: ObjectSchema,
  errors: readonly TLocalizedValidationError[],
  above: readonly string[],
): Problem[] {
  const here = above.map((name) => `/${name}`).join("");
  const missing = errors
    .filter((error) => error.keyword === "required" && error.instancePath === here)
    .flatMap(({ params }) => ("requiredProperties" in params ? params.requiredProperties : []));
  return Object.entries(schema.properties).flatMap(([name, inner]): Problem[] => {
    const path = [...above, name];
    if (missing.includes(name)) return [{ path, error: "required" }];
    const place = `${here}/${name}`;
    const own = errors.filter(
      ({ instancePath }) => instancePath === place || instancePath.startsWith(`${place}/`),
    );
    const [first] = own;
    if (first === undefined) return [];
    if (isObjectSchema(inner) && first.keyword !== "type") return inOrder(inner, own, path);
    const whole = first.instancePath.slice(1).split("/");
    const [lacking] = "requiredProperties" in first.params ? first.params.requiredProperties : [];
    if (lacking !== undefined) return [{ path: [...whole, lacking], error: "required" }];
    return [{ path: whole, error: first }];
  });
}

function isObjectSchema(schema: unknown): schema is ObjectSchema {
  return typeof schema === "object" && schema !== null && "properties" in schema;
}

function phrase({ path, error }: Problem, language: Language): string {
  const field = fieldName(path);
  const [en, ru] = wordingOf(error);
  return language === "ru" ? `Поле ${field} ${ru}.` : `The ${field} field ${en}.`;
}

/** No field of any door is longer: what is, is cut. */
const MOST_CHARACTERS = 64;

/** "payment_data", "bank" is the bank; "userId" is the user id; an item keeps its list's name. */
function fieldName(path: readonly string[]): string {
  const index = path.findIndex((part) => /^\d+$/.test(part));
  const name = index > 0 ? path.slice(index - 1).join(".") : (path.at(-1) ?? "");
  return name
    .slice(0, MOST_CHARACTERS)
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, (_, left: string, right: string) => `${left} ${right}`)
    .toLowerCase();
}

type Wording = readonly [en: string, ru: string];

function wordingOf(error: Problem["error"]): Wording {
  if (error === "required") return ["is required", "обязательно"];
  if (error === "unknown") return ["does not exist here", "здесь не существует"];
  return rule(error.keyword, error.params);
}

const TYPES: Readonly<Record<string, Wording>> = {
  string: ["must be a string", "должно быть строкой"],
  number: ["must be a number", "должно быть числом"],
  integer: ["must be an integer", "должно быть целым числом"],
  array: ["must be an array", "должно быть массивом"],
  boolean: ["must be true or false", "должно быть true или false"],
  object: ["must be an object", "должно быть объектом"],
};

const JSON_OBJECT: Wording = [
  "must be a JSON object, written as a string",
  "должно быть JSON-объектом, записанным строкой",
];

const CLEAN_TEXT: Wording = [
  "must be well-formed text without NUL",
  "должно быть корректным текстом без символа NUL",
];

const EMAIL: Wording = ["must be an e-mail address", "должно быть адресом электронной почты"];

const FORMATS: Readonly<Record<string, Wording>> = {
  uuid: ["must be a UUID", "должно быть UUID"],
  email: EMAIL,
  "payer-email": EMAIL,
  ipv4: ["must be an IPv4 address", "должно быть адресом IPv4"],
  "http-url": [
    "must be an http or https URL without user and password",
    "должно быть адресом http или https без имени и пароля",
  ],
  moment: [
    "must be a date, or a moment in ISO 8601 with its offset",
    "должно быть датой или моментом времени по ISO 8601 со смещением",
  ],
  cursor: ["must be the next of a page", "должно быть значением next страницы"],
  "clean-text": CLEAN_TEXT,
};

/** A check beyond JSON Schema names itself, so that its words are found. */
export type CheckName = keyof typeof CHECKS;

const CHECKS = {
  decimals: ["must have at most two decimals", "должно иметь не больше двух знаков после запятой"],
  amount_bound: ["must be at most 1000000000000", "должно быть не больше 1000000000000"],
  four_decimals: [
    "must have at most four decimals",
    "должно иметь не больше четырёх знаков после запятой",
  ],
  account: ["must be an account number", "должно быть номером счёта"],
  card: ["must be a card number", "должно быть номером карты"],
  check_digit: [
    "must be without a wrong digit: its last one, the check digit, does not fit",
    "должно быть без ошибки в цифрах: последняя, контрольная, не сходится",
  ],
  phone: [
    "must be a phone number with a plus and the country",
    "должно быть номером телефона с плюсом и кодом страны",
  ],
  currency: [
    "must be the code of a currency with two decimals",
    "должно быть кодом валюты с двумя знаками после запятой",
  ],
  contact: [
    "must be a URL, an e-mail address or a phone number with a plus",
    "должно быть адресом сайта, электронной почтой или номером телефона с плюсом",
  ],
  https: ["must be an https URL", "должно быть адресом https"],
  plain_url: ["must be a URL without ? and #", "должно быть адресом без ? и #"],
  host: ["must have a host of at most 253 bytes", "должно иметь имя хоста не длиннее 253 байт"],
  distinct: ["must not hold an item twice", "не должно содержать повторов"],
  json_object: JSON_OBJECT,
  json_digits: [
    "must hold no number with more digits than can be kept: write it as a string",
    "не должно содержать чисел, все цифры которых не сохранить: запишите такое число строкой",
  ],
  json_clean: CLEAN_TEXT,
  json_proto: ["must not have a key __proto__", "не должно содержать ключ __proto__"],
  json_length: ["must have at most 4096 characters", "должно быть не длиннее 4096 символов"],
  json_depth: [
    "must be nested at most 1000 deep",
    "должно иметь не больше 1000 уровней вложенности",
  ],
  typed_decimal: [
    "must be written with spaces or nothing between thousands, and at most two digits after a point or a comma: 150000, 1500.50",
    "должно быть записано с пробелами между тысячами или слитно, после запятой или точки не больше двух цифр: 150000, 1500,50",
  ],
  typed_whole: [
    "must be a whole number, written with spaces or nothing between thousands: 1000",
    "должно быть целым числом, тысячи через пробел или слитно: 1000",
  ],
} satisfies Record<string, Wording>;

/** In the place of the # stands the limit, or what may be chosen from. */
const RULES: Readonly<Record<string, Wording>> = {
  minLength: ["must have at least # characters", "должно быть не короче # символов"],
  maxLength: ["must have at most # characters", "должно быть не длиннее # символов"],
  minimum: ["must be at least #", "должно быть не меньше #"],
  maximum: ["must be at most #", "должно быть не больше #"],
  exclusiveMinimum: ["must be greater than #", "должно быть больше #"],
  minItems: ["must hold # or more items", "должно содержать элементы, не меньше #"],
  maxItems: ["must hold at most # items", "должно содержать не больше # элементов"],
  enum: ["must be one of: #", "должно быть одним из: #"],
};

const MALFORMED: Wording = ["is malformed", "заполнено неверно"];

function rule(keyword: string, params: object): Wording {
  const { limit, type, format, message, allowedValues } = params as Record<string, unknown>;
  if (keyword === "type") return TYPES[String(type)] ?? JSON_OBJECT;
  if (keyword === "format") return FORMATS[String(format)] ?? MALFORMED;
  if (keyword === "~refine") return CHECKS[message as CheckName];
  const [en, ru] = RULES[keyword] ?? MALFORMED;
  const bound = (): string => [limit ?? allowedValues].flat().join(", ");
  return [en.replace("#", bound), ru.replace("#", bound)];
}
