// Months, by which history is divided: those of UTC, so that they begin everywhere at one moment.

/** The beginning of the month that a moment lies in, or of one so many later. */
export function startOfMonth(moment: Date, later = 0): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later));
}

/** As people write it, 2026-08. */
export function monthText(moment: Date): string {
  return moment.toISOString().slice(0, 7);
}

/** Undefined where it is no month. */
export function monthOf(text: string): Date | undefined {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return undefined;
  return new Date(`${text}-01T00:00:00Z`);
}
