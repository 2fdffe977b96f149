// One command, from the words that were typed to an exit code. Whatever goes wrong is one line that
// says what to do about it.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { KopeckError, managementClient } from "../../sdk/src/index.ts";
import { type Command, UsageFailure } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { complete, completionScript } from "./completion.ts";
import { findConnection } from "./connection.ts";
import { type Call, describeCall } from "./description.ts";
import { helpCommand, helpOverview, type LocalVerb } from "./help.ts";
import { readOptions, type Typed } from "./options.ts";
import { printTable, printThing } from "./print.ts";

const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const;

type Row = Readonly<Record<string, unknown>>;

/** The client without its types: here the path is typed by hand, not by the compiler. */
interface Caller {
  get(path: string, input: Row): Promise<Row>;
  post(path: string, input: Row): Promise<Row>;
  items(path: string, input: Row): AsyncIterable<Row>;
}

/** Runs what was typed after "kopeck" and answers with the exit code. */
export async function runCommand(
  args: readonly string[],
  localVerbs: readonly LocalVerb[],
): Promise<number> {
  try {
    return await dispatch(args, localVerbs);
  } catch (error) {
    if (error instanceof UsageFailure) return fail(EXIT.usage, error.message);
    if (error instanceof KopeckError) return failCall(error);
    throw error;
  }
}

async function dispatch(
  args: readonly string[],
  localVerbs: readonly LocalVerb[],
): Promise<number> {
  const [noun = "", ...rest] = args;
  if (noun === "" || noun === "help" || noun === "--help" || noun === "-h") {
    return say(helpOverview(localVerbs, isNounOf(rest[0]) ? rest[0] : undefined));
  }
  if (noun === "completion") return say(completionScript(rest[0]));
  if (noun === "complete") return say(complete(localVerbs, rest));
  const command = COMMANDS.find(({ words }) => words === noun || words === `${noun} ${rest[0]}`);
  if (command === undefined) {
    const isNoun = isNounOf(noun);
    if (isNoun && (rest.length === 0 || /^(?:--help|-h|help)$/.test(rest[0] ?? ""))) {
      return say(helpOverview(localVerbs, noun));
    }
    const typed = isNoun ? `${noun} ${rest[0]}` : noun;
    throw new UsageFailure(`There is no command "${typed}". "kopeck help" lists them.`);
  }
  return await run(command, args.slice(command.words.split(" ").length));
}

function isNounOf(word: string | undefined): boolean {
  return COMMANDS.some(({ words }) => words.startsWith(`${word} `));
}

async function run(command: Command, args: readonly string[]): Promise<number> {
  const call = describeCall(command.call);
  const typed = readOptions(command, call, args, readLine);
  if (typed.help) return say(helpCommand(command));
  const input = { ...typed.input, ...readFile(command, typed) };
  const connection = findConnection(process.env);
  if (command.warning !== undefined && !typed.yes && !(await isSure(command.warning))) {
    return fail(EXIT.usage, "Nothing was done.");
  }
  const { url: baseUrl, token } = connection;
  const client = managementClient({ baseUrl, token }) as unknown as Caller;
  const answer =
    call.method === "GET"
      ? await client.get(call.path, input)
      : await client.post(call.path, input);
  const whole = typed.all && call.isPage ? await restOf(client, call, input, answer) : answer;
  return say(typed.json ? `${JSON.stringify(whole, null, 2)}\n` : forPeople(command, call, whole));
}

async function restOf(client: Caller, call: Call, input: Row, first: Row): Promise<Row> {
  const items = [...(first["items"] as Row[])];
  if (first["next"] === null) return first;
  const rest = { ...input, after: first["next"] };
  for await (const item of client.items(call.path, rest)) items.push(item);
  return { items, next: null };
}

function forPeople(command: Command, call: Call, answer: Row): string {
  if (command.columns === undefined) return printThing(answer);
  const table = printTable(answer["items"] as Row[], command.columns);
  const isMore = call.isPage && answer["next"] !== null;
  return isMore ? `${table}\nThere is more: --after ${answer["next"]}, or --all.\n` : table;
}

function readFile(command: Command, { file }: Typed): Row {
  if (command.file === undefined || file === undefined) return {};
  const { field, item } = command.file;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageFailure(`The file ${file} cannot be read.`);
  }
  const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
  return { [field]: lines.map(item) };
}

let typedLines: string[] | undefined;

function readLine(): string {
  typedLines ??= readFileSync(0, "utf8").split(/\r?\n/);
  const line = typedLines.shift();
  if (!line) throw new UsageFailure("A line of standard input is missing.");
  return line;
}

async function isSure(warning: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new UsageFailure(`${warning} Say --yes if that is meant.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${warning} Go on? [y/N] `);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function failCall(error: KopeckError): number {
  if (error.kind !== "refusal") {
    const { url } = findConnection(process.env);
    return fail(EXIT.unreachable, `The gateway at ${url} cannot be reached: ${error.message}`);
  }
  if (error.status === 401) {
    return fail(EXIT.unreachable, "The gateway does not know this token (KOPECK_TOKEN).");
  }
  return fail(EXIT.refused, error.messages.join("\n        "));
}

function say(text: string): number {
  process.stdout.write(text);
  return EXIT.done;
}

function fail(code: number, message: string): number {
  process.stderr.write(`kopeck: ${message}\n`);
  return code;
}
