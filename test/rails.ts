// A program that sends payouts, in a test: the example's server, with a bank that does as it is told.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRail, type Order, type Said } from "../examples/rail/server.ts";
import { railSignature } from "../src/features/payouts/rail.ts";
import type { Answer, CallOptions } from "./gateway.ts";
import { manage } from "./manage.ts";

interface Shopfront {
  call(path: string, options?: CallOptions): Promise<Answer>;
  readonly app: { readonly clock: { now(): Date } };
}

/** Before the bank is asked, after it has paid, or in the answer itself. */
export type Mishap = "before" | "after" | ((response: ServerResponse, key: string) => void);

export async function openRail(gateway: Shopfront, code: string, changes: object = {}) {
  const own = manage(gateway);
  const directory = mkdtempSync(join(tmpdir(), "kopeck-rail-"));
  const wish = { code, url: "http://127.0.0.1:1", services: ["card", "sbp"], paused: true };
  const { secret } = await own.post("rails", { ...wish, ...changes });
  /** Keys, in the order in which it was told to send; that it has paid; that it was asked about. */
  const asked: string[] = [];
  const paid: string[] = [];
  const looked: string[] = [];
  let say: (order: Order) => Said | Promise<Said> = ({ key }) => ({ state: "sent", id: key });
  let mishap: Mishap | undefined;
  const file = join(directory, "payouts.jsonl");
  const server = createRail({
    secret,
    file,
    now: () => gateway.app.clock.now().getTime(),
    async pay(order) {
      const said = await say(order);
      if (said.state === "sent") paid.push(order.key);
      return said;
    },
  });
  // In front of the example's own: what goes wrong on the way.
  const [listener] = server.listeners("request") as [(...both: unknown[]) => void];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (request.method === "POST") asked.push(String(request.headers["webhook-id"]));
    else looked.push(String(request.headers["webhook-id"]));
    if (typeof mishap === "function") mishap(response, String(request.headers["webhook-id"]));
    else if (mishap === "before") request.socket.destroy();
    else {
      if (mishap === "after") response.writeHead = () => response.destroy();
      listener(request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await own.post(`rails/${code}`, { url: `http://127.0.0.1:${port}/rail/`, paused: false });
  return {
    code,
    secret,
    asked,
    paid,
    looked,
    says(next: typeof say): void {
      say = next;
    },
    /** From now on, until told otherwise. */
    fails(next: Mishap | undefined): void {
      mishap = next;
    },
    /** What it has on its disk. */
    journal: () => readFileSync(file, "utf8"),
    notice: (body: object | string, at = gateway.app.clock.now(), by = secret) =>
      gateway.call(`/rails/${code}/notice`, notice(by, at, body)),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** As a rail signs it. */
export function notice(secret: string, at: Date, body: object | string): CallOptions {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const [id, seconds] = ["notice-1", String(Math.floor(at.getTime() / 1000))];
  const signature = railSignature(secret, { id, seconds, body: text }).toString("base64");
  return {
    headers: {
      "webhook-id": id,
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${signature}`,
    },
    body: text,
  };
}
