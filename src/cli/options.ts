// From what was typed to the input of a call. Guards that a misspelt option is an error and never
// silently left out, and that a number is one before it is sent.

import { parseArgs } from "node:util";
import { type Command, UsageFailure } from "./command.ts";
import type { Call, Field } from "./description.ts";

export interface Typed {
  readonly input: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  readonly yes: boolean;
  readonly help: boolean;
  readonly all: boolean;
  /** The file to read, where the command takes one. */
  readonly file: string | undefined;
}

/** Options that every command has, with their help. */
export const COMMON_OPTIONS = {
  json: "The whole answer as JSON, for programs.",
  yes: "Do what cannot be undone without asking.",
  all: "All pages of a list.",
  help: "This text.",
} as const;

export function optionName(field: string): string {
  return field.replaceAll("_", "-");
}

/** The fields of a command that are options: not given by place, by the words or by a file. */
export function optionFields(command: Command, call: Call): readonly Field[] {
  const taken = [...(command.places ?? []), command.file?.field];
  return call.fields.filter(({ name }) => !taken.includes(name) && !hasPreset(command, name));
}

function hasPreset({ preset }: Command, name: string): boolean {
  return preset !== undefined && Object.hasOwn(preset, name);
}

export function readOptions(
  command: Command,
  call: Call,
  args: readonly string[],
  readLine: () => string,
): Typed {
  const fields = optionFields(command, call);
  const { values, positionals } = parse(command, fields, args);
  const flag = (name: keyof typeof COMMON_OPTIONS): boolean => values[name] === true;
  const places = command.places ?? [];
  const help = flag("help");
  const input: Record<string, unknown> = { ...command.preset };
  if (!help) {
    if (positionals.length > places.length) {
      throw new UsageFailure(`"${positionals[places.length]}" is one word too many.`);
    }
    for (const [index, name] of places.entries()) {
      const text = positionals[index];
      if (text === undefined) throw new UsageFailure(`The ${optionName(name)} is missing.`);
      input[name] = readValue(fieldOf(call, name), text, readLine);
    }
    for (const field of fields) {
      const value = values[optionName(field.name)];
      if (value !== undefined) input[field.name] = readValue(field, value, readLine);
      else if (field.required) throw new UsageFailure(`--${optionName(field.name)} is missing.`);
    }
  }
  const { file } = values;
  if (command.file !== undefined && file === undefined && !help) {
    throw new UsageFailure("--file is missing.");
  }
  const path = typeof file === "string" ? file : undefined;
  return { input, json: flag("json"), yes: flag("yes"), all: flag("all"), help, file: path };
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parse(command: Command, fields: readonly Field[], args: readonly string[]) {
  const options: Record<string, { type: "string" | "boolean"; multiple: boolean }> = {};
  for (const { name, kind } of fields) {
    const type = kind === "boolean" ? "boolean" : "string";
    options[optionName(name)] = { type, multiple: kind === "array" };
  }
  for (const name of Object.keys(COMMON_OPTIONS)) {
    options[name] = { type: "boolean", multiple: false };
  }
  if (command.file !== undefined) options["file"] = { type: "string", multiple: false };
  try {
    const parsed = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (error) {
    // The first sentence says what is wrong; the rest are hints for programmers.
    const [sentence = "This cannot be read"] = String((error as Error).message).split(". ");
    throw new UsageFailure(`${sentence.replace(/\.$/, "")}.`);
  }
}

function fieldOf(call: Call, name: string): Field {
  const field = call.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${call.path} has no field ${name}.`);
  return field;
}

/** A lone - stands for a line of standard input: what should not be seen in a list of processes. */
function readValue(
  field: Field,
  value: NonNullable<Values[string]>,
  readLine: () => string,
): unknown {
  if (Array.isArray(value) || typeof value === "boolean") return value;
  const text = value === "-" ? readLine() : value;
  // The gateway takes an empty text for none: a variable that was not set must not pass for a value.
  if (text === "") throw new UsageFailure(`The ${optionName(field.name)} is empty.`);
  if (field.kind !== "integer" && field.kind !== "number") return text;
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) {
    throw new UsageFailure(`${optionName(field.name)} must be a number, not "${text}".`);
  }
  return Number(text);
}
