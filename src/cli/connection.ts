// Where the gateway is and what proves who asks: the environment first, then what the gateway and
// "kopeck init" left in the data directory of this machine.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageFailure } from "./command.ts";

export interface Connection {
  readonly url: string;
  readonly token: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** What everybody knows, and only a sandbox takes. */
const SANDBOX_TOKEN = "sandbox_operator_token";

export function findConnection(env: Env): Connection {
  const dataDir = resolve(env["KOPECK_DATA_DIR"] || "./data");
  const server = readServer(join(dataDir, "server.json"));
  const url = env["KOPECK_URL"] || server?.url || `http://127.0.0.1:${env["PORT"] || "8080"}`;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageFailure(`KOPECK_URL must be an http or https address, not "${url}".`);
  }
  const given = env["KOPECK_TOKEN"];
  // The token that lies here is for the gateway that runs here, and goes nowhere else.
  const isHere = !env["KOPECK_URL"] || env["KOPECK_URL"] === server?.url;
  const token = given || (isHere ? readText(join(dataDir, "operator-token")) : undefined);
  if (token && !/^[!-~]+$/.test(token)) {
    throw new UsageFailure("The token holds characters that no token has.");
  }
  if (token) return { url, token };
  const mode = (isHere && server?.mode) || env["KOPECK_MODE"] || "sandbox";
  if (mode === "sandbox") return { url, token: SANDBOX_TOKEN };
  throw new UsageFailure(
    `There is no token: set KOPECK_TOKEN, or run "kopeck init" where ${dataDir} is.`,
  );
}

function readServer(path: string): { url: string; mode: string } | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    const { url, mode } = JSON.parse(text) as Record<string, unknown>;
    return { url: String(url), mode: String(mode) };
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
