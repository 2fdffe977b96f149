// Commands that call a gateway through the SDK. A token goes to KOPECK_URL or to this machine only.

import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { KopeckError } from "../../sdk/src/index.ts";
import { CommandFailure, type DoorCommand, type Input, UsageFailure } from "./command.ts";
import { isPage } from "./manual.ts";
import {
  holdsMoment,
  isDay,
  momentIn,
  printCsv,
  printTable,
  printThing,
  startOfDay,
} from "./print.ts";
import { type Caller, callerOf, describe, resolveIds } from "./resolve.ts";

const REFUSED = 1;
const UNREACHABLE = 3;
/** What a shell says of whatever Ctrl-C has ended. */
const INTERRUPTED = 130;

export async function callDoor(command: DoorCommand, typed: Input): Promise<string> {
  const { json, yes, all, csv, file, ...fields } = typed;
  const given = { ...command.preset, ...fields, ...readLines(command, file) };
  const [method, path = ""] = command.call.split(" ");
  const root = path.startsWith("/cabinet/") ? "/cabinet" : "/manage";
  const connection = findConnection(process.env, root);
  const { warning: final, asks = () => true } = command;
  const isAsked = final !== undefined && yes !== true && asks(given);
  const refuseUnasked = (warning = ""): void => {
    if (!process.stdin.isTTY) throw new UsageFailure(`${warning} Say --yes if that is meant.`);
  };
  if (isAsked && command.warns === undefined) refuseUnasked(final);
  const client = callerOf(connection);
  try {
    const input = await resolveIds(client, await withMoments(client, given));
    if (isAsked) {
      const warning = (await command.warns?.(client.get, input)) ?? final;
      refuseUnasked(warning);
      await makeSure(await describe(client, input), warning);
    }
    const page = await (method === "GET" ? client.get(path, input) : client.post(path, input));
    const isWhole = all === true || csv === true;
    const answer = isWhole ? await withRest(client, path, input, page) : page;
    const text = await textOf(client, command, answer, { json, csv });
    const failed = command.fails?.(answer);
    if (failed === undefined) return text;
    process.stdout.write(text);
    throw new CommandFailure(failed, REFUSED);
  } catch (error) {
    throw toFailure(error, connection.url, connection.tokenFrom);
  }
}

/** A day that somebody typed begins where the service is, as on its pages. */
async function withMoments(client: Caller, given: Input): Promise<Input> {
  const days = ["from", "to", "ends_at"].filter((name) => isDay(given[name]));
  if (days.length === 0) return given;
  const zone = await zoneOf(client);
  const moments = days.map((name) => [name, startOfDay(zone, String(given[name]))]);
  return { ...given, ...Object.fromEntries(moments) };
}

async function textOf(
  client: Caller,
  command: DoorCommand,
  answer: Input,
  { json, csv }: Input,
): Promise<string> {
  if (json === true) return `${JSON.stringify(answer, null, 2)}\n`;
  if (csv === true) return forSpreadsheet(client, command, answer);
  return forPeople(client, command, answer);
}

async function forSpreadsheet(
  client: Caller,
  { columns = "", part = "items" }: Pick<DoorCommand, "columns" | "part">,
  answer: Input,
): Promise<string> {
  const rows = answer[part] as Input[];
  const zone = holdsMoment(rows) ? await zoneOf(client) : "UTC";
  const named = columns.split(" ");
  // On a screen there is no room for it; a sum in a spreadsheet is of nothing without.
  const isBare = !named.includes("currency") && rows.some((row) => "currency" in row);
  return printCsv(rows, isBare ? [...named, "currency"] : named, zone);
}

async function withRest(client: Caller, path: string, input: Input, page: Input): Promise<Input> {
  // Neither a page nor one that others follow.
  if (typeof page["next"] !== "string") return page;
  const items = [...(page["items"] as Input[])];
  const rest = { ...input, after: page["next"] };
  for await (const item of client.items(path, rest)) items.push(item);
  return { items, next: null };
}

