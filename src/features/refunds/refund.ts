// Giving money of a paid invoice back from the user's available balance. The invoice's row is
// locked, so never more goes back than was credited; unproven money does not go back.

import { withoutCard } from "../../domain/card-number.ts";
import { toldText } from "../../domain/dialect.ts";
import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import { refunded } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { countInvoices } from "../invoices/count.ts";
import { invoiceEvent } from "../invoices/event.ts";
import { lockPayable, markRefunded } from "../invoices/queries.ts";
import { countMoney, post } from "../ledger/post.ts";
import { isUnproven, lockAvailable } from "../ledger/queries.ts";
import { addRefunded, lockPayments, paidPaymentOf } from "../payments/queries.ts";
import { recordEvents } from "../webhooks/events.ts";
import { addRefund, type RefundWish, refundOfReference, type StoredRefund } from "./queries.ts";

interface RefundDone {
  readonly id: string;
  /** Whether it was done now, and not by an earlier call with its reference. */
  readonly isFresh: boolean;
}

export async function refundInvoice(tx: Tx, app: App, wish: RefundWish): Promise<RefundDone> {
  const now = app.clock.now();
  const [invoice] = await lockPayable(tx, [wish.invoiceId]);
  if (invoice === undefined) throw new Refusal("invoice_not_found");
  const paymentId = await paidPaymentOf(tx, invoice.id);
  const [payment] = await lockPayments(tx, paymentId === undefined ? [] : [paymentId]);
  if (payment === undefined) throw new Refusal("invoice_not_paid");

  const earlier = await refundMadeEarlier(tx, payment.id, wish);
  if (earlier !== undefined) return { id: earlier.id, isFresh: false };

  const leftMinor = (payment.creditedMinor ?? 0n) - payment.refundedMinor;
  if (wish.amountMinor > leftMinor) {
    throw new Refusal("refund_too_large", { limit: toDecimalText(leftMinor) });
  }
  if (await isUnproven(tx, payment.id)) throw new Refusal("refund_unproven");
  const available = await lockAvailable(tx, invoice.userId, payment.currency);
  if (available < wish.amountMinor) throw new Refusal("balance_too_small");

  const id = app.newId();
  await addRefunded(tx, payment.id, wish.amountMinor);
  await addRefund(tx, { ...wish, id, paymentId: payment.id, shopId: payment.shopId }, now);
  await post(tx, app, [
    refunded({
      sourceId: id,
      currency: payment.currency,
      amountMinor: wish.amountMinor,
      userId: invoice.userId,
    }),
  ]);
  await markRefunded(tx, invoice.id, wish.amountMinor === leftMinor);
  await recordEvents(tx, app, [
    invoiceEvent(invoice, "refund", {
      refund_amount: toDecimalText(wish.amountMinor),
      refund_reason: toldText(invoice.dialect, wish.reason),
      refund_time: momentFormat(app.config.timeZone).text(now),
    }),
  ]);
  tx.onCommit(() => {
    const { id: invoiceId, shopId, state } = invoice;
    const isWhole = wish.amountMinor === leftMinor;
    if (isWhole && state !== "refunded") countInvoices(app, "refunded");
    countMoney(app, "refunded", [{ currency: payment.currency, amountMinor: wish.amountMinor }]);
    const amount = `${toDecimalText(wish.amountMinor)} ${payment.currency}`;
    app.log.info({ refund: id, invoice: invoiceId, shop: shopId, amount }, "refunded");
  });
  return { id, isFresh: true };
}

/** By the wish's own reference; without one every refund is a new one. */
async function refundMadeEarlier(
  tx: Tx,
  paymentId: string,
  { reference, amountMinor, reason }: RefundWish,
): Promise<StoredRefund | undefined> {
  if (reference === undefined) return undefined;
  const earlier = await refundOfReference(tx, paymentId, reference);
  if (earlier === undefined) return undefined;
  const isSame = earlier.amountMinor === amountMinor && withoutCard(earlier.reason) === reason;
  if (!isSame) throw new Refusal("refund_reference_taken");
  return earlier;
}
