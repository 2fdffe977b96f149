// Reads typed options. A misspelt option is an error, and numbers are checked before they are sent.

import { readFileSync, readSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Field, type Input, type Manual, UsageFailure } from "./command.ts";

export function optionName(field: string): string {
  return field.replaceAll("_", "-");
}

type Value = string | boolean | (string | boolean)[];

export function readOptions(
  words: string,
  { places, options }: Manual,
  args: readonly string[],
  readLine = lineOfInput,
): Input {
  const { values, positionals } = parse(words, options, args);
  if (positionals.length > places.length) {
    throw new UsageFailure(`"${positionals[places.length]}" is one word too many.`);
  }
  const typed: [Field, string, Value | undefined][] = [
    ...places.map((field, index): [Field, string, Value | undefined] => [
      field,
      `The ${optionName(field.name)}`,
      positionals[index],
    ]),
    ...options.map((field): [Field, string, Value | undefined] => {
      const name = optionName(field.name);
      return [field, `--${name}`, once(field, values[name])];
    }),
  ];
  const input: Record<string, unknown> = {};
  for (const [field, name, value] of typed) {
    if (value !== undefined) input[field.name] = readValue(field, value, readLine);
    else if (field.required) throw new UsageFailure(`${name} is missing. ${explained(words)}`);
  }
  return input;
}

function parse(words: string, fields: readonly Field[], args: readonly string[]) {
  const options: Record<string, { type: "string" | "boolean"; multiple: true }> = {};
  for (const { name, kind } of fields) {
    const type = kind === "boolean" ? "boolean" : "string";
    options[optionName(name)] = { type, multiple: true };
  }
  try {
    const parsed = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    return { ...parsed, values: parsed.values as Record<string, Value | undefined> };
  } catch (error) {
    // The first sentence says what is wrong; the rest are hints for programmers.
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    const [, option] = /^Option '(--\S+)' argument is ambiguous/.exec(reason) ?? [];
    const plain =
      option === undefined
        ? reason.replace(/\.$/, "")
        : `${option} lacks its value; one that begins with - is written ${option}=-1`;
    throw new UsageFailure(`${plain}. ${explained(words)}`);
  }
}

function explained(words: string): string {
  return `"kopeck ${words} --help" says what there is.`;
}

/** Where an option stands twice nobody can say which of them was meant. */
function once({ name, kind }: Field, given: Value | undefined): Value | undefined {
  if (!Array.isArray(given) || kind === "array") return given;
  if (given.length > 1) throw new UsageFailure(`--${optionName(name)} stands there twice.`);
  return given[0];
}

/** A lone - stands for a line of standard input: what should not be seen in a list of processes. */
function readValue(field: Field, value: Value, readLine: typeof lineOfInput): unknown {
  if (typeof value !== "string") return value;
  const name = optionName(field.name);
  const text = value === "-" ? readLine(name) : value;
  // The gateway takes an empty text for none: a variable that was not set must not pass for a value.
  if (text === "") throw new UsageFailure(`The ${name} is empty.`);
  if (field.kind !== "integer" && field.kind !== "number") return text;
  const isNumber = field.kind === "number";
  const unlike = (): UsageFailure => {
    const such = isNumber ? "a number such as 1519.80" : "a whole number";
    return new UsageFailure(`${name} must be ${such}, not "${text}".`);
  };
  if (!(isNumber ? /^-?\d+(?:\.\d+)?$/ : /^-?\d+$/).test(text)) throw unlike();
  // Rounded, it would be another amount than the one that was typed.
  if (String(Number(text)) !== text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")) {
    throw new UsageFailure(`${name} has more digits than can be sent: "${text}".`);
  }
  // 150.000 is 150 thousand to many; what cannot be a thousand, such as a percentage, has more decimals.
  if (/\.\d{3}/.test(text) && (field.maximum ?? Number.POSITIVE_INFINITY) >= 1000) throw unlike();
  return Number(text);
}

let lines: string[] | undefined;

/** Who sits at a terminal is asked for it. */
function lineOfInput(name: string): string {
  if (process.stdin.isTTY) {
    process.stderr.write(`${name}: `);
    lines = readLineTyped().split(/\r?\n/);
  }
  lines ??= readFileSync(0, "utf8").split(/\r?\n/);
  const line = lines.shift();
  if (!line) throw new UsageFailure(`A line of standard input is missing, for the ${name}.`);
  return line;
}

/** A terminal gives a line at a time; one that somebody has set not to wait says so until there is one. */
function readLineTyped(): string {
  const bytes = Buffer.alloc(4096);
  for (;;) {
    try {
      return bytes.toString("utf8", 0, readSync(0, bytes));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(RESTING, 0, 0, LOOK_AGAIN_MS);
    }
  }
}

const LOOK_AGAIN_MS = 50;
const RESTING = new Int32Array(new SharedArrayBuffer(4));
