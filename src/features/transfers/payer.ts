// Who paid, as far as a shop may know it.

import { maskNumbers } from "../../domain/card-number.ts";

/** What is said instead of a payer whom the bank had named, and who was removed since. */
export const REMOVED_PAYER = "removed";

/** Numbers keep their first six and last four digits at most; a name is shown as it came. */
export function maskPayer(payer: string | null): string | null {
  return payer === null ? null : maskNumbers(payer);
}
