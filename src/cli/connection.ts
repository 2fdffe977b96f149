// Where the gateway is and what proves who asks: the environment first, then what the gateway and
// "kopeck init" left in the data directory of this machine. Guards that a token goes only where the
// environment says, or to this machine: ./data may be anybody's.

import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageFailure } from "./command.ts";

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