export async function forPeople(
  client: Caller,
  command: Pick<DoorCommand, "call" | "columns" | "part" | "says">,
  answer: Input,
): Promise<string> {
  const { columns: named, part = "items", call, says } = command;
  const columns = named?.split(" ");
  const rows = (columns === undefined ? [] : answer[part]) as Input[];
  const told = columns === undefined ? answer : rows.map((row) => columns.map((one) => row[one]));
  // Under the table it stands which it was; a bank's token is not told.
  const zone = holdsMoment(told) ? await zoneOf(client).catch(() => "UTC") : "UTC";
  const timeOf = (moment: unknown): string => momentIn(zone, String(moment)).slice(-8, -3);
  const text = columns === undefined ? printThing(answer, zone) : printTable(rows, columns, zone);
  const isMore = columns !== undefined && isPage(call) && answer["next"] !== null;
  return [
    says === undefined ? "" : `${says(answer, timeOf)}\n\n`,
    text,
    holdsMoment(told) ? `\nTimes are those of ${zone}.\n` : "",
    isMore ? `\nThere is more: --after ${answer["next"]}, or --all.\n` : "",
  ].join("");
}

/** The service's, so that everybody reads the same. */
async function zoneOf(client: Caller): Promise<string> {
  const { time_zone } = await client.get(`${client.root}/me`, {});
  return String(time_zone);
}

function readLines({ file }: DoorCommand, path: unknown): Input {
  if (file === undefined) return {};
  let text: string;
  try {
    // Without what some editors write before the first letter.
    text = new TextDecoder().decode(readFileSync(String(path)));
  } catch {
    throw new UsageFailure(`The file ${path} cannot be read.`);
  }
  const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
  return { [file.field]: lines.map(file.item) };
}

async function makeSure(what: string, warning = ""): Promise<void> {
  process.stderr.write(what);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const nothing = (exitCode: number) => new CommandFailure("Nothing was done.", exitCode);
  const broken = (exitCode: number) => {
    process.stderr.write("\n");
    return nothing(exitCode);
  };
  const answered = new Promise<string>((resolve, reject) => {
    terminal.once("SIGINT", () => reject(broken(INTERRUPTED)));
    terminal.once("close", () => reject(broken(2)));
    terminal.question(`${warning} Go on? [y/N] `).then(resolve, reject);
  });
  const answer = await answered.finally(() => terminal.removeAllListeners("close").close());
  if (!/^y(?:es)?$/i.test(answer.trim())) throw nothing(2);
}

/** What the gateway refused, or that it is not there, in a line; anything else as it is. */
export function toFailure(error: unknown, url: string, tokenFrom: string): unknown {
  if (!(error instanceof KopeckError)) return error;
  if (error.kind !== "refusal") {
    const where = process.env["KOPECK_URL"] ? "" : " If it is elsewhere, say so by KOPECK_URL.";
    const words = `The gateway at ${url} cannot be reached: ${error.message}${where}`;
    return new CommandFailure(words, UNREACHABLE);
  }
  if (error.status === 401) {
    const words = `The gateway at ${url} does not know this token, which is from ${tokenFrom}.`;
    return new CommandFailure(words, UNREACHABLE);
  }
  if (error.code === "path_not_found") {
    const words = `There is no such door at ${url}: it must be the gateway's address alone, and no older version.`;
    return new CommandFailure(words, REFUSED);
  }
  return new CommandFailure(error.messages.join("\n        "), REFUSED);
}

type Env = Readonly<Record<string, string | undefined>>;

/** What everybody knows, and only a sandbox takes. */
const SANDBOX_TOKENS = {
  "/manage": "sandbox_operator_token",
  "/cabinet": "sandbox_owner_token",
} as const;

/** For whoever has none, or not the right one. */
const PERSONAL =
  'a merchant\'s personal token, which the cabinet makes (/my/keys, "New personal token"; or POST /cabinet/tokens)';

/** As a URL writes them. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export interface Connection {
  /** Whose doors they are: an operator's, or those of a merchant's people. */
  readonly root: keyof typeof SANDBOX_TOKENS;
  readonly url: string;
  readonly token: string;
  /** Where the token is from, for whoever has to mend it. */
  readonly tokenFrom: string;
}

