// An endpoint's schema as Fastify's own validation takes it.

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Formats that Ajv does not know are left out, and so are checks beyond JSON Schema: less work. */
const KNOWN_FORMATS = ["uuid", "ipv4", "email"];

/** Ajv would warn of a field that may be a text or an object; nothing else changes. */
export const AJV_OPTIONS = { ajv: { customOptions: { allowUnionTypes: true } } };

export function plain(schema: object): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key.startsWith("~") || key === "examples") return undefined;
    return key === "format" && !KNOWN_FORMATS.includes(String(value)) ? undefined : value;
  });
  return JSON.parse(text) as JsonSchema;
}
