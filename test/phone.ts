// A phone in a test: a source, and a bank that sends it messages about requisites, with balances that are true.

import assert from "node:assert/strict";
import type { Answer, TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import type { Order } from "./orders.ts";

type Fields = Readonly<Record<string, unknown>>;

export async function openPhone(
  gateway: Pick<TestGateway, "call" | "clock">,
  changes: Fields = {},
) {
  const own = manage(gateway);
  const { items } = await own.get("requisites?limit=200");
  const requisite_ids = items.map((one: { requisite_id: string }) => one.requisite_id);
  const wish = { name: "phone", adapter: "kopeck", banks: ["sber"], senders: ["900"] };
  const { source, token } = await own.post("sources", { ...wish, requisite_ids, ...changes });
  const report = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.call(`/intake/${source.source_id}`, {
      headers: { "access-token": token, ...headers },
      body,
    });
  return {
    id: source.source_id as string,
    token: token as string,
    report,
    /** What became of each of these texts, in their order. */
    async hears(texts: string | readonly string[], more: Fields = {}): Promise<string[]> {
      // Ids of one moment have no order.
      gateway.clock.advance(1);
      const messages = [texts].flat().map((text) => ({ sender: "900", text, ...more }));
      const answer = await report({ messages });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.messages;
    },
  };
}

/** What a card holds, and what Сбер writes about it by its clock in Moscow. */
export function openCard(gateway: Pick<TestGateway, "app">, wallet: string, rubles = 1000) {
  let kopecks = rubles * 100;
  const name = `VISA${wallet.slice(-4)}`;
  const money = (sum: number): string => String(sum / 100);
  const time = (): string =>
    new Date(gateway.app.clock.now().getTime() + 3 * 3_600_000).toISOString().slice(11, 16);
  return {
    name,
    time,
    /** Money of somebody comes. */
    income(amount: number, comment = ""): string {
      kopecks += Math.round(amount * 100);
      return `${name} ${time()} Перевод ${amount}р от Иван П. Баланс: ${money(kopecks)}р${comment}`;
    },
    outflow(amount: number, fee: number): string {
      kopecks -= Math.round((amount + fee) * 100);
      return `${name} ${time()} перевод ${amount}р Комиссия ${fee}р TINKOFF Баланс: ${money(kopecks)}р`;
    },
    /** What somebody makes up who does not know the balance. */
    forged: (amount: number): string =>
      `${name} ${time()} Перевод ${amount}р от Иван П. Баланс: ${money(777_77)}р`,
    /** The same money in an app, as a notification. */
    push: (amount: number): string =>
      `Перевод из Т-Банк +${amount}р от ИВАН П. ${name} — Баланс: ${money(kopecks)}р`,
  };
}

/** The transfers to the requisite of an order, the newest first, as state and reason. */
export async function fates(gateway: TestGateway, { wallet }: Pick<Order, "wallet">) {
  const { items } = await manage(gateway).get(`transfers?wallet=${wallet.slice(-4)}`);
  return items.map((one: { state: string; suspense_reason: string | null }) =>
    one.state === "suspense" ? one.suspense_reason : one.state,
  );
}
