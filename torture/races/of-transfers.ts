// Races for one transfer or one payment: told twice, against the end of details or of an invoice, and
// two operators with the same money.

import assert from "node:assert/strict";
import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import type { Job } from "../../src/platform/job.ts";
import { SHOP } from "../../test/cast.ts";
import type { Order } from "../../test/orders.ts";
import { accepted } from "../accepted.ts";
import type { Random } from "../random.ts";
import { oneAccepted, type Pair, type Race, race, SYMMETRIC, several } from "./pair.ts";
import { REASON, type Scene } from "./scene.ts";

async function timesBooked({ sql }: Scene, transferId: string): Promise<number> {
  const rows = await sql("select from ledger_postings where source_id = $1", [transferId]);
  return rows.length;
}

const toldTwice: Pair = {
  ...SYMMETRIC,
  name: "transfer ‖ same transfer",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const { id, wallet, amount } = await scene.trade.order({ amount: scene.amount() });
      const body = { wallet, amount, reference: `for ${id}` };
      return race({
        left: () => scene.own.ask("transfers", body),
        right: () => scene.other.ask("transfers", body),
        async judge(left, right) {
          const { fresh, ...transfer } = accepted(left);
          assert.deepEqual({ ...transfer, fresh: !fresh }, accepted(right));
          assert.equal(transfer.state, "matched");
          assert.equal(await timesBooked(scene, transfer.transfer_id), 1);
          const audits = await scene.sql<{ was_new: boolean }>(
            `select before::text is null as was_new from audit_log
             where subject = $1 order by 1`,
            [transfer.transfer_id],
          );
          assert.deepEqual(
            audits.map((row) => row.was_new),
            [false, true],
            "one call has added it, the other has changed nothing",
          );
          return `${scene.makerOf(transfer.transfer_id)} first`;
        },
      });
    }),
};

const paidTwice: Pair = {
  ...SYMMETRIC,
  name: "transfer ‖ another transfer for the same payment",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const { id, wallet, amount } = await scene.trade.order({ amount: scene.amount() });
      const body = (side: string) => ({ wallet, amount, reference: `${side} for ${id}` });
      return race({
        left: () => scene.own.ask("transfers", body("left")),
        right: () => scene.other.ask("transfers", body("right")),
        async judge(left, right) {
          const states = [accepted(left).state, accepted(right).state];
          assert.deepEqual(states.toSorted(), ["matched", "suspense"]);
          return states[0] === "matched" ? "left first" : "right first";
        },
      });
    }),
};

interface Fate {
  readonly invoice: string;
  readonly payment: string;
  readonly late: boolean | null;
  readonly told: readonly string[];
}

async function fateOf({ sql }: Scene, { id, paymentId }: Order): Promise<Fate | undefined> {
  const [row] = await sql<Fate>(
    `select invoice.state as invoice, payment.state as payment, payment.late,
            coalesce((select array_agg(body::json ->> 'status' order by sequence) from events
                      where invoice_id = invoice.id), '{}') as told
     from invoices invoice join payments payment on payment.invoice_id = invoice.id
     where invoice.id = $1 and payment.id = $2`,
    [id, paymentId],
  );
  return row;
}

interface Deadline {
  readonly name: string;
  readonly job: Job;
  /** What an order is made with, and after how long the job ends it. */
  readonly order: Readonly<Record<string, unknown>>;
  readonly seconds: number;
  /** How it stands when it was ended and no money was booked. */
  readonly ended: Fate;
  /** What the shop had been told when money came after that. */
  readonly toldBefore: readonly string[];
}

/**
 * Money that comes at the very end. The job says how many it ended: where it is none, the money was
 * first. In half of the races the gateway with the money has a clock that is a second behind, so that
 * for it the money is still in time; and half of the shops hold what is late.
 */
function againstTheEnd(deadline: Deadline): Pair {
  return {
    name: `transfer ‖ ${deadline.name}`,
    orders: ["money first", "end first"],
    leadMs: 3.5,
    inCrowds: false,
    prepare: (scene, count, random) =>
      several(count, (index) => moneyAtTheEnd(scene, deadline, random.branch(index))),
  };
}

