// The SDK's types: written from openapi.json as it is today, and right for everything that a
// description of an endpoint can hold.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { type Description, generate } from "../sdk/generate.ts";

const TOP = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(TOP, path), "utf8");

const answering = (data: object) => ({
  "200": { content: { "application/json": { schema: { type: "object", properties: { data } } } } },
});

const EXAMPLE: Description = {
  paths: {
    "/manage/shops/{shop_id}/keys": {
      post: {
        summary: "Add a key",
        description: "It is shown once. Not in a comment: */",
        parameters: [{ name: "shop_id", required: true, schema: { type: "string" } }],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["shop_id", "scopes"],
                properties: {
                  shop_id: { type: "string", description: "The shop" },
                  scopes: { type: "array", items: { enum: ["read", "write"] } },
                  limits: { type: "object", properties: { "per-day": { type: "integer" } } },
                },
              },
            },
          },
        },
        responses: answering({
          type: "object",
          required: ["kind"],
          properties: {
            kind: { const: "key" },
            amounts: { type: "array", items: { type: ["number", "null"] } },
            by: { anyOf: [{ type: "string" }, { oneOf: [{ const: 1 }, { type: "null" }] }] },
            more: { type: "object", additionalProperties: true },
            names: { type: "object", additionalProperties: { type: "string" } },
            open: {
              type: "object",
              properties: { id: { type: "string" } },
              additionalProperties: true,
            },
            both: { allOf: [{ type: ["string", "null"] }, { enum: ["a", null] }] },
            whatever: {},
          },
        }),
      },
      get: {
        parameters: [
          { name: "shop_id", required: true, schema: { type: "string" } },
          { name: "limit", required: false, schema: { type: "integer" } },
        ],
        responses: answering({ type: "object", properties: {} }),
      },
    },
  },
};

const EXPECTED = `export interface Api {
  /** Add a key. It is shown once. Not in a comment: * /. */
  "POST /manage/shops/{shop_id}/keys": {
    input: {
      /** The shop. */
      shop_id: string;
      scopes: readonly ("read" | "write")[];
      limits?:
        | {
            "per-day"?: number | undefined;
          }
        | undefined;
    };
    data: {
      kind: "key";
      amounts?: (number | null)[];
      by?: string | 1 | null;
      more?: Record<string, unknown>;
      names?: Record<string, string>;
      open?: {
        id?: string;
        [name: string]: unknown;
      };
      both?: (string | null) & ("a" | null);
      whatever?: unknown;
    };
  };
  "GET /manage/shops/{shop_id}/keys": {
    input: {
      shop_id: string;
      limit?: number | undefined;
    };
    data: Record<string, never>;
  };
}
`;

it("sdk/src/api.ts is not stale (npm run openapi writes it anew)", () => {
  const today = JSON.parse(read("openapi.json")) as Description;
  assert.equal(read("sdk/src/api.ts"), generate(today));
});

it("sdk/src/api.ts says what a description says", () => {
  const [, types] = generate(EXAMPLE).split(/^(?=export)/m);
  assert.equal(types, EXPECTED);
});

it("sdk/src/api.ts is not written from what is not understood", () => {
  const schema = { $ref: "#/components/schemas/Shop" };
  const paths = { "/a": { get: { responses: answering(schema) } } };
  assert.throws(() => generate({ paths }), /References are not followed/);
});
