// Races for money that is there once: transfers told twice, money against the end of what it is for, two
// operators with the same money, refunds, and each job beside itself.

import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import type { Job } from "../../src/platform/job.ts";
import { type CastShop, cancelInvoice, createH2h, SHOP } from "../../test/cast.ts";
import { manage } from "../../test/manage.ts";
import { DAY, MINUTE } from "../../test/orders.ts";
import { accepted } from "../accepted.ts";
import { type Act, type Given, judgedBy, mirrored, no, type Race, run, untilDone } from "./race.ts";
import { FREEZE_SECONDS, NARROW, type Scene } from "./scene.ts";

const reason = "a race";
/** How it and its details stand, whether its money was late, and what its shop was told. */
const INVOICES = `select invoice.state, payment.state as payment, late,
    (select string_agg(body::json ->> 'status', ' ' order by sequence) from events
     where invoice_id = invoice.id)
  from invoices invoice join payments payment on invoice_id = invoice.id
  where invoice.id = any($1::uuid[])`;
/** Those that name the invoice in their reference; how often each is booked and audited. */
const TRANSFERS = `select id, state,
    (select count(*) from ledger_postings where source_id = transfers.id) as booked,
    (select count(*) from audit_log where subject = transfers.id::text) as audits
  from transfers where left(reference, 36) = any($1::text[]) order by state, reference`;
/** Whether all that was credited is free again but for the one refund. */
const REFUNDS = `select refund.id,
    (select count(*) from audit_log where subject = any($1::text[])) as audits,
    (select available_minor + refund.amount_minor = $2 from ledger_balances
     where user_id = payment.user_id) as fits
  from refunds refund join payments payment on payment.id = refund.payment_id
  where payment.invoice_id = any($1::uuid[])`;

/** An order with its details; what its user is credited with for it where it is paid. */
async function order({ trade, amount }: Scene, changes = {}, shop = SHOP): Promise<Given> {
  const { id, ...made } = await trade.order({ amount: amount(), ...changes }, shop);
  return { ids: [id], shop, wallet: made.wallet, amount: made.amount, more: made.paymentId };
}

async function paid(scene: Scene, shop?: CastShop, changes = {}): Promise<Given> {
  const made = await order(scene, changes, shop);
  await scene.own.post("transfers", { ...line(made), reference: made.ids[0] });
  const [row] = await scene.db.query<{ credited_minor: bigint }>(
    "select credited_minor from payments where id = $1",
    [made.more],
  );
  return { ...made, more: Number(row?.credited_minor) };
}

/** The only money of a user. */
const ownPaid = async (scene: Scene): Promise<Given> => paid(scene, await scene.newShop());
const freePaid = async (scene: Scene): Promise<Given> => {
  const given = await ownPaid(scene);
  await scene.pass(FREEZE_SECONDS);
  return given;
};

const line = ({ wallet, amount }: Given) => ({ wallet, amount });
const transfer =
  (suffix = ""): Act =>
  (at, given) =>
    manage(at).ask("transfers", { ...line(given), reference: `${given.ids[0]}${suffix}` });
const refund =
  (part: number, changes = {}, index = 0): Act =>
  (at, { ids, more }) => {
    const amount = Math.ceil(Number(more) * part) / 100;
    return manage(at).ask("refunds", { invoice_id: ids[index], amount, reason, ...changes });
  };

/**
 * Money that comes at the very end. The job says how many it has ended: none where the money was first.
 * Where the gateway with the money has a clock that is a second behind, the money is in time for it.
 */
