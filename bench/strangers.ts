// People without a key, as a process of its own: payers who wait at open pages, readers of one page who
// never pause, and somebody who keeps all connections busy with whatever costs a gateway most.

import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { SHOP } from "../test/cast.ts";
import { HOSTILE_FORMS, HOSTILE_VALUES } from "../test/hostile-bodies.ts";
import { answerParent } from "./part.ts";

export interface OpenPage {
  readonly address: string;
  /** Where the payer comes from, as a proxy says. */
  readonly payer: string;
}

export type Wish =
  /** Leaves the pages that are open and opens these, a stream of changes each. */
  | { readonly wait: readonly OpenPage[] }
  | { readonly read: string; readonly readers: number }
  | { readonly stopReading: true }
  | { readonly storm: string; readonly connections: number; readonly seconds: number }
  | Flood;

/** One page asked for in a loop, from one address of the network. Answers how often that was 200. */
export interface Flood {
  readonly flood: string;
  readonly callers: number;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** How often the page was shown, and how often they were told to come back later. */
export interface Read {
  readonly shown: number;
  readonly refused: number;
}

interface Shot {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const ORDER = { order_id: "1", amount: 1, type: "direct", include_service: ["a"] };

const shot = (path: string, type: string, body: string): Shot => ({
  method: "POST",
  path,
  type,
  body: Buffer.from(body),
});

const SHOTS: readonly Shot[] = [
  ...Object.values(HOSTILE_VALUES).flatMap((value) => [
    shot("/invoice/create", JSON_TYPE, `{"shop_id":"${SHOP.id}","junk":${value}}`),
    shot("/invoice/h2h", JSON_TYPE, `{"shop_id":"${SHOP.id}","ip":${value}}`),
    shot("/manage/shops", JSON_TYPE, `{"name":${value}}`),
    // A wrong secret and nothing else.
    shot("/invoice/create", JSON_TYPE, JSON.stringify({ shop_id: SHOP.id, ...ORDER })),
  ]),
  ...Object.values(HOSTILE_FORMS).map((form) => shot(`/pay/${SHOP.id}`, FORM_TYPE, form)),
  { method: "GET", path: "/".repeat(15_000), type: JSON_TYPE, body: Buffer.of() },
];

let waiting: ClientRequest[] = [];
const streams = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

function wait({ address, payer }: OpenPage): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const headers = { "x-forwarded-for": payer };
    const call = request(`${address}/changes`, { agent: streams, headers }, (answer) => {
      answer.once("data", () => resolve(call)).on("error", () => {});
    });
    call.on("error", reject).end();
  });
}

async function waitAt(pages: readonly OpenPage[]): Promise<number> {
  for (const call of waiting) call.destroy();
  waiting = [];
  for (let at = 0; at < pages.length; at += 50) {
    waiting.push(...(await Promise.all(pages.slice(at, at + 50).map(wait))));
  }
  return waiting.length;
}

/** As many as call again and again, each on a connection of its own, until it is over. */
async function crowd(
  size: number,
  isOver: () => boolean,
  call: (agent: Agent, caller: number) => Promise<void>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: size });
  const caller = async (_: unknown, index: number): Promise<void> => {
    while (!isOver()) await call(agent, index);
  };
  await Promise.all(Array.from({ length: size }, caller));
  agent.destroy();
}

function statusOf(url: string, options: object, body: Buffer = Buffer.of()): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, options, (answer: IncomingMessage) => {
      answer
        .on("end", () => resolve(answer.statusCode ?? 0))
        .on("error", reject)
        .resume();
    });
    call.on("error", reject).end(body);
  });
}

let stopReading: () => Promise<Read> = async () => ({ shown: 0, refused: 0 });

function startReading(page: string, readers: number): void {
  const read = { shown: 0, refused: 0 };
  let isOver = false;
  const all = crowd(
    readers,
    () => isOver,
    async (agent, reader) => {
      const headers = { "x-forwarded-for": `198.51.100.${reader}`, accept: "text/html" };
      const status = await statusOf(page, { agent, headers });
      if (status === 200) read.shown += 1;
      else if (status === 429) read.refused += 1;
      else throw new Error(`the page answers ${status}`);
    },
  );
  stopReading = async () => {
    isOver = true;
    await all;
    return read;
  };
}

/** How many were answered. */
async function storm(url: string, connections: number, seconds: number): Promise<number> {
  const endAt = performance.now() + seconds * 1000;
  let next = 0;
  await crowd(
    connections,
    () => performance.now() >= endAt,
    async (agent) => {
      const { method, path, type, body } = SHOTS[next % SHOTS.length] as Shot;
      next += 1;
      const headers = {
        "content-type": type,
        "content-length": body.length,
        "x-api-key": "wrong",
        authorization: "Bearer wrong",
      };
      const status = await statusOf(`${url}${path}`, { method, headers, agent }, body);
      // Slashes alone are the address of the first page, which is everybody's.
      const isShown = status === 200 && /^\/+$/.test(path);
      if (!isShown && (status < 400 || status >= 500)) {
        throw new Error(`${method} ${path.slice(0, 100)}: ${status}`);
      }
    },
  );
  return next;
}

/** Ends on time: what is under way is cut off. */
async function flood({ flood: url, callers, seconds, headers }: Flood): Promise<number> {
  const signal = AbortSignal.timeout(seconds * 1000);
  let answered = 0;
  await crowd(
    callers,
    () => signal.aborted,
    async (agent) => {
      const own = { ...headers, "x-forwarded-for": "198.51.100.1" };
      const status = await statusOf(url, { agent, headers: own, signal }).catch((error) => {
        if (signal.aborted) return 0;
        throw error;
      });
      if (status === 200) answered += 1;
      else if (![0, 429, 503].includes(status)) throw new Error(`${url} answers ${status}`);
    },
  );
  return answered;
}

answerParent(async (wish: Wish) => {
  if ("wait" in wish) return waitAt(wish.wait);
  if ("storm" in wish) return storm(wish.storm, wish.connections, wish.seconds);
  if ("flood" in wish) return flood(wish);
  if ("stopReading" in wish) return stopReading();
  startReading(wish.read, wish.readers);
  return null;
});
