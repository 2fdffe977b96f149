// Bodies of 64 KiB that are to cost as much as they can: what somebody without any key may send.

/** What a door takes; what is larger is refused unread. */
export const BODY_LIMIT = 64 * 1024;
/** For what stands around a value. */
const ROOM = 200;

/** As many pieces as there is room for, a comma after each. */
function many(piece: string | ((index: number) => string)): string {
  const pieces: string[] = [];
  for (let length = 0; length < BODY_LIMIT - ROOM; ) {
    const next = typeof piece === "string" ? piece : piece(pieces.length);
    length += next.length + 1;
    pieces.push(next);
  }
  return pieces.slice(0, -1).join(",");
}

const fill = (text: string): string => text.repeat(Math.floor((BODY_LIMIT - ROOM) / text.length));
const nest = (open: string, close: string): string => {
  const depth = Math.floor((BODY_LIMIT - ROOM) / (open.length + close.length));
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
};

/** Values of a field, as they stand in the body. */
export const HOSTILE_VALUES: Readonly<Record<string, string>> = {
  "a long number": fill("7"),
  "zeros inside a number": `1${fill("0")}1`,
  "zeros behind a point": `0.${fill("0")}1`,
  "zeros in an exponent": `1e${fill("0")}1`,
  "zeros and a point, over and over": fill("10.01"),
  exponents: `[${many("1e5")}]`,
  "numbers of 16 digits": `[${many((index) => `${1_234_567_890_000_000 + index}`)}]`,
  "numbers that lose digits": `[${many((index) => `9999999999999999${100 + (index % 900)}.1`)}]`,
  "numbers of 40 characters": `[${many((index) => `1.${"0".repeat(33)}${10_000 + index}`)}]`,
  "small numbers": `[${many("1")}]`,
  "lists in lists": nest("[", "]"),
  "objects in objects": nest('{"a":', "}"),
  "deep lists, side by side": `{"a":[${many(`${"[".repeat(900)}null${"]".repeat(900)}`)}]}`,
  "objects of different keys": `[${many((index) => `{"k${index}":1}`)}]`,
  "a wide object": `{${many((index) => `"k${index}":1`)}}`,
  "escaped keys": `{${many((index) => `"\\u005f_pr\\u006f${index}":1`)}}`,
  "escaped texts": `[${many('"\\u0061"')}]`,
  "a long text": `"${fill("a")}"`,
  "a text of escapes": `"${fill("\\u0061")}"`,
  "a text of digits": `"${fill("0")}"`,
  "a text with spaces at its end": `"1${fill(" ")}x"`,
  "an endless e-mail address": `"${fill("a.")}@"`,
  "a quoted e-mail address": `"\\"${fill("\\\\a")}"`,
  "an endless domain": `"a@${fill("a-")}"`,
  "an endless address": `"http://${fill("a.")}"`,
  "a text of exponents": `"{\\"a\\":[${fill("1e5,")}1]}"`,
};

export const HOSTILE_FORMS: Readonly<Record<string, string>> = {
  "fields without end": fill("a&"),
  "different fields": many((index) => index.toString(36)).replaceAll(",", "&"),
  "escaped fields": fill("%61&"),
  "an escaped text": `bank=${fill("%D0%B6")}`,
  "broken escapes": `bank=${fill("%")}`,
  pluses: fill("+"),
  ampersands: fill("&"),
  "equals signs": fill("="),
};
