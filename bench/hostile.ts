// Somebody without a key who keeps all connections busy with whatever costs a gateway most: a process of
// its own, told how long.

import { Agent, request } from "node:http";
import { SHOP } from "../test/cast.ts";
import { HOSTILE_FORMS, HOSTILE_VALUES } from "../test/hostile-bodies.ts";
import { answerParent } from "./part.ts";

interface Shot {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const shot = (path: string, type: string, body: string): Shot => ({
  ...{ method: "POST", path, type, body: Buffer.from(body) },
});

const ORDER = {
  shop_id: SHOP.id,
  order_id: "1",
  amount: 1,
  type: "direct",
  include_service: ["a"],
};

const SHOTS: readonly Shot[] = [
  ...Object.values(HOSTILE_VALUES).flatMap((value) => [
    shot("/invoice/create", JSON_TYPE, `{"shop_id":"${SHOP.id}","junk":${value}}`),
    shot("/invoice/h2h", JSON_TYPE, `{"shop_id":"${SHOP.id}","ip":${value}}`),
    shot("/manage/shops", JSON_TYPE, `{"name":${value}}`),
    // A wrong secret and nothing else.
    shot("/invoice/create", JSON_TYPE, JSON.stringify(ORDER)),
  ]),
  ...Object.values(HOSTILE_FORMS).map((form) => shot(`/pay/${SHOP.id}`, FORM_TYPE, form)),
  { method: "GET", path: "/".repeat(15_000), type: JSON_TYPE, body: Buffer.of() },
];

export interface Onslaught {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
}

/** How many were answered. */
async function storm({ url, connections, seconds }: Onslaught): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const endAt = performance.now() + seconds * 1000;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const one = SHOTS[next % SHOTS.length];
      next += 1;
      if (one !== undefined) await send(url, agent, one);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  agent.destroy();
  return next;
}

function send(url: string, agent: Agent, { method, path, type, body }: Shot): Promise<void> {
  const headers = {
    ...{ "content-type": type, "content-length": body.length, "x-api-key": "wrong" },
    authorization: "Bearer wrong",
  };
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, headers, agent }, (answer) => {
      const status = answer.statusCode ?? 0;
      if (status < 400 || status >= 500) reject(new Error(`${method} ${path}: ${status}`));
      answer.on("end", resolve).on("error", reject).resume();
    });
    call.on("error", reject);
    call.end(body);
  });
}

answerParent<Onslaught>(storm);
