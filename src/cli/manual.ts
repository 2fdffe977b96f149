// The manual of a command, from the API's description or from the command itself.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, type DoorCommand, type Field, flag, type Manual } from "./command.ts";

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Content {
  readonly content: { readonly "application/json": { readonly schema: Schema } };
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly { name: string; required: boolean; schema: Schema }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content | undefined>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;

let paths: Paths | undefined;

/** The operation that "POST /manage/shops" names. Whoever asks for none does not wait for the reading. */
function operationOf(call: string): Operation {
  const file = join(import.meta.dirname, "../../openapi.json");
  paths ??= (JSON.parse(readFileSync(file, "utf8")) as { paths: Paths }).paths;
  const [method = "", path = ""] = call.split(" ");
  const operation = paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The API has no ${call}.`);
  return operation;
}

export function summaryOf(command: Command): string {
  if (!("call" in command)) return command.summary;
  return command.summary ?? operationOf(command.call).summary;
}

export function isPage(call: string): boolean {
  const answer = operationOf(call).responses["200"]?.content["application/json"].schema;
  return answer?.properties?.["data"]?.properties?.["next"] !== undefined;
}

export async function manualOf(command: Command): Promise<Manual> {
  if ("call" in command) return doorManual(command);
  const { places = [], ...work } = await command.load();
  return { ...work, places };
}

function doorManual(command: DoorCommand): Manual {
  const { words, call, places = [], preset = {}, file, warning, example = "" } = command;
  const { needs = [] } = command;
  const { description = "" } = operationOf(call);
  const fields = fieldsOf(call);
  const named = [...call.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const placed = [...named, ...places].map((name) => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) throw new Error(`${call} has no field ${name}.`);
    return { ...field, required: true };
  });
  const taken = [...placed.map(({ name }) => name), ...Object.keys(preset), file?.field];
  // Of an answer's other part it says nothing.
  const more = command.part === undefined ? description : "";
  const about = [summaryOf(command), more].filter(Boolean).join(". ").replace(/\.$/, "");
  return {
    description: `${about}.${warning === undefined ? "" : `\nCannot be undone: ${warning}`}`,
    places: placed,
    options: [
      ...fields
        .filter(({ name }) => !taken.includes(name))
        .map((field) => (needs.includes(field.name) ? { ...field, required: true } : field)),
      ...(file === undefined ? [] : [fileOf(file.description)]),
      flag("json", "The whole answer as JSON, for programs."),
      ...(command.columns === undefined
        ? []
        : [flag("csv", "All rows as CSV, for a spreadsheet.")]),
      flag("yes", "Do what cannot be undone without asking.", warning === undefined),
      flag("all", "All pages of a list.", !isPage(call)),
    ],
    example: ["kopeck", words, ...placed.map(sample), example].join(" ").trimEnd(),
  };
}

function fileOf(description: string): Field {
  return { name: "file", kind: "string", required: true, description };
}

function fieldsOf(call: string): Field[] {
  const { parameters = [], requestBody } = operationOf(call);
  const body = requestBody?.content["application/json"].schema;
  const sent = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    schema,
    required: body?.required?.includes(name) ?? false,
  }));
  const kinds = ["string", "integer", "number", "boolean", "array"] as const;
  return [...parameters, ...sent].map(({ name, required, schema }) => ({
    name,
    kind: kinds.find((kind) => kind === schema.type) ?? "object",
    required,
    description: schema.description ?? "",
    choices: schema.enum ?? schema.items?.enum ?? [],
    example: schema.examples?.[0],
    maximum: schema.maximum,
  }));
}

export const SAMPLE_ID = "019a3f00-0000-7000-8000-000000000001";

function sample({ name, kind, example }: Field): string {
  if (example !== undefined) return /\s/.test(String(example)) ? `"${example}"` : String(example);
  return kind === "number" ? "250" : name.endsWith("_id") ? SAMPLE_ID : name;
}
