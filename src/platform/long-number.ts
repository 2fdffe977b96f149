// Numbers of JSON that are written with more digits than a double holds for certain: which of them come out of one
// again as they went in.

/** Whether the double is another number than the one that was written. */
export function losesDigits(source: string): boolean {
  const kept = String(Number(source));
  return kept !== source && plainDecimal(kept) !== plainDecimal(source);
}

/** With so many, programs print a double so that it is read back as the same one. */
const PRINTED_DIGITS = [17, 16];

/** A double as PHP, C and .NET print it: 0.10000000000000001 is 0.1. Who writes an integer so means each digit of it. */
export function isPrintedDouble(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value) || /^-?\d+$/.test(source)) return false;
  const decimal = plainDecimal(source);
  return PRINTED_DIGITS.some((digits) => plainDecimal(value.toPrecision(digits)) === decimal);
}

/** One form for all ways to write a decimal, to tell whether two of them are the same number. */
function plainDecimal(source: string): string {
  const [mantissa = "", exponent = "0"] = source.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${mantissa.startsWith("-") ? "-" : ""}${significant}e${power}`;
}
