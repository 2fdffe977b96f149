// Requests made from the API's description: right ones for every operation, and most of them harmed.

import fc from "fast-check";
import { anyCard, WRITINGS } from "../../test/card-writings.ts";
import { anyOdd, HARMS, inLine, type Pair, type Request, written } from "./harms.ts";
import type { Operation } from "./operations.ts";
import { type Known, right } from "./right.ts";

export function anyRequest(
  known: Known,
  operation: Operation,
  maxLength = 2,
): fc.Arbitrary<Request> {
  const { name, method, schema, kind, secret } = operation;
  const names = fc.constantFrom(...Object.keys(HARMS));
  const harm = fc.record({ name: names, odd: anyOdd, at: fc.nat(999) });
  const payer = fc.tuple(anyCard, fc.constantFrom(...Object.values(WRITINGS)));
  const values = right(known, name, schema) as fc.Arbitrary<Record<string, unknown>>;
  const harms = fc.array(harm, { maxLength });
  return fc.record({ values, harms, payer, address: fc.ipV4() }).map((made) => {
    const [card, write] = made.payer;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, part: string) =>
      String(made.values[part]),
    );
    const isLeft = ([field, value]: Pair) =>
      value !== undefined && !operation.path.includes(`{${field}}`);
    const isForm = kind === "page";
    const request: Request = {
      operation,
      method,
      path,
      card,
      harms: made.harms.map((one) => one.name),
      headers: [
        [...(secret ?? ["x-nobody", "1"])],
        ["accept", isForm ? "text/html" : "application/json"],
        ["content-type", isForm ? "application/x-www-form-urlencoded" : "application/json"],
        ["x-forwarded-for", made.address],
      ],
      fields: Object.entries(made.values)
        .filter(isLeft)
        .map(([field, value]): Pair => [field, field === "payer" ? write(card) : value]),
      edit: (body) => body,
    };
    for (const { name: harmed, odd, at } of made.harms) HARMS[harmed]?.(request, odd, at);
    return request;
  });
}

export function toBytes({ operation, method, path, headers, fields, edit }: Request): Buffer {
  const isGet = operation.method === "GET";
  const json = fields.map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`);
  const form = fields.map(([name, value]) => `${name}=${encodeURIComponent(inLine(value))}`);
  const plainBody = operation.kind === "page" ? form.join("&") : `{${json.join()}}`;
  const body = edit(Buffer.from(isGet ? "" : plainBody));
  const query =
    isGet && form.length > 0 ? `${path.includes("?") ? "&" : "?"}${form.join("&")}` : "";
  const isLast = ([name]: Pair, index: number) =>
    index === headers.findLastIndex((one) => one[0] === name);
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    "host: kopeck.test",
    "connection: close",
    ...headers.filter(isLast).map(([name, value]) => `${name}: ${value}`),
    ...(isGet && body.length === 0 ? [] : [`content-length: ${body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}
