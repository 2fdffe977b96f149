// What is done to a request that was right: values, headers, paths and bytes that no client would send.

import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { OTHER_SHOP } from "../../test/cast.ts";
import { HOSTILE_TEXTS } from "../../test/hostile-texts.ts";
import type { Operation } from "./operations.ts";

export type Pair = [name: string, value: unknown];
type Edit = (body: Buffer) => Buffer;

export interface Request {
  readonly operation: Operation;
  readonly harms: readonly string[];
  /** Of whoever is named as a payer. */
  readonly card: string;
  method: string;
  path: string;
  headers: Pair[];
  fields: Pair[];
  edit: Edit;
}

/** Written into a body without quotes. */
const raw = (text: string): string => `@raw ${text}@`;
export const written = (value: unknown): string =>
  (JSON.stringify(value) ?? "null").replaceAll(/"@raw (.*?)@"/g, (_, number: string) => number);

const PROTOTYPES = "__proto__ constructor prototype toString then toJSON length".split(" ");
const ODD_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\u0001\u007f",
  "\ufffe",
  "e\u0301",
  "a\r\nx: 1",
  OTHER_SHOP.id,
  "'; drop table invoices; --",
  ..."null $1 %00 ../../etc/passwd infinity epoch 1e3 -0 rub İ ١٢".split(" "),
  ..."9999-12-31T23:59:59Z 2026-01-01T00:00:00+99:99 275760-09-13 2026-02-30 1969-12-31".split(" "),
  ..."http://127.0.0.1:99999/ http://[::1]:1/ javascript:alert(1) //127.0.0.1 http://".split(" "),
  "00000000-0000-0000-0000-000000000000",
  "4111111111111111".repeat(9),
  ...PROTOTYPES,
];
const ODD_NUMBERS = [
  ..."1e400 -1e400 1e-400 -0 0 -1 1e-7 9007199254740993 1e18 1e21 92233720368547758.07".split(" "),
  ..."9223372036854775808 2147483648 100.005 1.0 0.1e4 01 1. NaN Infinity".split(" "),
  `1${"0".repeat(60_000)}`,
  `0.${"0".repeat(60_000)}1`,
  `1e${"9".repeat(9_000)}`,
];
export const anyOdd = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: 1 }),
  fc.constantFrom(...ODD_NUMBERS.map(raw)),
  fc.constantFrom(...ODD_TEXTS, ...HOSTILE_TEXTS),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.nat(70_000).map((length) => "я".repeat(length)),
  fc.nat(9_000).map((depth) => raw("[".repeat(depth) + "]".repeat(depth))),
  fc.nat(4_000).map((count) => raw(`{${Array.from({ length: count }, (_, n) => `"${n}":0`)}}`)),
  fc.double().map((value) => raw(String(value))),
  fc.jsonValue(),
);

const METHODS = "HEAD OPTIONS PUT PATCH DELETE TRACE QUERY SEARCH POST GET".split(" ");
const TYPES = [
  ..."text/plain application/x-www-form-urlencoded multipart/form-data ; */* a/b/c".split(" "),
  "application/json; charset=utf-16",
  "application/vnd.api+json",
  "Application/JSON",
];
const HEADERS = [
  ..."accept accept-language cookie host origin range if-none-match sec-fetch-site".split(" "),
  ..."user-agent x-forwarded-for x-http-method-override x-request-id te __proto__".split(" "),
  ..."content-encoding x-api-key authorization x-api-signature-sha256 content-type".split(" "),
];
const PATHS = [
  ..."// /% /%00 /%2e%2e/ /.. ;a=b ? ?a[__proto__]=1 # %ED%A0%80 * ?limit=1&limit=2".split(" "),
  "/".repeat(5_000),
  `?${"a=b&".repeat(900)}`,
  "\u00ff",
  "/../manage/me",
];
const EDITS: readonly Edit[] = [
  (body) => Buffer.from(body.toString(), "utf16le"),
  (body) => Buffer.from(body.toString(), "latin1"),
  (body) => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body]),
  (body) => Buffer.concat([body, Buffer.of(0xff, 0xc0, 0xaf)]),
  (body) => gzipSync(body),
  (body) => body.subarray(0, body.length >> 1),
  (body) => Buffer.concat([Buffer.alloc(3_000_000, " "), body]),
];

type Harm = (request: Request, odd: unknown, at: number) => unknown;
const nth = <One>(all: readonly One[], at: number): One => all[at % all.length] as One;
export const inLine = (odd: unknown): string =>
  (typeof odd === "string" ? odd.replace(/^@raw |@$/g, "") : written(odd))
    .toWellFormed()
    .replace(/[\r\n\0]/g, "")
    .slice(0, 9_000);

export const HARMS: Readonly<Record<string, Harm>> = {
  "wrong value": ({ fields }, odd, at) =>
    fields.splice(at % (fields.length || 1), 1, [fields[at % fields.length]?.[0] ?? "a", odd]),
  "missing field": ({ fields }, _, at) => fields.splice(at % (fields.length || 1), 1),
  "additional field": ({ fields }, odd, at) => fields.push([nth(PROTOTYPES, at), odd]),
  "doubled field": ({ fields }, odd, at) => fields.push([nth(fields, at)?.[0] ?? "a", odd]),
  "other bytes": (request, _, at) => Object.assign(request, { edit: nth(EDITS, at) }),
  "odd body": (request, odd) => Object.assign(request, { edit: () => Buffer.from(written(odd)) }),
  "other content type": ({ headers }, _, at) => headers.push(["content-type", nth(TYPES, at)]),
  "odd header": ({ headers }, odd, at) => headers.push([nth(HEADERS, at), inLine(odd)]),
  "other method": (request, _, at) => Object.assign(request, { method: nth(METHODS, at) }),
  "odd path": (request, _, at) => Object.assign(request, { path: request.path + nth(PATHS, at) }),
  "odd part of a path": (request, odd) =>
    Object.assign(request, {
      path: request.operation.path.replace(/\{\w+\}/, encodeURIComponent(inLine(odd))),
    }),
  "no secret": (request) => Object.assign(request, { headers: request.headers.slice(1) }),
};
