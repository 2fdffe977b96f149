// What a request is called in its answer and in the log, so that whoever saw one finds the other. Guards
// that nothing else than a name gets into the log by it.

import { randomUUID } from "node:crypto";

export const REQUEST_ID = "x-request-id";

const WELL_FORMED = /^[\w.:+/=-]{1,64}$/;

/** The caller's own, or that of a proxy in between, where it is one; else a new one. */
export function requestIdOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string {
  const given = headers[REQUEST_ID];
  return typeof given === "string" && WELL_FORMED.test(given) ? given : randomUUID();
}
