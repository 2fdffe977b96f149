// Where the witness's shops hear of their money: a receiver outside of everything that is broken. Slow
// enough that whoever is killed under load is killed while it delivers. Guards that every event comes at
// least once, signed, and again only with the same id and the same bytes. Some are refused at first.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

/** The sandbox's, as its documentation gives them. */
const KEY = "sandbox_webhook_key";
const STANDARD = new Webhook("whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=");
const ANSWERS_AFTER_MS = 20;

export function openEar(violation: (what: string) => void) {
  const bodies = new Map<string, string>();
  const counts = { underWay: 0, repeated: 0 };
  const refused = new Set<string>();
  /** The status to answer with. */
  const listen = (body: string, headers: Readonly<Record<string, unknown>>): number => {
    const { invoice_id, status, event_id } = JSON.parse(body);
    const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
    const wanted = {
      "webhook-id": event_id,
      "webhook-signature": STANDARD.sign(event_id, sentAt, body),
      "x-api-sha256-signature": createHmac("sha256", KEY).update(body).digest("hex"),
    };
    for (const [name, value] of Object.entries(wanted)) assert.equal(headers[name], value, name);
    if (event_id.endsWith("0") && !refused.has(event_id)) {
      refused.add(event_id);
      return 500;
    }
    const before = bodies.get(`${status} ${invoice_id}`);
    if (before !== undefined) counts.repeated += 1;
    if (before !== undefined && before !== body) throw new Error(`it was ${before} before`);
    bodies.set(`${status} ${invoice_id}`, body);
    return 200;
  };
  const server = createServer((request, answer) => {
    counts.underWay += 1;
    answer.once("close", () => {
      counts.underWay -= 1;
    });
    text(request).then(
      (body) => {
        let status = 200;
        try {
          status = listen(body, request.headers);
        } catch (error) {
          violation(`webhook ${body}: ${String(error)}`);
        }
        setTimeout(() => answer.writeHead(status).end(), ANSWERS_AFTER_MS);
      },
      // Whoever was telling it is dead.
      () => {},
    );
  });
  return {
    counts,
    has: (status: string, invoiceId: string): boolean => bodies.has(`${status} ${invoiceId}`),
    async open(): Promise<string> {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
