// A request before it is sent: every part of it can still be harmed.

import { LINK_SHOP, OTHER_SHOP, SHOP, USER } from "../../test/cast.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Operation } from "./operations.ts";
import { type Fields, type Moment, rightFields } from "./right-values.ts";
import { encoded, type Members, membersOf, toJson, toQuery } from "./tree.ts";

export interface Draft {
  readonly operation: Operation;
  /** What was meant, before any harm. */
  readonly fields: Fields;
  method: string;
  /** The path with its values, encoded. */
  path: string;
  readonly headers: [name: string, value: string][];
  readonly tree: Members;
  /** Instead of what the tree says. */
  query?: string;
  body?: Buffer;
  /** What was done to it. */
  readonly harms: string[];
}

const KEYS = new Map([SHOP, LINK_SHOP, OTHER_SHOP].map(({ id, key }) => [id, key]));

export function draftOf(operation: Operation, moment: Moment): Draft {
  const fields = rightFields(operation, moment);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encoded(String(fields[name] ?? "none")),
  );
  const rest = Object.entries(fields).filter(([name]) => !operation.inPath.includes(name));
  return {
    ...{ operation, fields, method: operation.method, path, harms: [] },
    headers: [
      ["host", "kopeck.test"],
      ["accept", operation.kind === "page" ? "text/html,*/*;q=0.8" : "application/json"],
      ...secretOf(operation, fields),
      ...typeOf(operation),
      ...payerOf(operation, moment),
    ],
    tree: membersOf(Object.fromEntries(rest)),
  };
}

function secretOf({ secret }: Operation, fields: Fields): [string, string][] {
  const shopId = String(fields["shop_id"] ?? fields["shopId"]);
  switch (secret) {
    case "shop":
      return [["x-api-key", KEYS.get(shopId) ?? SHOP.key]];
    case "user":
      return [["x-api-signature-sha256", USER.secret]];
    case "operator":
      return [["authorization", `Bearer ${OPERATOR_TOKEN}`]];
    case "none":
      return [];
  }
}

function payerOf({ kind }: Operation, { random }: Moment): [string, string][] {
  return kind === "page" ? [["x-forwarded-for", `198.18.0.${random.below(256)}`]] : [];
}

function typeOf({ method, kind }: Operation): [string, string][] {
  if (method === "GET") return [];
  const type = kind === "page" ? "application/x-www-form-urlencoded" : "application/json";
  return [["content-type", type]];
}

export function bodyOf(draft: Draft): Buffer {
  const { body, operation, tree } = draft;
  if (body !== undefined) return body;
  if (operation.method === "GET") return Buffer.alloc(0);
  return Buffer.from(operation.kind === "page" ? toQuery(tree) : toJson(tree));
}

export function toBytes(draft: Draft): Buffer {
  const { method, path, headers, operation, tree } = draft;
  const query = draft.query ?? (operation.method === "GET" ? toQuery(tree) : "");
  const body = bodyOf(draft);
  const hasBody = operation.method === "POST" || body.length > 0;
  const lines = [
    `${method} ${query === "" ? path : `${path}?${query}`} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(hasBody ? [`content-length: ${body.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "utf8"), body]);
}
