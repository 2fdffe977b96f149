// What the shapes that no client would write are put together from: right messages, and one that hides.

import { invoiceBody, SHOP } from "../../test/cast.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Random } from "../random.ts";
import type { Step } from "./converse.ts";

export interface Shape {
  readonly fault: string;
  readonly steps: readonly Step[];
  /**
   * "refused": one answer, a failure, and the connection ends. "served": so many answers, each 200.
   * "either": whatever is answered is well-formed, and the connection ends or is left.
   */
  readonly expect: "refused" | "either" | { readonly served: number };
}

export const CREATE = "POST /invoice/create HTTP/1.1";
export const HEALTH = "GET /healthz HTTP/1.1\r\nHost: kopeck.test\r\n\r\n";
export const OWN = [
  "Host: kopeck.test",
  `X-Api-Key: ${SHOP.key}`,
  "Content-Type: application/json",
];

/** A user of this name exists only where a hidden request was taken for one. */
export const SMUGGLED = "smuggled";

export function message(line: string, headers: readonly string[], body = ""): string {
  return `${[line, ...headers].join("\r\n")}\r\n\r\n${body}`;
}

export function whole(): string {
  const body = JSON.stringify(invoiceBody());
  return message(CREATE, [...OWN, `Content-Length: ${body.length}`], body);
}

export function chunked(body: string, random: Random): string {
  const at = random.between(1, body.length - 1);
  return [body.slice(0, at), body.slice(at), ""]
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join("");
}

export function hidden(): string {
  const body = JSON.stringify({ name: SMUGGLED });
  const headers = ["Host: kopeck.test", `Authorization: Bearer ${OPERATOR_TOKEN}`];
  const more = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  return message("POST /manage/users HTTP/1.1", [...headers, ...more], body);
}

export const say = (text: string | Buffer): readonly Step[] => [{ say: text }];

/** A part of a body, and then no more. */
export const cut = (text: string): readonly Step[] => [{ say: text }, { half: true }];

export const refused = (fault: string, text: string | Buffer): Shape => ({
  ...{ fault, steps: say(text), expect: "refused" },
});
