// One payment from the order to the webhook, as any shop would have it: after all that was done to the
// gateway, this must be as it always is.

import assert from "node:assert/strict";
import { createH2h, createInvoice, SHOP, USER } from "../../test/cast.ts";
import { call } from "../../test/gateway.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Receiver } from "../../test/receiver.ts";

const OPERATOR = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const TOLD_WITHIN_MS = 15_000;

/** Kopecks, to stay exact. */
const minor = (value: number): number => Math.round(value * 100);

export async function payNormally(url: string, receiver: Receiver): Promise<void> {
  const gateway = { call: (path: string, options?: object) => call(url, path, options) };
  const balance = async (): Promise<number> => {
    const headers = { "x-api-signature-sha256": USER.secret };
    const { body } = await gateway.call(`/account/users/${USER.id}/balance`, { headers });
    return minor(body.data.balance);
  };
  const before = await balance();
  const created = await createInvoice(gateway, { amount: 1234.56, hook_url: receiver.url });
  assert.equal(created.status, 200, created.text);
  const { id } = created.body.data;
  const issued = await createH2h(gateway, id);
  assert.equal(issued.status, 200, issued.text);
  const { wallet, amount } = issued.body.data;
  const body = { wallet, amount: Number(amount) };
  const arrived = await gateway.call("/sandbox/transfers", { headers: OPERATOR, body });
  assert.deepEqual([arrived.body.data.state, arrived.body.data.invoice_id], ["matched", id]);
  const info = await gateway.call(`/invoice/info?shop_id=${SHOP.id}&invoice_id=${id}`, {
    headers: { "x-api-key": SHOP.key },
  });
  const { status, credited, commission_amount: fee } = info.body.data;
  assert.equal(status, "success", info.text);
  assert.equal(minor(credited), minor(Number(amount)) - minor(fee), info.text);
  assert.equal(await balance(), before + minor(credited));
  const deadline = performance.now() + TOLD_WITHIN_MS;
  const isTold = (): boolean => receiver.received.some((one) => one.raw.includes(id));
  while (!isTold()) {
    assert.ok(performance.now() < deadline, "the shop was not told of its payment");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
