// One of everything that a merchant has, and what pages of the cabinet name it by.

import { SHOP } from "./cast.ts";
import type { TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { hire, OWNER_TOKEN } from "./members.ts";
import { DAY, type Orders } from "./orders.ts";
import { pauseRail, payouts } from "./payouts.ts";

/** The sandbox user's, by the names that paths have for them. */
export async function thingsOf(gateway: TestGateway, trade: Orders) {
  const own = manage(gateway, OWNER_TOKEN, "cabinet");
  await pauseRail(gateway);
  const order = await trade.order();
  await trade.pay(order, { payer: "canary payer" });
  await trade.pass(DAY);
  const made = await payouts(gateway, trade).made({ amount: 50 });
  const { items: events } = await own.get(`events?invoice_id=${order.id}`);
  const { items: keys } = await own.get(`keys?shop_id=${SHOP.id}`);
  const { items: tokens } = await own.get("tokens");
  const { personId } = await hire(gateway, "developer");
  return {
    invoice_id: order.id,
    orderId: order.orderId,
    shop_id: SHOP.id,
    person_id: personId,
    payout_id: String(made),
    event_id: String(events[0].event_id),
    key_id: String(keys[0].key_id),
    token_id: String(tokens[0].token_id),
    anything: order.id,
  };
}

export type Things = Awaited<ReturnType<typeof thingsOf>>;

export function pathTo(path: string, things: Things): string {
  const named = things as Readonly<Record<string, string>>;
  return path.replace(/:(\w+)/g, (_, name: string) => named[name] ?? name);
}
