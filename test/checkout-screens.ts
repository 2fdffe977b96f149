// Every screen of the pages at once, each under its name: for whoever has to look at all of them.

import { LINK_SHOP } from "./cast.ts";
import { type CheckoutRoom, DAY_SECONDS } from "./checkout-room.ts";

const SHOP = { title: "Tea by the bridge" };
const BACK = { success_url: "https://tea.example/thanks", fail_url: "https://tea.example/cart" };
/** The sandbox's cards at Sber but the first: without them the second payer's amount is nudged. */
const OTHER_CARDS = [102, 103].map((number) => `00000000-0000-4000-8000-000000000${number}`);

/** The path to each screen; the clock has to stand still from now on. */
export async function openScreens(room: CheckoutRoom): Promise<Record<string, string>> {
  let number = 1041;
  const order = (): Record<string, unknown> => {
    number += 1;
    return { ...BACK, amount: 1490, order_id: `tea-${number}` };
  };
  await room.manage.post(`shops/${LINK_SHOP.id}`, SHOP);
  const [expired, refunded] = [await room.link(order()), await room.issued(order())];
  await room.transfer(refunded);
  await room.pass(DAY_SECONDS);
  // All that the shop got: its amount without its part of the fee.
  const refund = { invoice_id: refunded, amount: 1430.4, reason: "A broken cup" };
  await room.manage.post("refunds", refund);
  const lapsed = await room.issued(order());
  await room.pass(20 * 60);
  const paid = await room.issued(order());
  await room.transfer(paid);
  for (const id of OTHER_CARDS) await room.manage.post(`requisites/${id}`, { enabled: false });
  const [details, nudged] = [await room.issued(order()), await room.issued(order())];
  for (const id of OTHER_CARDS) await room.manage.post(`requisites/${id}`, { enabled: true });
  const choose = await room.link(order());
  return {
    home: "/",
    demo: "/demo",
    "choose-method": `/pay/${choose}`,
    "choose-bank": `/pay/${choose}?service=p2p_card`,
    details: `/pay/${details}`,
    nudged: `/pay/${nudged}`,
    lapsed: `/pay/${lapsed}`,
    paid: `/pay/${paid}`,
    expired: `/pay/${expired}`,
    refunded: `/pay/${refunded}`,
    "not-found": "/pay/nothing",
  };
}
