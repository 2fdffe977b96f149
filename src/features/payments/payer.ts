// Who paid, as far as a shop may know it.

import { maskNumber } from "../../domain/requisite.ts";

/** Numbers keep their first six and last four digits at most; a name is shown as it came. */
export function maskPayer(payer: string | null): string | null {
  return payer === null ? null : payer.replace(/\d[\d -]{7,}\d/g, maskNumber);
}
