// Races of processes for the same work: one job twice, one event for two deliverers.

import assert from "node:assert/strict";
import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import { deliverDue } from "../../src/features/webhooks/deliver-events.job.ts";
import type { Job } from "../../src/platform/job.ts";
import type { Order } from "../../test/orders.ts";
import { type Pair, race, SYMMETRIC, several } from "./pair.ts";
import { FREEZE_SECONDS, type Scene } from "./scene.ts";

interface Work {
  readonly job: Job;
  /** What falls due by itself, and after how long. */
  begin(scene: Scene): Promise<Order>;
  readonly seconds: number;
  /** How often it was done, as a count of rows. */
  readonly done: string;
}

function sameJob({ job, begin, seconds, done }: Work): Pair {
  return {
    ...SYMMETRIC,
    name: `${job.name} ‖ ${job.name}`,
    inCrowds: false,
    prepare: (scene, count) =>
      several(count, async () => {
        const { id, paymentId } = await begin(scene);
        const dueAt = new Date(scene.clock.now().getTime() + seconds * 1000);
        return race({
          ready: () => scene.reach(dueAt),
          left: () => job.run(scene.left.app),
          right: () => job.run(scene.right.app),
          async judge(left, right) {
            assert.deepEqual([left, right].toSorted(), [0, 1]);
            const rows = await scene.sql(done, [id, paymentId]);
            assert.equal(rows.length, 1, "done once");
            return left === 1 ? "left first" : "right first";
          },
        });
      }),
  };
}

const begin = (scene: Scene, changes = {}): Promise<Order> =>
  scene.trade.order({ amount: scene.amount(), ...changes });

const release = sameJob({
  job: releaseFreezesJob,
  ...{ begin: (scene) => scene.paid({ amount: scene.amount() }), seconds: FREEZE_SECONDS },
  done: `select from ledger_postings posting, invoices invoice
         where posting.kind = 'freeze_over' and posting.source_id = $2 and invoice.id = $1`,
});

const expire = sameJob({
  job: expireInvoicesJob,
  ...{ begin: (scene) => begin(scene, { expire: 15 }), seconds: 15 * 60 },
  done: `select from events, payments payment
         where events.invoice_id = $1 and payment.id = $2 and body::json ->> 'status' = 'expired'`,
});

const lapse = sameJob({
  job: lapsePaymentsJob,
  ...{ begin, seconds: 20 * 60 },
  done: "select from payments where invoice_id = $1 and id = $2 and state = 'lapsed'",
});

const deliver: Pair = {
  ...SYMMETRIC,
  name: "deliver-events ‖ deliver-events",
  inCrowds: false,
  prepare: (scene, count) =>
    several(count, async () => {
      const { receiver } = scene;
      const changes = { amount: scene.amount(), hook_url: receiver.url };
      const order = await scene.trade.order(changes);
      return race({
        ready: () => scene.trade.pay(order),
        left: () => deliverDue(scene.left.app),
        right: () => deliverDue(scene.right.app),
        async judge(left, right) {
          assert.deepEqual([left, right].toSorted(), [0, 1]);
          const rows = await scene.sql<{ id: string; state: string; attempts: number }>(
            "select id, state, attempts from events join event_states on event_id = id where invoice_id = $1",
            [order.id],
          );
          const [event, ...more] = rows;
          assert.deepEqual([event?.state, event?.attempts, more], ["delivered", 1, []]);
          const heard = receiver.received.filter(({ body }) => body.event_id === event?.id);
          assert.equal(heard.length, 1, "the shop has heard of it once");
          return left === 1 ? "left first" : "right first";
        },
      });
    }),
};

export const WORKER_PAIRS: readonly Pair[] = [release, expire, lapse, deliver];
