// The shops' receivers of webhooks, one process for all of them: 64 addresses that answer 200 and count
// the distinct events they got, and one that takes connections and never says a word.

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent } from "./part.ts";

const RECEIVERS = 64;

export interface Receivers {
  readonly hooks: readonly string[];
  readonly deadHook: string;
}

export interface Received {
  readonly distinct: number;
  readonly lastAtMs: number;
}

let seen = new Set<string>();
let lastAtMs = 0;

const count: RequestListener = (request, response) => {
  const id = String(request.headers["webhook-id"]);
  request.resume();
  request.on("end", () => {
    response.writeHead(200).end();
    if (seen.has(id)) return;
    seen.add(id);
    lastAtMs = Date.now();
  });
};

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

answerParent(async (asked: { what: "open" | "forget" | "count" }) => {
  if (asked.what === "open") {
    const hooks = await Promise.all(Array.from({ length: RECEIVERS }, () => listen(count)));
    return { hooks, deadHook: await listen(() => {}) } satisfies Receivers;
  }
  if (asked.what === "forget") {
    seen = new Set();
    lastAtMs = 0;
  }
  return { distinct: seen.size, lastAtMs } satisfies Received;
});
