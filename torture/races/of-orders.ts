// Races of merchants: the same order twice, details asked for twice, two orders and one free slot.

import assert from "node:assert/strict";
import { createH2h, createInvoice, invoiceBody, SHOP } from "../../test/cast.ts";
import { accepted } from "../accepted.ts";
import { assertRefused, oneAccepted, type Pair, race, SYMMETRIC, several } from "./pair.ts";
import { NARROW, NARROW_REQUISITE, type Scene } from "./scene.ts";

const HEADERS = { "x-api-key": SHOP.key };

async function invoicesOf({ sql }: Scene, orderId: unknown) {
  return sql<{ id: string; amount_minor: bigint }>(
    "select id, amount_minor from invoices where shop_id = $1 and order_id = $2",
    [SHOP.id, orderId],
  );
}

const sameOrder: Pair = {
  ...SYMMETRIC,
  name: "create ‖ same create",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const body = invoiceBody({ amount: scene.amount() });
      return race({
        left: () => scene.left.call("/invoice/create", { body, headers: HEADERS }),
        right: () => scene.right.call("/invoice/create", { body, headers: HEADERS }),
        async judge(left, right) {
          assert.deepEqual(accepted(left), accepted(right));
          const rows = await invoicesOf(scene, body["order_id"]);
          assert.deepEqual(
            rows.map(({ id }) => id),
            [accepted(left).id],
          );
          return `${scene.makerOf(accepted(left).id)} first`;
        },
      });
    }),
};

const otherContent: Pair = {
  ...SYMMETRIC,
  name: "create ‖ create of other content",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const body = invoiceBody({ amount: scene.amount() });
      const changed = { ...body, amount: scene.amount() };
      return race({
        left: () => scene.left.call("/invoice/create", { body, headers: HEADERS }),
        right: () => scene.right.call("/invoice/create", { body: changed, headers: HEADERS }),
        async judge(left, right) {
          const winner = oneAccepted(left, right, "order_id_taken");
          const { amount } = winner === "left" ? body : changed;
          const { id } = accepted(winner === "left" ? left : right);
          const rows = await invoicesOf(scene, body["order_id"]);
          assert.deepEqual(rows, [{ id, amount_minor: BigInt(Number(amount) * 100) }]);
          assert.equal(scene.makerOf(id), winner);
          return `${winner} first`;
        },
      });
    }),
};

interface PaymentRow {
  readonly id: string;
  readonly state: string;
  readonly to_pay_minor: bigint;
}

function paymentsOf({ sql }: Scene, invoiceIds: readonly string[]): Promise<PaymentRow[]> {
  return sql<PaymentRow>(
    `select id, state, to_pay_minor from payments
     where invoice_id = any($1::uuid[]) order by state`,
    [invoiceIds],
  );
}

async function newInvoice(scene: Scene, amount: number, shop = SHOP): Promise<string> {
  return accepted(await createInvoice(scene.left, { amount }, shop)).id;
}

const sameDetails: Pair = {
  ...SYMMETRIC,
  name: "h2h ‖ same h2h",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const id = await newInvoice(scene, scene.amount());
      return race({
        left: () => createH2h(scene.left, id),
        right: () => createH2h(scene.right, id),
        async judge(left, right) {
          assert.deepEqual(accepted(left), accepted(right));
          const [payment, ...more] = await paymentsOf(scene, [id]);
          assert.deepEqual([payment?.state, more], ["live", []]);
          return `${scene.makerOf(payment?.id ?? "")} first`;
        },
      });
    }),
};

const otherBank: Pair = {
  ...SYMMETRIC,
  name: "h2h ‖ h2h at another bank",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const id = await newInvoice(scene, scene.amount());
      return race({
        left: () => createH2h(scene.left, id),
        right: () => createH2h(scene.right, id, NARROW),
        async judge(left, right) {
          accepted(left);
          accepted(right);
          // By their states: the second details have replaced the first.
          const rows = await paymentsOf(scene, [id]);
          assert.deepEqual(
            rows.map(({ state }) => state),
            ["lapsed", "live"],
          );
          const [lapsed] = rows;
          return `${scene.makerOf(lapsed?.id ?? "")} first`;
        },
      });
    }),
};

