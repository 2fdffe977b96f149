// Payers who wait: one stream of changes each, held open until other pages are asked for.

import { Agent, type ClientRequest, request } from "node:http";

/** What a proxy says of where the payer with this number comes from. */
export function payerAddress(number: number): string {
  return `198.18.${number >> 8}.${number & 255}`;
}

/** Leaves the pages that are open and opens one for each invoice; the answer is how many stand. */
export function openPages(url: string): (invoices: readonly string[]) => Promise<number> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  let open: ClientRequest[] = [];
  const stand = (id: string, at: number): Promise<ClientRequest> =>
    new Promise((resolve, reject) => {
      const headers = { "x-forwarded-for": payerAddress(at) };
      const call = request(`${url}/pay/${id}/changes`, { agent, headers }, (answer) => {
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
      const some = invoices.slice(at, at + 50).map((id, index) => stand(id, at + index));
      open.push(...(await Promise.all(some)));
    }
    return open.length;
  };
}
