// Checks that the port is free before a database is opened.

import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "./config.ts";
import { codeOf, StartFailure } from "./failure.ts";

/** Takes it for a moment; a port of 0 is any that is free. */
export async function refuseTakenPort({
  host,
  port,
}: Pick<Config, "host" | "port">): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), "listening");
    await new Promise((resolve) => server.close(resolve));
  } catch (error) {
    throw listenFailure(error, { host, port });
  }
}

export function listenFailure(
  error: unknown,
  { host, port }: Pick<Config, "host" | "port">,
): StartFailure {
  return codeOf(error) === "EADDRINUSE"
    ? new StartFailure(`Port ${port} is in use. Stop what uses it, or set PORT.`)
    : new StartFailure(`Cannot listen on ${host}:${port}: ${String(error)}`);
}
