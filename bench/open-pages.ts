// Payers who wait: one stream of changes each, held open until other pages are asked for.

import { Agent, type ClientRequest, request } from "node:http";

/** Leaves the pages that are open and opens one for each invoice; the answer is how many stand. */
export function openPages(url: string): (invoices: readonly string[]) => Promise<number> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  let open: ClientRequest[] = [];
  const stand = (id: string): Promise<ClientRequest> =>
    new Promise((resolve, reject) => {
      const call = request(`${url}/pay/${id}/changes`, { agent }, (answer) => {
        answer.once("data", () => resolve(call));
        answer.on("error", () => {});
      });
      call.on("error", reject);
      call.end();
    });
  return async (invoices) => {
    for (const call of open) call.destroy();
    open = [];
    for (let at = 0; at < invoices.length; at += 50) {
      open.push(...(await Promise.all(invoices.slice(at, at + 50).map(stand))));
    }
    return open.length;
  };
}
