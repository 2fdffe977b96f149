// From values back to JSON text. Guards that writing never costs more than what it may become is worth.

import type { JsonObject } from "./body.ts";
import type { CheckName } from "./problem.ts";

/** Writing takes the square of the depth: 0.4 ms for one tree this deep. */
const MAX_DEPTH = 1_000;

/**
 * JSON text, or undefined for what JSON cannot say (numbers that are none), too deep a tree, or one that
 * must be longer than so many characters: that is found out by a walk which ends there, because writing
 * it first took 250 ms for 64 KiB of deep lists.
 */
export function jsonText(value: JsonObject, maxLength: number): string | undefined {
  return jsonFault(value, maxLength) === undefined ? JSON.stringify(value) : undefined;
}

/** Which of these it is. */
export function jsonFault(value: JsonObject, maxLength: number): CheckName | undefined {
  return faultIn(value, { characters: maxLength }, MAX_DEPTH);
}

/** A value takes at least one character of the budget, and one that holds others two. */
function faultIn(
  value: unknown,
  budget: { characters: number },
  levels: number,
): CheckName | undefined {
  budget.characters -= 1;
  if (budget.characters < 0) return "json_length";
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "json_digits";
  if (typeof value !== "object" || value === null) return undefined;
  budget.characters -= 1;
  if (levels === 0) return "json_depth";
  for (const inner of Object.values(value)) {
    const fault = faultIn(inner, budget, levels - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
