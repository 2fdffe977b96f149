// The number of a fast payment, in one form.

const NUMBER = /^[0-9a-z]{32}$/i;

/** In capitals; what is no such number stays as it is. */
export function inOneForm(reference: string): string {
  return NUMBER.test(reference) ? reference.toUpperCase() : reference;
}

/**
 * All that it may have been stored as, for what was told is kept as it was told: in capitals, in small letters, or as a
 * phone's keyboard writes it, which begins with a capital.
 */
export function formsOf(reference: string): string[] {
  if (!NUMBER.test(reference)) return [reference];
  const [capitals, small] = [reference.toUpperCase(), reference.toLowerCase()];
  return [...new Set([reference, capitals, small, capitals.charAt(0) + small.slice(1)])];
}
