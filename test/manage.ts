// Managing a gateway in a test: through the front door, with an operator's token; or a merchant's cabinet, with that
// of somebody who works there.

import assert from "node:assert/strict";
import { issueToken } from "../src/features/operators/manage-operators.endpoint.ts";
import type { Role } from "../src/features/operators/nouns.ts";
import type { App } from "../src/platform/app.ts";
import type { Answer, CallOptions } from "./gateway.ts";

export const OPERATOR_TOKEN = "sandbox_operator_token";

interface Caller {
  call(path: string, options?: CallOptions): Promise<Answer>;
}

export interface Manage {
  /** The data of an answer that must be a success. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects in an answer.
  get(path: string): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects in an answer.
  post(path: string, body?: unknown): Promise<any>;
  /** Any answer: with a body it is a POST. */
  ask(path: string, body?: unknown): Promise<Answer>;
  /** Status and words of an answer that must be a refusal. */
  refused(path: string, body?: unknown): Promise<[status: number, error: string | string[]]>;
  /** The newest row of the audit log. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects in an answer.
  lastAudit(): Promise<any>;
}

export function manage(gateway: Caller, token = OPERATOR_TOKEN, root = "manage"): Manage {
  const headers = { authorization: `Bearer ${token}` };
  const ask = (path: string, body?: unknown): Promise<Answer> =>
    gateway.call(`/${root}/${path}`, { headers, ...(body === undefined ? {} : { body }) });
  const get = async (path: string) => {
    const answer = await ask(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  return {
    ask,
    get,
    async post(path, body = {}) {
      const answer = await ask(path, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    },
    async refused(path, body) {
      const { status, body: envelope, text } = await ask(path, body);
      assert.notEqual(status, 200, text);
      assert.equal(envelope.data, null);
      return [status, envelope.error];
    },
    async lastAudit() {
      const { items } = await get("audit?limit=1");
      return items[0];
    },
  };
}

/** Somebody whose token nobody of this gateway has made, as "kopeck init" gives one: a hand of their own. */
export async function ownHand(
  gateway: Caller & { readonly app: App },
  name: string,
  role: Role = "cashier",
) {
  const { row, token } = await gateway.app.db.transaction((tx) =>
    issueToken(tx, gateway.app, { name, role }),
  );
  return { ...manage(gateway, token), id: row.id, token };
}