function againstTheEnd(job: Job, clock: string, late: string): [name: string, Race] {
  const isExpiry = job === expireInvoicesJob;
  const isBehind = clock === "a second behind";
  const isBooked = isBehind || late === "credited";
  const ended = isExpiry ? "expired live  expired" : "pending lapsed  ";
  const books = (before: string): string =>
    isBooked ? `paid paid ${!isBehind} ${before}success` : ended;
  const told = isBooked ? "new matched" : "new suspense";
  const race: Race = {
    given: (scene) =>
      order(scene, isExpiry ? { expire: 15 } : {}, late === "held" ? scene.holdShop : SHOP),
    ready(scene) {
      scene.clock.advance((isExpiry ? 15 : 20) * MINUTE);
      scene.left.app.clock.setOffset(isBehind ? -1 : 0);
    },
    acts: [transfer(), run(job)],
    after({ left, right }) {
      left.app.clock.setOffset(0);
      // What it had to leave alone it ends in its next run, unless it was paid.
      return job.run(right.app);
    },
    books: INVOICES,
    outcomes: {
      "money first": [[told, "0"], books("")],
      "end first": [[told, "1"], books(isExpiry ? "expired " : "")],
    },
  };
  return [`transfer, clock ${clock}, late money ${late} ‖ ${job.name}`, race];
}

/** Two orders and two transfers with wrong amounts, and two operators, of whom one gets his will. */
function operators(loser: ReturnType<typeof no>, other: Act): Race {
  return {
    async given(scene) {
      const [one, two] = [await order(scene), await order(scene)];
      const stray = { ...line(one), amount: 700_000 + scene.amount() };
      const references = [`${one.ids[0]} 1`, `${one.ids[0]} 2`];
      const items = references.map((reference) => ({ ...stray, reference }));
      const told = await scene.own.post("transfers", { items });
      const transfers = told.items.map((each: { transfer_id: string }) => each.transfer_id);
      return { ids: [...one.ids, ...two.ids], more: { transfers, payments: [one.more, two.more] } };
    },
    acts: [settle(0, 0), other],
    // Into suspense twice, and one of them out of it.
    books: `select count(*) filter (where state = 'matched')
         = (select count(*) from invoices where id = any($1::uuid[]) and state = 'paid') as fits,
        sum((select count(*) from ledger_postings where source_id = transfers.id)) as booked,
        sum((select count(*) from audit_log where subject = transfers.id::text)) as audits
      from transfers where left(reference, 36) = any($1::text[])`,
    outcomes: mirrored(["ok", loser], "true 3 1"),
  };
}

const settle =
  (from: number, to?: number): Act =>
  (at, { more }) => {
    const { transfers, payments } = more as Record<"transfers" | "payments", string[]>;
    const payment_id = to === undefined ? undefined : payments[to];
    const how = to === undefined ? "return" : "assign";
    return manage(at).ask(`transfers/${transfers[from]}/${how}`, { payment_id, reason });
  };

