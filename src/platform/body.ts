// Bodies, from bytes to values: JSON for doors, forms for pages. Large ones are read one a turn of the event
// loop. Guards that whoever sends small ones waits for one large one at a time, however many of them
// arrive at once.

import type { FastifyInstance } from "fastify";
import { HttpFailure } from "./failure.ts";
import { parseJsonBytes } from "./json.ts";

/** An ordinary request has a few hundred bytes, and reading it takes microseconds. */
const LARGE = 2_048;
/** Each waits with its body. */
const MAX_WAITING = 1_000;

type Done = (error: Error | null, body?: unknown) => void;

/** Hands on what was read of a body of that length, or what reading it has thrown. */
export type InTurn = (length: number, done: Done, read: () => unknown) => void;

export function takeTurns(): InTurn {
  const waiting = new Set<() => void>();
  const takeNext = (): void => {
    for (const next of waiting) {
      waiting.delete(next);
      if (waiting.size > 0) setImmediate(takeNext);
      next();
      return;
    }
  };
  return (length, done, read) => {
    const settle = (): void => {
      let body: unknown;
      try {
        body = read();
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, body);
    };
    if (length <= LARGE) settle();
    else if (waiting.size >= MAX_WAITING) done(new HttpFailure("overloaded"));
    else {
      waiting.add(settle);
      if (waiting.size === 1) setImmediate(takeNext);
    }
  };
}

export function acceptJsonOnly(server: FastifyInstance, inTurn: InTurn): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    (request, bytes, done) => {
      // A path that does not exist is the first thing to say, whatever was sent to it.
      if (request.is404) return done(null, undefined);
      inTurn(bytes.length, done, () => {
        const parsed = parseJsonBytes(bytes);
        if (parsed === undefined) throw new HttpFailure("malformed_json");
        return parsed.value;
      });
    },
  );
}

export function acceptFormsOnly(server: FastifyInstance, inTurn: InTurn): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<string>(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, text, done) => inTurn(text.length, done, () => readForm(text)),
  );
}

/** Far more than any form here has; a field takes 1.5 µs to read, and 64 KiB hold 32,000. */
const MAX_FORM_FIELDS = 64;

export function readForm(text: string): Record<string, string> {
  const fields = text.split("&", MAX_FORM_FIELDS).join("&");
  return Object.fromEntries(new URLSearchParams(fields));
}
