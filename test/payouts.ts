// Payouts in a test, through the front door: a user with money, and what they ask for.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { USER } from "./cast.ts";
import type { Answer, CallOptions } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, type Merchant, type Orders } from "./orders.ts";

interface Caller {
  call(path: string, options?: CallOptions): Promise<Answer>;
}

/** Nothing is sent by it from now on: what is asked for stays in line. */
export async function pauseRail(gateway: Caller, code = "sandbox"): Promise<void> {
  await manage(gateway).post(`rails/${code}`, { paused: true });
}

export async function resumeRail(gateway: Caller, code = "sandbox"): Promise<void> {
  await manage(gateway).post(`rails/${code}`, { paused: false });
}

/** A card that nobody has: its check digit is right. The last digits say what the sandbox's rail does. */
export function cardEndingIn(digits: string): string {
  for (let filler = 0; filler < 10; filler += 1) {
    const number = `2200000000000${filler}${digits}`;
    if (luhn(number)) return number;
  }
  throw new Error(`No card ends in ${digits}.`);
}

function luhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

export const CARD = "2200000000000400";
export const SBER = "100000000111";

export function payoutBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    user_id: USER.id,
    service: "card",
    wallet_to: CARD,
    amount: 100,
    order_id: `payout-${randomUUID()}`,
    ...changes,
  };
}

export function payouts(gateway: Caller, trade: Orders, user: Merchant = USER) {
  const headers = { "x-api-signature-sha256": user.secret };
  const create = (changes: Record<string, unknown> = {}): Promise<Answer> =>
    gateway.call("/payoff/create", { headers, body: payoutBody({ user_id: user.id, ...changes }) });
  const info = (id: string): Promise<Answer> =>
    gateway.call(`/payoff/info?user_id=${user.id}&id=${id}`, { headers });
  return {
    create,
    info,
    /** One that was taken, by its id. */
    async made(changes: Record<string, unknown> = {}): Promise<string> {
      const answer = await create(changes);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.payoff_id;
    },
    async refused(changes: Record<string, unknown> = {}): Promise<[number, string]> {
      const { status, body } = await create(changes);
      return [status, body.error];
    },
    async state(id: string): Promise<string> {
      return (await info(id)).body.data.state;
    },
    cancel: (id: string): Promise<Answer> =>
      gateway.call("/payoff/cancel", { headers, body: { user_id: user.id, id } }),
    list: (query = ""): Promise<Answer> =>
      gateway.call(`/payoff/list?user_id=${user.id}${query}`, { headers }),
    tariffs: (): Promise<Answer> => gateway.call(`/payoff/tariffs?user_id=${user.id}`, { headers }),
    /** Paid orders of so many roubles are available: 960 for each 1000. */
    async earn(orders = 1, amount = 1000): Promise<void> {
      for (let count = 0; count < orders; count += 1)
        await trade.pay(await trade.order({ amount }));
      await trade.pass(DAY);
    },
  };
}
