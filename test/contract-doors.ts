// The five endpoints as one table, and what every answer of theirs must look like, for the tests of
// what holds on all of them.

import assert from "node:assert/strict";
import { createInvoice, invoiceBody, OTHER_SHOP, OTHER_USER, SHOP, USER } from "./cast.ts";
import type { Answer, CallOptions } from "./gateway.ts";

interface Caller {
  call(path: string, options?: CallOptions): Promise<Answer>;
}

export interface Door {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly header: "x-api-key" | "x-api-signature-sha256";
  /** Whose identifier and secret open it, and another's that do not. */
  readonly id: string;
  readonly secret: string;
  readonly other: { readonly id: string; readonly secret: string };
  /** The identifier's name in messages. */
  readonly field: string;
  readonly path: (id: string) => string;
  readonly body?: (id: string, invoiceId: string) => Record<string, unknown>;
}

const shopDoor = {
  header: "x-api-key",
  id: SHOP.id,
  secret: SHOP.key,
  other: { id: OTHER_SHOP.id, secret: OTHER_SHOP.key },
  field: "shop id",
} as const;

const userDoor = {
  header: "x-api-signature-sha256",
  id: USER.id,
  secret: USER.secret,
  other: OTHER_USER,
  field: "user id",
} as const;

export const DOORS: readonly Door[] = [
  {
    ...shopDoor,
    name: "POST /invoice/create",
    method: "POST",
    path: () => "/invoice/create",
    body: (id) => invoiceBody({ shop_id: id }),
  },
  {
    ...shopDoor,
    name: "POST /invoice/h2h",
    method: "POST",
    path: () => "/invoice/h2h",
    body: (id, invoiceId) => ({
      invoice_id: invoiceId,
      shop_id: id,
      payment_data: { bank: "sber" },
    }),
  },
  {
    ...shopDoor,
    name: "GET /shops/{shopId}/payment-tariffs",
    method: "GET",
    path: (id) => `/shops/${id}/payment-tariffs`,
  },
  {
    ...userDoor,
    name: "GET /payoff/get-sbp-bank-list",
    method: "GET",
    path: (id) => `/payoff/get-sbp-bank-list?user_id=${id}`,
  },
  {
    ...userDoor,
    name: "GET /account/users/{userId}/balance",
    method: "GET",
    path: (id) => `/account/users/${id}/balance`,
  },
];

export const SERVICE_PATHS = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"];

/** One request through a door that is right in all that the changes leave alone. */
export async function knock(
  gateway: Caller,
  door: Door,
  changes: {
    readonly id?: string;
    readonly secret?: string | undefined;
    readonly headers?: CallOptions["headers"];
  } = {},
): Promise<Answer> {
  const { id = door.id } = changes;
  const secret = "secret" in changes ? changes.secret : door.secret;
  const headers = { [door.header]: secret, ...changes.headers };
  if (door.body === undefined) return gateway.call(door.path(id), { headers });
  const invoiceId = door.name.endsWith("h2h") ? await newInvoiceId(gateway) : "";
  return gateway.call(door.path(id), { body: door.body(id, invoiceId), headers });
}

async function newInvoiceId(gateway: Caller): Promise<string> {
  const answer = await createInvoice(gateway);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.id;
}

export function assertSuccess(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
  assert.deepEqual(Object.keys(answer.body), ["data", "status", "status_check"]);
  assert.equal(typeof answer.body.data, "object");
  assert.notEqual(answer.body.data, null);
  assert.equal(answer.body.status, 200);
  assert.equal(answer.body.status_check, true);
}

/** Checks the whole envelope and hands back what it says. */
export function failureOf(
  answer: Pick<Answer, "status" | "text">,
  status: number,
  shape: "string" | "array" = "string",
): string {
  assert.equal(answer.status, status, answer.text);
  const body = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(body), ["data", "error", "status", "status_check"]);
  assert.equal(body.data, null);
  assert.equal(body.status, status);
  assert.equal(body.status_check, false);
  const messages = shape === "array" ? body.error : [body.error];
  assert.ok(Array.isArray(messages), `error is a list: ${answer.text}`);
  assert.ok(messages.length > 0, "a failure says something");
  for (const message of messages) {
    assert.equal(typeof message, "string", `error has the shape ${shape}: ${answer.text}`);
    assert.match(message, /\p{Letter}/u);
  }
  return messages.join("\n");
}
