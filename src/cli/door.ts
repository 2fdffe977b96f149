// A command that calls a running gateway: through the SDK, as any other client.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { KopeckError, managementClient } from "../../sdk/src/index.ts";
import { CommandFailure, type DoorCommand, type Input, UsageFailure } from "./command.ts";
import { findConnection } from "./connection.ts";
import { isPage } from "./manual.ts";
import { printTable, printThing } from "./print.ts";

const REFUSED = 1;
const UNREACHABLE = 3;

/** The client without its types: here the path is typed by hand, not by the compiler. */
interface Caller {
  get(path: string, input: Input): Promise<Input>;
  post(path: string, input: Input): Promise<Input>;
  items(path: string, input: Input): AsyncIterable<Input>;
}

/** What is to be printed. */
export async function callDoor(command: DoorCommand, typed: Input): Promise<string> {
  const { json, yes, all, file, ...fields } = typed;
  const input = { ...command.preset, ...fields, ...readLines(command, file) };
  const { url, token } = findConnection(process.env);
  if (command.warning !== undefined && yes !== true) await makeSure(command.warning);
  const client = managementClient({ baseUrl: url, token }) as unknown as Caller;
  const [method, path = ""] = command.call.split(" ");
  try {
    const page = await (method === "GET" ? client.get(path, input) : client.post(path, input));
    const answer = all === true ? await withRest(client, path, input, page) : page;
    return json === true ? `${JSON.stringify(answer, null, 2)}\n` : forPeople(command, answer);
  } catch (error) {
    throw error instanceof KopeckError ? asFailure(error, url) : error;
  }
}

async function withRest(client: Caller, path: string, input: Input, page: Input): Promise<Input> {
  // Neither a page nor one that others follow.
  if (typeof page["next"] !== "string") return page;
  const items = [...(page["items"] as Input[])];
  const rest = { ...input, after: page["next"] };
  for await (const item of client.items(path, rest)) items.push(item);
  return { items, next: null };
}

function forPeople({ columns, call }: DoorCommand, answer: Input): string {
  if (columns === undefined) return printThing(answer);
  const table = printTable(answer["items"] as Input[], columns.split(" "));
  const isMore = isPage(call) && answer["next"] !== null;
  return isMore ? `${table}\nThere is more: --after ${answer["next"]}, or --all.\n` : table;
}

function readLines({ file }: DoorCommand, path: unknown): Input {
  if (file === undefined) return {};
  let text: string;
  try {
    text = readFileSync(String(path), "utf8");
  } catch {
    throw new UsageFailure(`The file ${path} cannot be read.`);
  }
  const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
  return { [file.field]: lines.map(file.item) };
}

async function makeSure(warning: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageFailure(`${warning} Say --yes if that is meant.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${warning} Go on? [y/N] `);
  terminal.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageFailure("Nothing was done.");
}

function asFailure(error: KopeckError, url: string): CommandFailure {
  if (error.kind !== "refusal") {
    const words = `The gateway at ${url} cannot be reached: ${error.message}`;
    return new CommandFailure(words, UNREACHABLE);
  }
  if (error.status === 401) {
    const words = "The gateway does not know this token (KOPECK_TOKEN).";
    return new CommandFailure(words, UNREACHABLE);
  }
  return new CommandFailure(error.messages.join("\n        "), REFUSED);
}
