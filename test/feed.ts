// The feed of a shop or a user in a test, through the front door.

import assert from "node:assert/strict";
import type { Api } from "../sdk/src/api.ts";
import { SHOP, USER } from "./cast.ts";
import type { Answer, CallOptions } from "./gateway.ts";

interface Caller {
  call(path: string, options?: CallOptions): Promise<Answer>;
}

type Fields = Readonly<Record<string, string | number | undefined>>;
type Page = Api["GET /shops/{shopId}/events"]["data"];

function feedAt({ call }: Caller, path: string, headers: Record<string, string>) {
  const ask = (fields: Fields = {}): Promise<Answer> => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) query.set(name, String(value));
    }
    return call(`${path}?${query}`, { headers });
  };
  return {
    ask,
    async read(fields: Fields = {}): Promise<Page> {
      const { status, text, body } = await ask(fields);
      assert.equal(status, 200, text);
      return body.data;
    },
  };
}

export function feedOf(caller: Caller, { id, key } = SHOP) {
  return feedAt(caller, `/shops/${id}/events`, { "x-api-key": key });
}

export function feedOfUser(caller: Caller, { id, secret } = USER) {
  const headers = { "x-api-signature-sha256": secret };
  return feedAt(caller, `/account/users/${id}/events`, headers);
}

/** How many calls wait for an event, as the gateway tells it a moment later. */
export async function feedWaiting({ call }: Caller): Promise<number> {
  return Number(/^kopeck_feed_waiting (\d+)$/m.exec((await call("/metrics")).text)?.[1]);
}
