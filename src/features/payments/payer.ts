// Who paid, as far as a shop may know it.

/** Numbers keep their first six and last four digits at most; a name is shown as it came. */
export function maskPayer(payer: string | null): string | null {
  if (payer === null) return null;
  return payer.replace(/\d[\d -]{7,}\d/g, (number) => {
    const digits = number.replace(/\D/g, "");
    const shown = digits.length >= 13 ? 6 : 2;
    const hidden = "*".repeat(digits.length - shown - 4);
    return digits.slice(0, shown) + hidden + digits.slice(-4);
  });
}
