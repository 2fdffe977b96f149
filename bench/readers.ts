// Strangers who look at one payment page, each from an address of her own behind a proxy, as fast as
// they are answered and whatever the answer is. A process of its own.

import { Agent, request } from "node:http";
import { answerParent } from "./part.ts";

export interface Read {
  /** How often the page was shown. */
  readonly shown: number;
  /** How often they were told to come back later. */
  readonly refused: number;
}

export type ReadersWish = { readonly url: string; readonly readers: number } | { stop: true };

let stop: () => Promise<Read> = async () => ({ shown: 0, refused: 0 });

function begin(url: string, readers: number): () => Promise<Read> {
  const agent = new Agent({ keepAlive: true, maxSockets: readers });
  const read = { shown: 0, refused: 0 };
  let isOver = false;
  const reader = async (_: unknown, index: number): Promise<void> => {
    const headers = { "x-forwarded-for": `198.51.100.${index}`, accept: "text/html" };
    while (!isOver) {
      const status = await statusOf(url, agent, headers);
      if (status === 200) read.shown += 1;
      else if (status === 429) read.refused += 1;
      else throw new Error(`the page answers ${status}`);
    }
  };
  const all = Promise.all(Array.from({ length: readers }, reader));
  return async () => {
    isOver = true;
    await all;
    agent.destroy();
    return read;
  };
}

function statusOf(url: string, agent: Agent, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", reject);
    });
    call.on("error", reject);
    call.end();
  });
}

answerParent(async (wish: ReadersWish) => {
  if ("stop" in wish) return stop();
  stop = begin(wish.url, wish.readers);
  return null;
});
