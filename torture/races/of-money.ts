// Races for money that is there once: two refunds, and a refund of what is just being set free.

import assert from "node:assert/strict";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { accepted } from "../accepted.ts";
import { assertRefused, oneAccepted, type Pair, race, SYMMETRIC, several } from "./pair.ts";
import { FREEZE_SECONDS, REASON, type Scene } from "./scene.ts";

async function refundsOf({ sql }: Scene, invoiceIds: readonly string[]): Promise<bigint> {
  const [row] = await sql<{ minor: bigint }>(
    `select coalesce(sum(refund.amount_minor), 0)::bigint as minor
     from refunds refund join payments payment on payment.id = refund.payment_id
     where payment.invoice_id = any($1::uuid[])`,
    [invoiceIds],
  );
  return row?.minor ?? 0n;
}

const releaseAll = async ({ clock, left }: Scene): Promise<void> => {
  clock.advance(FREEZE_SECONDS);
  await left.work([releaseFreezesJob]);
};

/** Each of more than half of what was credited. */
const beyondTheCredit: Pair = {
  ...SYMMETRIC,
  name: "refund ‖ refund of the same invoice",
  inCrowds: true,
  async prepare(scene, count) {
    const paid = await several(count, async () => {
      const amount = scene.amount();
      return { ...(await scene.paid({ amount })), refund: amount * 0.6 };
    });
    await releaseAll(scene);
    return paid.map(({ id, refund }) => {
      const body = { invoice_id: id, amount: Math.round(refund * 100) / 100, reason: REASON };
      return race({
        left: () => scene.own.ask("refunds", body),
        right: () => scene.other.ask("refunds", body),
        async judge(left, right) {
          const winner = left.status === 200 ? left : right;
          const [payment] = await scene.sql<{ left_minor: bigint }>(
            `select credited_minor - refunded_minor as left_minor from payments
             where invoice_id = $1 and state = 'paid'`,
            [id],
          );
          const limit = (Number(payment?.left_minor) / 100).toFixed(2);
          accepted(winner);
          assertRefused(winner === left ? right : left, "refund_too_large", { limit });
          assert.equal(await refundsOf(scene, [id]), BigInt(Math.round(body.amount * 100)));
          assert.equal(await scene.audits(id), 1);
          return winner === left ? "left first" : "right first";
        },
      });
    });
  },
};

/** One refund, asked for by two who both have got no answer. */
const sameReference: Pair = {
  ...SYMMETRIC,
  name: "refund ‖ same refund",
  inCrowds: true,
  async prepare(scene, count) {
    const paid = await several(count, () => scene.paid({ amount: scene.amount() }));
    await releaseAll(scene);
    return paid.map(({ id }) => {
      const body = { invoice_id: id, amount: 1, reason: REASON, reference: "ticket 17" };
      return race({
        left: () => scene.own.ask("refunds", body),
        right: () => scene.other.ask("refunds", body),
        async judge(left, right) {
          const refund = accepted(left);
          assert.deepEqual(refund, accepted(right));
          assert.equal(await refundsOf(scene, [id]), 100n);
          assert.equal(await scene.audits(id), 2);
          return `${scene.makerOf(refund.refund_id)} first`;
        },
      });
    });
  },
};

/** Two paid invoices whose credits are frozen, and free money of the user's for one of them. */
const beyondTheBalance: Pair = {
  ...SYMMETRIC,
  name: "refund ‖ refund from one balance",
  inCrowds: true,
  async prepare(scene, count) {
    const merchants = await several(count, async () => {
      const merchant = await scene.merchant();
      const amount = scene.amount();
      await scene.paid({ amount }, merchant.shop);
      return { ...merchant, amount };
    });
    await releaseAll(scene);
    return several(count, async (index) => {
      const { userId, shop, amount } = merchants[index] ?? assert.fail();
      const { id: one } = await scene.paid({ amount }, shop);
      const { id: two } = await scene.paid({ amount }, shop);
      const refund = Math.round(amount * 90) / 100;
      const body = (invoice_id: string) => ({ invoice_id, amount: refund, reason: REASON });
      const before = await scene.available(userId);
      return race({
        left: () => scene.own.ask("refunds", body(one)),
        right: () => scene.other.ask("refunds", body(two)),
        async judge(left, right) {
          const winner = oneAccepted(left, right, "balance_too_small");
          const refundMinor = BigInt(Math.round(refund * 100));
          assert.equal(await scene.available(userId), before - refundMinor);
          assert.equal(await refundsOf(scene, [one, two]), refundMinor);
          return `${winner} first`;
        },
      });
    });
  },
};

/** The user has nothing but the credit that is set free at this moment. */
const whileReleased: Pair = {
  name: "refund ‖ release",
  orders: ["refund first", "release first"],
  leadMs: -1,
  inCrowds: false,
  async prepare(scene, count) {
    return several(count, async () => {
      const { userId, shop } = await scene.merchant();
      const amount = scene.amount();
      const { id } = await scene.paid({ amount }, shop);
      const freeAt = new Date(scene.clock.now().getTime() + FREEZE_SECONDS * 1000);
      const body = { invoice_id: id, amount, reason: REASON };
      const [row] = await scene.sql<{ minor: bigint }>(
        "select credited_minor as minor from payments where invoice_id = $1 and state = 'paid'",
        [id],
      );
      const credited = row?.minor ?? 0n;
      return race({
        ready: () => scene.reach(freeAt),
        left: () => scene.own.ask("refunds", { ...body, amount: Number(credited) / 100 }),
        right: () => releaseFreezesJob.run(scene.right.app),
        async judge(refund, released) {
          assert.equal(released, 1);
          if (refund.status === 200) {
            assert.equal(await scene.available(userId), 0n);
            assert.equal(await refundsOf(scene, [id]), credited);
            return "release first";
          }
          assertRefused(refund, "balance_too_small");
          assert.equal(await scene.available(userId), credited);
          assert.equal(await refundsOf(scene, [id]), 0n);
          return "refund first";
        },
      });
    });
  },
};

export const MONEY_PAIRS: readonly Pair[] = [
  ...[beyondTheCredit, sameReference, beyondTheBalance, whileReleased],
];