const lastSlot: Pair = {
  ...SYMMETRIC,
  name: "h2h ‖ h2h of another invoice for the last slot",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const { exactShop } = scene;
      const amount = scene.amount();
      const ids = [
        await newInvoice(scene, amount, exactShop),
        await newInvoice(scene, amount, exactShop),
      ];
      return race({
        left: () => createH2h(scene.left, ids[0], NARROW, exactShop),
        right: () => createH2h(scene.right, ids[1], NARROW, exactShop),
        async judge(left, right) {
          const winner = oneAccepted(left, right, "no_requisite");
          const [payment, ...more] = await paymentsOf(scene, ids);
          assert.deepEqual([payment?.state, more], ["live", []]);
          assert.equal(scene.makerOf(payment?.id ?? ""), winner);
          return `${winner} first`;
        },
      });
    }),
};

/** Amounts of their own, but the card may have one more payment under way. */
const lastPlace: Pair = {
  ...SYMMETRIC,
  name: "h2h ‖ h2h of another invoice for the last place",
  inCrowds: false,
  prepare: (scene, count) =>
    several(count, async () => {
      const ids = [
        await newInvoice(scene, scene.amount()),
        await newInvoice(scene, scene.amount()),
      ];
      const allow = (more: number): Promise<unknown> =>
        scene.sql(
          "update requisite_usage set max_live_payments = live_payments + $2 where requisite_id = $1",
          [NARROW_REQUISITE, more],
        );
      return race({
        ready: async () => void (await allow(1)),
        left: () => createH2h(scene.left, ids[0], NARROW),
        right: () => createH2h(scene.right, ids[1], NARROW),
        async judge(left, right) {
          await allow(1_000);
          const winner = oneAccepted(left, right, "no_requisite");
          const [payment, ...more] = await paymentsOf(scene, ids);
          assert.deepEqual([payment?.state, more], ["live", []]);
          return `${winner} first`;
        },
      });
    }),
};

const nextSlot: Pair = {
  ...SYMMETRIC,
  name: "h2h ‖ h2h of another invoice for one amount",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const amount = scene.amount();
      const ids = [await newInvoice(scene, amount), await newInvoice(scene, amount)];
      return race({
        left: () => createH2h(scene.left, ids[0], NARROW),
        right: () => createH2h(scene.right, ids[1], NARROW),
        async judge(left, right) {
          const [leftSum, rightSum] = [left, right].map((one) => Number(accepted(one).amount));
          const base = Math.round(amount * 102);
          const sums = [leftSum, rightSum].map((sum) => Math.round((sum ?? 0) * 100));
          assert.deepEqual(sums.toSorted(), [base, base + 1], "one of them has to be nudged");
          return sums[0] === base ? "left first" : "right first";
        },
      });
    }),
};

const paidMeanwhile: Pair = {
  name: "h2h at another bank ‖ transfer for the first details",
  orders: ["details first", "money first"],
  leadMs: 0,
  inCrowds: false,
  prepare: (scene, count) =>
    several(count, async () => {
      const order = await scene.trade.order({ amount: scene.amount() });
      const { wallet, amount, id } = order;
      return race({
        left: () => createH2h(scene.left, id, NARROW),
        right: () => scene.other.ask("transfers", { wallet, amount, reference: `for ${id}` }),
        async judge(details, transfer) {
          const { state, payment_id } = accepted(transfer);
          assert.deepEqual([state, payment_id], ["matched", order.paymentId]);
          const states = (await paymentsOf(scene, [id])).map((payment) => payment.state);
          if (details.status === 200) {
            assert.deepEqual(states, ["live", "paid"]);
            return "details first";
          }
          assertRefused(details, "invoice_paid");
          assert.deepEqual(states, ["paid"]);
          return "money first";
        },
      });
    }),
};

export const ORDER_PAIRS: readonly Pair[] = [
  ...[sameOrder, otherContent, sameDetails, otherBank],
  ...[lastSlot, lastPlace, nextSlot, paidMeanwhile],
];
