// A little of everything in a sandbox: released, frozen, refunded, lapsed, live, waiting in suspense.

import { createH2h, createInvoice } from "./cast.ts";
import { manage } from "./manage.ts";
import { DAY, passTime } from "./orders.ts";

/** The ids of an invoice that was refunded in part and of one that can still be paid. */
export async function liveALittle(
  gateway: Parameters<typeof createInvoice>[0],
): Promise<{ readonly refunded: string; readonly live: string }> {
  const own = manage(gateway);
  const offer = async (amount: number, changes: Record<string, unknown> = {}) => {
    const { id } = (await createInvoice(gateway, { amount, ...changes })).body.data;
    return { id, ...(await createH2h(gateway, id)).body.data };
  };
  const pay = async (sum: number): Promise<string> => {
    const { id, wallet, amount } = await offer(sum);
    await own.post("transfers", { wallet, amount: Number(amount), reference: `for ${id}` });
    return id;
  };
  const refunded = await pay(500);
  await offer(600, { expire: 7200 });
  await passTime(gateway, DAY);
  await own.post("refunds", { invoice_id: refunded, amount: 1, reason: "test" });
  await pay(700);
  const live = await offer(800);
  await createInvoice(gateway, { amount: 900 });
  await own.post("transfers", { wallet: "2202200000000007", amount: 1, reference: "nobody's" });
  await passTime(gateway, 0);
  return { refunded, live: live.id };
}