async function moneyAtTheEnd(scene: Scene, deadline: Deadline, random: Random): Promise<Race> {
  const { left, right } = scene;
  const holds = random.chance(0.5);
  const isBehind = random.chance(0.5);
  const shop = holds ? scene.holdShop : SHOP;
  const changes = { amount: scene.amount(), ...deadline.order };
  const order = await scene.trade.order(changes, shop);
  const end = new Date(scene.clock.now().getTime() + deadline.seconds * 1000);
  const { id, wallet, amount } = order;
  return race({
    ready() {
      scene.reach(end);
      left.app.clock.setOffset(isBehind ? -1 : 0);
    },
    left: () => scene.own.ask("transfers", { wallet, amount, reference: `for ${id}` }),
    right: () => deadline.job.run(right.app),
    async judge(transfer, ended) {
      left.app.clock.setOffset(0);
      assert.ok(ended === 0 || ended === 1, `the job has ended ${ended} instead of one`);
      // What the job had to leave alone it ends in its next run, unless it was paid.
      const endedLater = await deadline.job.run(right.app);
      // By the clock of whoever was told, the money was in time, also where the end came first.
      const late = !isBehind;
      const isBooked = !(late && holds);
      assert.equal(accepted(transfer).state, isBooked ? "matched" : "suspense");
      assert.equal(endedLater, ended === 0 && !isBooked ? 1 : 0);
      const told = [...(ended === 1 ? deadline.toldBefore : []), "success"];
      const paid = { invoice: "paid", payment: "paid", late, told };
      assert.deepEqual(await fateOf(scene, order), isBooked ? paid : deadline.ended);
      return ended === 1 ? "end first" : "money first";
    },
  });
}

const expiry = againstTheEnd({
  name: "expiry",
  job: expireInvoicesJob,
  ...{ order: { expire: 15 }, seconds: 15 * 60 },
  ended: { invoice: "expired", payment: "live", late: null, told: ["expired"] },
  toldBefore: ["expired"],
});

const lapse = againstTheEnd({
  name: "lapse",
  job: lapsePaymentsJob,
  ...{ order: {}, seconds: 20 * 60 },
  ended: { invoice: "pending", payment: "lapsed", late: null, told: [] },
  toldBefore: [],
});

/** Money that came with a wrong amount: it waits for an operator. */
async function strayTransfer(scene: Scene, order: Order): Promise<string> {
  const amount = 700_000 + scene.amount();
  const { transfer_id, state } = await scene.trade.pay(order, { amount });
  assert.equal(state, "suspense");
  return transfer_id;
}

const order = (scene: Scene): Promise<Order> => scene.trade.order({ amount: scene.amount() });

const twoPayments: Pair = {
  ...SYMMETRIC,
  name: "assign ‖ assign to another payment",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const [one, two] = [await order(scene), await order(scene)];
      const transfer = await strayTransfer(scene, one);
      const path = `transfers/${transfer}/assign`;
      return race({
        left: () => scene.own.ask(path, { payment_id: one.paymentId, reason: REASON }),
        right: () => scene.other.ask(path, { payment_id: two.paymentId, reason: REASON }),
        async judge(left, right) {
          const winner = oneAccepted(left, right, "transfer_settled");
          const fates = [await fateOf(scene, one), await fateOf(scene, two)];
          const invoices = fates.map((fate) => fate?.invoice);
          assert.deepEqual(invoices, winner === "left" ? ["paid", "pending"] : ["pending", "paid"]);
          assert.equal(await timesBooked(scene, transfer), 2, "into suspense and out of it");
          assert.equal(await scene.audits(transfer), 2, "added, and assigned once");
          return `${winner} first`;
        },
      });
    }),
};

const twoTransfers: Pair = {
  ...SYMMETRIC,
  name: "assign ‖ assign of another transfer",
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const one = await order(scene);
      const transfers = [await strayTransfer(scene, one), await strayTransfer(scene, one)];
      const body = { payment_id: one.paymentId, reason: REASON };
      return race({
        left: () => scene.own.ask(`transfers/${transfers[0]}/assign`, body),
        right: () => scene.other.ask(`transfers/${transfers[1]}/assign`, body),
        async judge(left, right) {
          const winner = oneAccepted(left, right, "payment_not_payable");
          const booked = transfers.map((transfer) => timesBooked(scene, transfer));
          assert.deepEqual(await Promise.all(booked), winner === "left" ? [2, 1] : [1, 2]);
          return `${winner} first`;
        },
      });
    }),
};

const assignedOrReturned: Pair = {
  ...SYMMETRIC,
  name: "assign ‖ return",
  orders: ["assigned", "returned"],
  inCrowds: true,
  prepare: (scene, count) =>
    several(count, async () => {
      const one = await order(scene);
      const transfer = await strayTransfer(scene, one);
      const body = { payment_id: one.paymentId, reason: REASON };
      return race({
        left: () => scene.own.ask(`transfers/${transfer}/assign`, body),
        right: () => scene.other.ask(`transfers/${transfer}/return`, { reason: REASON }),
        async judge(left, right) {
          const assigned = oneAccepted(left, right, "transfer_settled") === "left";
          const fate = await fateOf(scene, one);
          assert.equal(fate?.invoice, assigned ? "paid" : "pending");
          assert.equal(await timesBooked(scene, transfer), 2, "into suspense and out of it");
          assert.equal(await scene.audits(transfer), 2, "added, and settled once");
          return assigned ? "assigned" : "returned";
        },
      });
    }),
};

export const TRANSFER_PAIRS: readonly Pair[] = [
  ...[toldTwice, paidTwice, expiry, lapse, twoPayments, twoTransfers, assignedOrReturned],
];
