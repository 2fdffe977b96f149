// The payment pages over HTTP, without a browser: a link, the payer's choice, the bank's part of it.

import assert from "node:assert/strict";
import { createInvoice, LINK_SHOP } from "./cast.ts";
import type { Answer, TestGateway } from "./gateway.ts";

type Form = Record<string, string>;

export function pages(gateway: Pick<TestGateway, "call" | "url">) {
  const post = (path: string, form: Form = {}, headers: Form = {}): Promise<Response> => {
    const body = new URLSearchParams(form);
    return fetch(gateway.url + path, { method: "POST", redirect: "manual", body, headers });
  };
  return {
    post,
    async link(changes: Record<string, unknown> = {}): Promise<string> {
      const services = { include_service: ["p2p_card", "p2p_sbp"], type: "link" };
      const made = await createInvoice(gateway, { ...services, ...changes }, LINK_SHOP);
      assert.equal(made.status, 200, made.text);
      return made.body.data.id;
    },
    show: (id: string, query = ""): Promise<Answer> =>
      gateway.call(`/pay/${id}${query}`, { headers: { accept: "text/html" } }),
    choose: (id: string, service = "p2p_card", bank = "sber"): Promise<Response> =>
      post(`/pay/${id}`, { service, bank }),
    /** The payer says to have paid, and what was sent. */
    say: (id: string, word: Form = {}): Promise<Response> => post(`/pay/${id}/paid`, word),
    /** What is asked for is transferred, by the sandbox's button. */
    simulate: (id: string): Promise<Response> => post(`/pay/${id}/simulate`),
  };
}

/** Its words, without its tags. */
export function wordsOf({ text }: Answer): string {
  return text
    .replace(/<style>.*?<\/style>/gs, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
}

/** Of invoices that have no page: one that nobody has, and what is none. */
export const NO_PAGE = ["019a3f00-0000-7000-8000-000000000009", "nonsense"];
