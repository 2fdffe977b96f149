// Every screen of the pages at once, each under its name: for whoever has to look at all of them.

import { randomUUID } from "node:crypto";
import { LINK_SHOP } from "./cast.ts";
import { type CheckoutRoom, DAY_SECONDS } from "./checkout-room.ts";

const SHOP = { title: "Tea by the bridge", support: "help@tea.example" };
const BACK = { success_url: "https://tea.example/thanks", fail_url: "https://tea.example/cart" };
/** The sandbox's cards at Sber but the first: without them the second payer's amount is nudged. */
const OTHER_CARDS = [102, 103].map((number) => `00000000-0000-4000-8000-000000000${number}`);

/** The path to each screen; the clock has to stand still from now on. */
export async function openScreens(room: CheckoutRoom): Promise<Record<string, string>> {
  let number = 1041;
  /** Of another price where it must not take the first one's slot. */
  const order = (amount = 1490): Record<string, unknown> => {
    number += 1;
    const comment = "Green tea, 200 g, and a porcelain cup";
    return { ...BACK, amount, order_id: `tea-${number}`, comment };
  };
  await room.manage.post(`shops/${LINK_SHOP.id}`, SHOP);
  const expired = await room.issued(order());
  const [refunded, partly] = [await room.issued(order()), await room.issued(order())];
  await room.transfer(refunded);
  await room.pass(DAY_SECONDS);
  await room.transfer(partly);
  await room.pass(DAY_SECONDS);
  // All that the shop got: its amount without its part of the fee; and a part of it.
  const refund = { invoice_id: refunded, amount: 1430.4, reason: "A broken cup" };
  await room.manage.post("refunds", refund);
  await room.manage.post("refunds", { ...refund, invoice_id: partly, amount: 200 });
  const [expiredSaid, failed] = [await room.issued(order(990)), await room.issued(order(990))];
  await room.said(expiredSaid);
  await room.manage.post(`invoices/${failed}/cancel`, { reason: "Sold out" });
  await room.pass(DAY_SECONDS / 2);
  const lapsed = await room.issued(order(990));
  const spent = await room.link(order(990));
  for (let turn = 0; turn < 6; turn += 1) {
    await room.choose(spent, "p2p_card", turn % 2 === 0 ? "tinkoff" : "sber");
  }
  await room.pass(20 * 60);
  const [asked, told] = [await room.issued(order(990)), await room.issued(order(990), "p2p_sbp")];
  await room.said(asked);
  await room.said(told, { amount: "1000", bank: "Alfa", when: "20:15" });
  const { items } = await room.manage.get(`payments?invoice_id=${told}`);
  const [{ requisite_id }] = items;
  const stray = { requisite_id, amount: 1000, reference: randomUUID() };
  await room.manage.post("transfers", stray);
  await room.pass(3 * 60);
  const paid = await room.issued(order(990));
  await room.transfer(paid);
  for (const id of OTHER_CARDS) await room.manage.post(`requisites/${id}`, { enabled: false });
  const [details, nudged] = [await room.issued(order()), await room.issued(order())];
  for (const id of OTHER_CARDS) await room.manage.post(`requisites/${id}`, { enabled: true });
  const [phone, said] = [await room.issued(order(), "p2p_sbp"), await room.issued(order(990))];
  await room.said(said);
  const choose = await room.link(order());
  return {
    home: "/",
    demo: "/demo",
    "choose-method": `/pay/${choose}`,
    "choose-bank": `/pay/${choose}?service=p2p_card`,
    change: `/pay/${details}?change=1`,
    spent: `/pay/${spent}?change=1`,
    details: `/pay/${details}`,
    nudged: `/pay/${nudged}`,
    "details-by-phone": `/pay/${phone}`,
    said: `/pay/${said}`,
    asked: `/pay/${asked}`,
    told: `/pay/${told}`,
    lapsed: `/pay/${lapsed}`,
    paid: `/pay/${paid}`,
    expired: `/pay/${expired}`,
    "expired-said": `/pay/${expiredSaid}`,
    failed: `/pay/${failed}`,
    refunded: `/pay/${refunded}`,
    "refunded-partly": `/pay/${partly}`,
    "not-found": "/pay/nothing",
    "no-page": "/nothing",
  };
}