export const MONEY_RACES: Readonly<Record<string, Race>> = {
  "h2h at another bank ‖ transfer for the first details": {
    given: order,
    acts: [(at, { ids }) => createH2h(at, ids[0], NARROW), transfer()],
    books: "select state from payments where invoice_id = any($1::uuid[]) order by state",
    outcomes: {
      "details first": [["ok", "new matched"], "live, paid"],
      "money first": [[no("invoice_paid"), "new matched"], "paid"],
    },
  },
  "cancel ‖ transfer": {
    given: order,
    acts: [(at, { ids }) => cancelInvoice(at, ids[0]), transfer()],
    books: INVOICES,
    outcomes: {
      "cancel first": [["ok", "new suspense"], "failed lapsed  fail"],
      "money first": [[no("invoice_paid"), "new matched"], "paid paid false success"],
    },
  },
  ...judgedBy(TRANSFERS, {
    "transfer ‖ another transfer for the same payment": {
      given: order,
      acts: [transfer(" left"), transfer(" right")],
      outcomes: mirrored(["new matched", "new suspense"], "left matched 1 1, right suspense 1 1"),
    },
    "two transfers in a list ‖ the same ones crosswise": {
      async given(scene) {
        const orders = [await order(scene), await order(scene)];
        const ids = orders.flatMap((one) => one.ids);
        return { ids, more: orders.map((one, n) => ({ ...line(one), reference: ids[n] })) };
      },
      acts: [
        (at, { more }) => manage(at).ask("transfers", { items: more }),
        (at, { more }) => manage(at).ask("transfers", { items: (more as []).toReversed() }),
      ],
      outcomes: mirrored(
        ["new matched,new matched", "matched,matched"],
        "left matched 1 0, left matched 1 0",
      ),
    },
  }),
  "transfer of days before ‖ new holder of the slot": {
    isAlone: true,
    // Paid in time and told days later, at the moment at which somebody else gets the same slot.
    async given(scene) {
      const { exactShop: shop } = scene;
      const amount = scene.amount();
      const first = await scene.invoice(shop, amount);
      const details = accepted(await createH2h(scene.left, first, NARROW, shop));
      const more = scene.clock.now().toISOString();
      await scene.pass(2 * DAY);
      const ids = [first, await scene.invoice(shop, amount)];
      return { ids, shop, wallet: details.wallet, amount: Number(details.amount), more };
    },
    acts: [
      (at, given) => {
        const money = { ...line(given), reference: given.ids[0], made_at: given.more };
        return manage(at).ask("transfers", money);
      },
      (at, { ids, shop }) => createH2h(at, ids[1], NARROW, shop),
    ],
    // Whose transaction was the first to write.
    books: `select case when transfer.xmin::text::bigint < new.xmin::text::bigint then 'money'
              else 'details' end, old.state as old, old.late, new.state
      from transfers transfer, payments old, payments new
      where reference = ($1::text[])[1] and old.invoice_id = ($1::uuid[])[1]
        and new.invoice_id = ($1::uuid[])[2]`,
    outcomes: {
      "money first": [["new matched", "ok"], "money paid false live"],
      "details first": [["new matched", "ok"], "details paid false live"],
    },
  },
  ...Object.fromEntries(
    [expireInvoicesJob, lapsePaymentsJob].flatMap((job) => [
      againstTheEnd(job, "a second behind", "held"),
      againstTheEnd(job, "right", "held"),
      againstTheEnd(job, "right", "credited"),
    ]),
  ),
  "assign ‖ assign to another payment": operators(no("transfer_settled"), settle(0, 1)),
  "assign ‖ assign of another transfer": operators(no("payment_not_payable"), settle(1, 0)),
  "assign ‖ return": operators(no("transfer_settled"), settle(0)),
  ...judgedBy(REFUNDS, {
    "refund ‖ refund, together beyond the credit": {
      given: freePaid,
      acts: [refund(0.6), refund(0.6)],
      outcomes: mirrored(["ok", no("refund_too_large")], "left 1 true"),
    },
    "refund ‖ same refund": {
      given: freePaid,
      acts: [refund(0.5, { reference: "ticket 17" }), refund(0.5, { reference: "ticket 17" })],
      outcomes: mirrored(["same", "same"], "left 1 true"),
    },
    "refund ‖ refund of another invoice from one balance": {
      isAlone: true,
      // Of two invoices whose credits are frozen, and what is free is enough for one of them.
      async given(scene) {
        const { shop, more } = await freePaid(scene);
        const [one, two] = [await paid(scene, shop), await paid(scene, shop)];
        return { ids: [...one.ids, ...two.ids], more };
      },
      acts: [refund(0.9), refund(0.9, {}, 1)],
      outcomes: mirrored(["ok", no("balance_too_small")], "left 1 true"),
    },
    "refund ‖ release of its money": {
      given: ownPaid,
      ready: ({ clock }) => clock.advance(FREEZE_SECONDS),
      // A release that finds the balance held has done nothing, and has its turn again.
      acts: [refund(1), untilDone(releaseFreezesJob)],
      outcomes: {
        "refund first": [[no("balance_too_small"), "1"], ""],
        "release first": [["ok", "1"], "left 1 true"],
      },
    },
  }),
  "release-freezes ‖ release-freezes": {
    given: (scene) => paid(scene),
    ready: ({ clock }) => clock.advance(FREEZE_SECONDS),
    acts: [run(releaseFreezesJob), run(releaseFreezesJob)],
    books: `select count(*) from ledger_postings posting
       join payments payment on payment.id = source_id
       where posting.kind = 'freeze_over' and invoice_id = any($1::uuid[])`,
    outcomes: mirrored(["1", "0"], "1"),
  },
};
