// A rail: a small server that Kopeck asks to send payouts, by the protocol of docs/rails.md. It has no dependency;
// whoever connects a bank writes `pay` and keeps the rest. Guards that a key is paid once, whatever happens in
// between: what it is about to do is on the disk before it is done, and what came of it before it is told.
//
//   RAIL_SECRET=whsec_… RAIL_FILE=payouts.jsonl PORT=9400 npx node examples/rail/server.ts
//
// It wants Node.js 24, which npm ci brings. As it stands it says sent to everything, and pays nobody.
// With RAIL_ANY_TIME=1 it takes requests of any time: for a sandbox whose clock was moved, and nothing else.

import { createHmac, timingSafeEqual } from "node:crypto";
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";

export interface Order {
  readonly key: string;
  readonly service: "card" | "sbp";
  readonly number: string;
  readonly bank_id: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly comment: string | null;
}

export interface Said {
  readonly state: "sent" | "accepted" | "not_sent";
  readonly id?: string;
  readonly bank_reference?: string;
  readonly reason?: string;
  readonly retry?: boolean;
}

interface Entry {
  readonly key: string;
  readonly said: Said;
  /** What was asked for, as it was written. */
  readonly order?: string;
}

export interface RailOptions {
  readonly secret: string;
  /** A line of JSON for everything that happened. */
  readonly file: string;
  /** Asks the bank. Where it does not know what came of it, it says accepted, and never not_sent. */
  pay(order: Order): Promise<Said>;
  now?(): number;
  /** Whether a request of any time is taken: for a sandbox whose clock was moved. */
  readonly anyTime?: boolean;
  /** Why a request was refused, in a line. */
  tell?(line: string): void;
}

const TOLERANCE_SECONDS = 5 * 60;

export function createRail(options: RailOptions): Server {
  const { secret, file, pay, now = Date.now, anyTime = false, tell = () => {} } = options;
  const known = new Map<string, Entry>();
  // It holds whole numbers: nobody else reads it.
  const journal = openSync(file, "a+", 0o600);
  const text = readFileSync(journal, "utf8");
  // The last line may have been cut off with the power: then nothing came of it.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  ftruncateSync(journal, Buffer.byteLength(whole));
  for (const line of whole.split("\n")) if (line !== "") note(JSON.parse(line) as Entry);

  function note(entry: Entry): void {
    known.set(entry.key, { ...known.get(entry.key), ...entry });
  }

  function write(entry: Entry): void {
    writeSync(journal, `${JSON.stringify(entry)}\n`);
    fsyncSync(journal);
    note(entry);
  }

  /** Why it is not to be believed; undefined where it is. */
  function doubtOf({ headers }: IncomingMessage, body: string): string | undefined {
    const { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": given } = headers;
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const right = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest();
    const isRight = String(given)
      .split(" ")
      .some((one) => isSame(right, one));
    if (!isRight) return "wrong signature";
    const apart = Math.abs(Math.round(now() / 1000 - Number(seconds)));
    // What is no number is no time.
    return anyTime || apart <= TOLERANCE_SECONDS ? undefined : `the clocks are ${apart} s apart`;
  }

  async function send(order: Order, written: string): Promise<[status: number, body: object]> {
    const before = known.get(order.key);
    if (before !== undefined && before.order !== written) return [409, { error: "another order" }];
    if (before !== undefined) return [200, before.said];
    // From here on it may be paid: after a crash it is accepted, until the bank was asked.
    write({ key: order.key, said: { state: "accepted" }, order: written });
    const said = await pay(order);
    write({ key: order.key, said });
    return [200, said];
  }

  async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
    const body = await bodyOf(request);
    const doubt = doubtOf(request, body);
    if (doubt !== undefined) return [401, { error: doubt }];
    const signedKey = request.headers["webhook-id"];
    if (request.method === "POST" && request.url?.endsWith("/payouts")) {
      const order = JSON.parse(body) as Order;
      return order.key === signedKey ? send(order, body) : [401, { error: "another key" }];
    }
    const key = /\/payouts\/([^/]+)$/.exec(request.url ?? "")?.[1];
    if (request.method !== "GET" || key === undefined) return [404, { error: "no such door" }];
    if (key !== signedKey) return [401, { error: "another key" }];
    return [200, known.get(key)?.said ?? { state: "not_found" }];
  }

  return createServer((request, response) => {
    void answer(request)
      .catch((error: unknown): [number, object] => {
        tell(String(error));
        return [500, { error: "see the log" }];
      })
      .then(([status, body]) => {
        if ("error" in body) tell(`${status} ${body.error}: ${request.method} ${request.url}`);
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      });
  }).on("close", () => closeSync(journal));
}

function isSame(right: Buffer, given: string): boolean {
  const bytes = Buffer.from(given.replace(/^v1,/, ""), "base64");
  return bytes.length === right.length && timingSafeEqual(bytes, right);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

if (import.meta.main) {
  const {
    RAIL_SECRET: secret = "",
    RAIL_FILE: file = "payouts.jsonl",
    PORT = "9400",
    RAIL_ANY_TIME,
  } = process.env;
  if (!secret.startsWith("whsec_"))
    throw new Error("RAIL_SECRET is what `kopeck rail add` showed.");
  // Here a bank is asked, under a key of its own that follows from the payout's.
  const pay = async ({ key }: Order): Promise<Said> => ({ state: "sent", id: key });
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  const rail = createRail({ secret, file, pay, tell, anyTime: RAIL_ANY_TIME === "1" });
  rail.listen(Number(PORT), "127.0.0.1", () => tell(`listening at http://127.0.0.1:${PORT}`));
}
