// What one item of a list is answered that was refused, beside others that were done: what it would have been
// answered with alone.

import type { Static } from "typebox";
import { isFailure } from "../../platform/failure.ts";
import { Type } from "../../platform/field.ts";
import { InvalidInput } from "../../platform/input.ts";

export const RefusedItem = Type.Object({
  error: Type.Array(Type.String(), { description: "Why this one is not done." }),
  code: Type.String({ description: "The same, for programs." }),
  status: Type.Integer({ description: "What it would have been answered with alone." }),
});

/** What is no refusal is nobody's item: it is thrown. */
export function toRefusedItem(error: unknown): Static<typeof RefusedItem> {
  if (!isFailure(error)) throw error;
  return {
    error: [error.words("en")].flat(),
    code: error instanceof InvalidInput ? "invalid_input" : error.code,
    status: error.status,
  };
}