export function findConnection(env: Env, root: Connection["root"] = "/manage"): Connection {
  const dataDir = resolve(env["KOPECK_DATA_DIR"] || "./data");
  const { KOPECK_URL: named, KOPECK_TOKEN: given } = env;
  // What the environment says in full needs nobody's word.
  const server = named && given ? undefined : readServer(join(dataDir, "server.json"));
  const url =
    named?.replace(/\/+$/, "") || server?.url || `http://127.0.0.1:${env["PORT"] || "8080"}`;
  const { protocol = "", hostname = "" } = URL.parse(url) ?? {};
  // A password could be in it, so it is not repeated: by its signs, for what is no address at all has no parts.
  if (/[@?#]/.test(url)) {
    throw new UsageFailure("KOPECK_URL must be an address without user, query or fragment.");
  }
  if (!/^https?:$/.test(protocol)) {
    throw new UsageFailure(`KOPECK_URL must be an http or https address, not "${url}".`);
  }
  if (!named && !LOOPBACK.test(hostname)) {
    throw new UsageFailure(
      `${dataDir}/server.json names ${url}, which is not this machine: set KOPECK_URL if that is meant.`,
    );
  }
  const isOperators = root === "/manage";
  // The token that lies here is for the gateway that runs here, and goes nowhere else; no merchant's lies here.
  const isHere = !named || (server !== undefined && placeOf(url) === placeOf(server.url));
  const file = join(dataDir, "operator-token");
  const tokenFrom = given ? "KOPECK_TOKEN" : file;
  const token = given || (isHere && isOperators ? readText(file) : undefined);
  if (token && !/^[!-~]+$/.test(token)) {
    throw new UsageFailure(`The token of ${tokenFrom} holds characters that no token has.`);
  }
  // Whoever is refused without it should not look for it, or make another.
  const isKept = isOperators && !isHere && !given && readText(file) !== undefined;
  const kept = isKept
    ? `. One lies in ${file}, and is only sent to ${server?.url ?? "the gateway that runs there"}`
    : "";
  const hint = isOperators ? hintOf(token) : `. "kopeck my" wants ${PERSONAL}`;
  if (token) return { root, url, token, tokenFrom: tokenFrom + hint };
  const mode = (isHere && server?.mode) || env["KOPECK_MODE"] || "sandbox";
  // A merchant's gateway is mostly far away, and then no sandbox.
  if (mode === "sandbox" && (isOperators || LOOPBACK.test(hostname))) {
    const from = `the sandbox, as none is set${hint}${kept}`;
    return { root, url, token: SANDBOX_TOKENS[root], tokenFrom: from };
  }
  if (kept) throw new UsageFailure(`There is no token: set KOPECK_TOKEN${kept}.`);
  const way = isOperators ? `, or run "kopeck init" where ${dataDir} is` : ` to ${PERSONAL}`;
  throw new UsageFailure(`There is no token: set KOPECK_TOKEN${way}.`);
}

/** This machine has several names, and whatever follows the port does not matter. */
function placeOf(url: string): string {
  const { protocol, hostname = "", port } = URL.parse(url) ?? {};
  return `${protocol}//${LOOPBACK.test(hostname) ? "localhost" : hostname}:${port}`;
}

function hintOf(token = ""): string {
  return token.startsWith("kom_") ? `. It is a merchant's, and opens what "kopeck my" does` : "";
}

function readServer(path: string): { url: string; mode: string } | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const distrust = whyNotBelieved(path);
  if (distrust !== undefined) {
    throw new UsageFailure(`${path} ${distrust}: remove it, or set KOPECK_URL and KOPECK_TOKEN.`);
  }
  try {
    const { url, mode } = JSON.parse(text) as Record<string, unknown>;
    return { url: String(url), mode: String(mode) };
  } catch {
    return undefined;
  }
}

/** What says where a token is sent must be from the user who sends it, or from root. */
function whyNotBelieved(path: string): string | undefined {
  const file = lstatSync(path);
  if (!file.isFile()) return "is not a file of its own";
  const uid = process.getuid?.() ?? file.uid;
  if (file.uid !== uid && file.uid !== 0) return "belongs to another user";
  if ((file.mode & 0o022) !== 0) return "can be written by other users";
  return undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
