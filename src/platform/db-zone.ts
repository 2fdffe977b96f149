// A time zone's clock in SQL, by our own rules: the server's rules of a zone may differ.

interface Offset {
  readonly since: Date;
  readonly seconds: number;
}

/** Two parameters of a statement that asks for such a clock. */
export function offsetValues(offsets: readonly Offset[]): [since: string[], offsets: string[]] {
  const since = offsets.map((offset) => offset.since.toISOString());
  return [since, offsets.map(({ seconds }) => `${seconds} s`)];
}

/** What the clock shows at a moment, also before the first offset; the parameters are from this number on. */
export function clockAt(moment: string, first = 1): string {
  const nth = `greatest(1, width_bucket(${moment}, $${first}::timestamptz[]))`;
  return `(${moment} at time zone ($${first + 1}::interval[])[${nth}])`;
}

/** For a statement that may not ask, and has the first two: of a value that is nowhere the server would not know the type. */
export const ANY_CLOCK = "$1::timestamptz[] is not null and $2::interval[] is not null";
