// Property tests with a seed that the run prints before it starts, so that any of them can be seen
// again: KOPECK_TEST_SEED=… npm test.

import fc from "fast-check";

export const SEED_VARIABLE = "KOPECK_TEST_SEED";

/** Without a run around it (one file by hand) fast-check picks a seed, and names it on failure. */
export function checkProperty<Values>(
  property: fc.IProperty<Values>,
  parameters: fc.Parameters<Values> = {},
): void {
  const seed = process.env[SEED_VARIABLE];
  fc.assert(property, seed === undefined ? parameters : { seed: Number(seed), ...parameters });
}
