// Payers who wait: one stream of changes each, held open until other pages are asked for. A process of its
// own.

import { Agent, type ClientRequest, request } from "node:http";
import { answerParent } from "./part.ts";

export interface OpenPage {
  readonly address: string;
  /** Where the payer comes from, as a proxy says. */
  readonly payer: string;
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
let open: ClientRequest[] = [];

function stand({ address, payer }: OpenPage): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const headers = { "x-forwarded-for": payer };
    const call = request(`${address}/changes`, { agent, headers }, (answer) => {
      answer.once("data", () => resolve(call));
      answer.on("error", () => {});
    });
    call.on("error", reject);
    call.end();
  });
}

/** Leaves the pages that are open and opens these; the answer is how many stand. */
answerParent(async (pages: readonly OpenPage[]) => {
  for (const call of open) call.destroy();
  open = [];
  for (let at = 0; at < pages.length; at += 50) {
    open.push(...(await Promise.all(pages.slice(at, at + 50).map(stand))));
  }
  return open.length;
});
