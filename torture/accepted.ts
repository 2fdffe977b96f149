// What was asked for was given.

import assert from "node:assert/strict";
import type { Answer } from "../test/gateway.ts";

/** The data of an answer that must be a success; whoever asks says what is expected in it. */
export function accepted({ status, text, body }: Answer): Answer["body"] {
  assert.equal(status, 200, text);
  return body.data;
}
