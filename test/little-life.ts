// A little of everything in a sandbox: released, frozen, refunded, lapsed, live, waiting in suspense.

import { refundInvoice } from "../src/features/refunds/refund.ts";
import type { App } from "../src/platform/app.ts";
import { createH2h, createInvoice } from "./cast.ts";
import type { Answer, CallOptions } from "./gateway.ts";

const headers = { authorization: "Bearer sandbox_operator_token" };

interface Living {
  readonly app: App;
  call(path: string, options?: CallOptions): Promise<Answer>;
}

/** The ids of an invoice that was refunded in part and of one that can still be paid. */
export async function liveALittle(
  gateway: Living,
): Promise<{ readonly refunded: string; readonly live: string }> {
  const pass = (advance_seconds: number) =>
    gateway.call("/sandbox/clock", { body: { advance_seconds }, headers });
  const pay = async (amount: number): Promise<string> => {
    const { body } = await createInvoice(gateway, { amount });
    const details = (await createH2h(gateway, body.data.id)).body.data;
    await gateway.call("/sandbox/transfers", {
      body: { wallet: details.wallet, amount: Number(details.amount) },
      headers,
    });
    return body.data.id;
  };
  const refunded = await pay(500);
  const lapsed = await createInvoice(gateway, { amount: 600, expire: 7200 });
  await createH2h(gateway, lapsed.body.data.id);
  await pass(24 * 60 * 60);
  await gateway.app.db.transaction((tx) =>
    refundInvoice(tx, gateway.app, {
      invoiceId: refunded,
      amountMinor: 100n,
      reason: "test",
      author: "test",
    }),
  );
  await pay(700);
  const live = await createInvoice(gateway, { amount: 800 });
  await createH2h(gateway, live.body.data.id);
  await createInvoice(gateway, { amount: 900 });
  await gateway.call("/sandbox/transfers", {
    body: { wallet: "2202200000000007", amount: 1 },
    headers,
  });
  await pass(0);
  return { refunded, live: live.body.data.id };
}
