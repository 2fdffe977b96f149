// The number of an operation of the fast payment system. Guards that one number has one form, however it is written.

const NUMBER = /^[0-9a-z]{32}$/i;

/** In capitals; what is no such number stays as it is. */
export function inOneForm(reference: string): string {
  return NUMBER.test(reference) ? reference.toUpperCase() : reference;
}

/** All that it may have been stored as: what was told is kept as it was told. */
export function formsOf(reference: string): string[] {
  if (!NUMBER.test(reference)) return [reference];
  return [...new Set([reference, reference.toUpperCase(), reference.toLowerCase()])];
}
