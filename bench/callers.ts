// Shops that create invoices as fast as they are answered, each on a connection of its own.

import { Agent, request } from "node:http";
import { type CastShop, invoiceBody, SHOP } from "../test/cast.ts";

/** Calls for so many milliseconds; the answer is how many were answered. */
export function openCallers(url: string, connections: number): (ms: number) => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return async (ms) => {
    const endAt = performance.now() + ms;
    let answered = 0;
    const caller = async (): Promise<void> => {
      while (performance.now() < endAt) {
        await createInvoice(url, SHOP, {}, agent);
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, caller));
    return answered;
  };
}

export function createInvoice(
  url: string,
  shop: CastShop,
  changes: Record<string, unknown>,
  agent?: Agent,
): Promise<string> {
  const body = JSON.stringify(invoiceBody({ shop_id: shop.id, ...changes }));
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-api-key": shop.key,
  };
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers, ...(agent === undefined ? {} : { agent }) };
    const call = request(`${url}/invoice/create`, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text).data.id);
        else reject(new Error(`${answer.statusCode} ${text}`));
      });
      answer.on("error", reject);
    });
    call.on("error", reject);
    call.end(body);
  });
}
