// What every answer must be, whatever was asked: the one envelope or a whole page, and nothing in it that
// is nobody's business.

import { connect } from "node:net";
import { plainDigits } from "../../test/card-writings.ts";
import { LINK_SHOP, OTHER_SHOP, OTHER_USER, SHOP, URLS_SHOP, USER } from "../../test/cast.ts";
import { assertSuccess, failureOf } from "../../test/contract-doors.ts";
import { HOSTILE_TEXTS } from "../../test/hostile-texts.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Request } from "./harms.ts";

const SECRETS: readonly string[] = [
  SHOP.key,
  LINK_SHOP.key,
  URLS_SHOP.key,
  OTHER_SHOP.key,
  USER.secret,
  OTHER_USER.secret,
  OPERATOR_TOKEN,
  "sandbox_webhook_key",
  "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=",
];

/** Words of the runtime or of the database, which no merchant and no payer has to read. */
const INNER =
  /^\s+at .+:\d+:\d+\)?$|node:internal|node_modules|\.ts:\d+|(?:Type|Syntax|Range)Error\b|Cannot read propert|is not a function|FST_ERR|syntax error at|violates [\w ]+ constraint|invalid input syntax|duplicate key value|relation "|out of range for type|\bpg_\w+|json_to_recordset/m;
const LIVING = HOSTILE_TEXTS.filter((one) => one.includes("<"));

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Time that is moved on brings all that falls due in it, on the embedded engine of a busy machine, too. */
const PATIENCE_MS = 120_000;

/** These bytes on a connection of their own, and whatever comes back; nothing where it is only ended. */
export function ask(port: number, bytes: Buffer): Promise<WireAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const end = (): void => resolve(read(Buffer.concat(chunks)));
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      // A stream has no end of its own.
      if (chunks.length === 1 && chunk.includes("text/event-stream")) socket.destroy();
    });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("no answer in two minutes")));
    socket.on("error", (error) => (chunks.length > 0 ? end() : reject(error)));
    socket.on("close", end);
  });
}

function read(all: Buffer): WireAnswer | undefined {
  if (all.length === 0) return undefined;
  const at = all.indexOf("\r\n\r\n");
  const [line = "", ...lines] = all.subarray(0, at).toString("latin1").split("\r\n");
  const headers = new Headers(
    lines.map((one) => one.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
  );
  let text = all.subarray(at + 4).toString("utf8");
  if (headers.get("transfer-encoding") === "chunked") {
    text = text.replace(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n(?:\r\n)?/g, "");
  }
  return { status: Number(line.split(" ")[1]), headers, text };
}

/** Whole card numbers of payers that have been sent; they may never come back. */
const cards = new Set<string>();

/** In words; nothing where all is as it must be. */
export function faultOf(
  request: Request,
  { status, headers, text }: WireAnswer,
): string | undefined {
  const { operation, method, harms, fields, card } = request;
  if (fields.some(([name]) => name === "payer")) cards.add(card);
  const isFull = operation.path.endsWith("/changes") && headers.has("retry-after");
  if (status >= 500 && !isFull) return `${status}: ${text.slice(0, 200)}`;
  const isPublic = operation.kind === "service" || operation.path === "/";
  if (!isPublic && INNER.test(text)) return `says ${INNER.exec(text)?.[0]}: ${text.slice(0, 300)}`;
  if (!isPublic && SECRETS.some((one) => text.includes(one))) return "holds a secret";
  // Of what is the same for everybody every letter would be looked at again and again.
  const numbers = isPublic ? [] : (plainDigits(text).match(/\d{13,}/g) ?? []);
  const whole = numbers.find((number) => [...cards].some((one) => number.includes(one)));
  if (whole !== undefined) return `holds a payer's card: ${whole}`;
  // What the parser refuses is answered before anybody knows the method.
  const isUnread = status === 400 || status === 431;
  if (method === "HEAD" && !isUnread) return text === "" ? undefined : "a body after HEAD";
  const type = headers.get("content-type") ?? "";
  if (status === 200 && operation.kind === "service") return undefined;
  if (type.startsWith("application/json")) return envelopeFault(status, text);
  if (operation.kind === "json") return `${type} for a program: ${text.slice(0, 200)}`;
  if (status === 303)
    return /^\/(?:pay|demo)/.test(headers.get("location") ?? "") ? undefined : "leads away";
  if (!type.startsWith("text/html"))
    return status === 200 || harms.length > 0 ? undefined : `${status} ${type}`;
  if (!/^<!doctype html>.*<\/html>\s*$/is.test(text)) return "no whole document";
  if (!headers.get("content-security-policy")?.includes("default-src 'none'")) return "no policy";
  return LIVING.some((one) => text.includes(one)) ? "holds a text as it was sent" : undefined;
}

function envelopeFault(status: number, text: string): string | undefined {
  try {
    const body = JSON.parse(text);
    const answer = {
      status,
      text,
      body,
      headers: new Headers({ "content-type": "application/json" }),
    };
    if (status === 200) assertSuccess(answer);
    else
      failureOf(answer, status, Array.isArray(body.error) && status === 422 ? "array" : "string");
    return undefined;
  } catch (error) {
    return `no envelope (${String(error).split("\n")[0]}): ${text.slice(0, 300)}`;
  }
}
