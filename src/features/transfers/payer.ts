// Who paid, as far as a shop may know it.

import { maskNumbers } from "../../domain/card-number.ts";

/** Numbers keep their first six and last four digits at most; a name is shown as it came. */
export function maskPayer(payer: string | null): string | null {
  return payer === null ? null : maskNumbers(payer);
}
