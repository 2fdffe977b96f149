// Money is whole minor units in a bigint. Only this file divides it or turns it into text.

/** Two decimals on the wire for every currency the gateway takes. */
const MINOR_PER_MAJOR = 100n;

export const PARTS_PER_MILLION = 1_000_000n;

/** Rounds towards plus infinity; for amounts and divisors that are not negative. */
export function divCeil(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Rounds towards zero; for amounts and divisors that are not negative. */
export function divFloor(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor;
}

/**
 * A JSON number as minor units, read from its shortest decimal text: 1.005 * 100 is
 * 100.49999999999999 in floating point, while its text says plainly that it has three decimals.
 * Undefined where it has more than two decimals or is written with an exponent.
 */
export function minorFromNumber(value: number): bigint | undefined {
  // Most amounts are whole; a safe integer says exactly what was sent.
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value) * MINOR_PER_MAJOR;
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(value));
  if (match?.[1] === undefined) return undefined;
  return BigInt(match[1]) * MINOR_PER_MAJOR + BigInt((match[2] ?? "").padEnd(2, "0"));
}

/**
 * An amount as banks and people write it: "51 110.2", "5123,01", at most sixteen digits before the point,
 * which the database holds. Undefined for anything else, "1,000" included: nobody knows whether that is one
 * or a thousand.
 */
export function minorFromText(text: string): bigint | undefined {
  const match = /^(\d{1,3}(?: \d{3}){1,4}|\d(?: \d{3}){5}|\d{1,16})(?:[.,](\d{1,2}))?$/.exec(text);
  if (match?.[1] === undefined) return undefined;
  return BigInt(match[1].replaceAll(" ", "") + (match[2] ?? "").padEnd(2, "0"));
}

/** "1234.50": the form of amounts that are strings on the wire. */
export function toDecimalText(minor: bigint): string {
  const sign = minor < 0n ? "-" : "";
  const digits = String(minor < 0n ? -minor : minor).padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** 1234.5: the form of amounts that are numbers on the wire. Exact up to 15 digits, ten trillion. */
export function toDecimalNumber(minor: bigint): number {
  return Number(toDecimalText(minor));
}

/** Parts per million as the percentage that the API shows: 60,000 is 6. */
export function toPercent(partsPerMillion: number): number {
  return partsPerMillion / 10_000;
}

/** A percentage with at most four decimals as parts per million; undefined for any other number. */
export function ppmFromPercent(percent: number): number | undefined {
  const match = /^(\d+)(?:\.(\d{1,4}))?$/.exec(String(percent));
  if (match?.[1] === undefined) return undefined;
  return Number(match[1] + (match[2] ?? "").padEnd(4, "0"));
}
