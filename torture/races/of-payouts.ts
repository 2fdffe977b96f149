// Races for money that leaves once: two who ask for the same money, a cancel against who takes it, two who take
// it, an answer against the end of its time, two who approve.

import { endHoldsJob } from "../../src/features/payouts/end-holds.job.ts";
import { endLeasesJob } from "../../src/features/payouts/end-leases.job.ts";
import { manage } from "../../test/manage.ts";
import { DAY, MINUTE } from "../../test/orders.ts";
import { payoutBody } from "../../test/payouts.ts";
import { accepted } from "../accepted.ts";
import { type Act, type Given, mirrored, no, type Race } from "./race.ts";
import { FREEZE_SECONDS, type Scene } from "./scene.ts";

const reason = "a race";

/** What the actors need to know of whoever has the money. */
interface Rich {
  readonly userId: string;
  readonly secret: string;
  /** The operator beside the usual one. */
  readonly other: string;
  readonly invoiceId: string;
  readonly available: number;
}

const richOf = ({ more }: Given): Rich => more as Rich;

/** A user with one credit, free to leave. */
async function rich(scene: Scene, amount = scene.amount()): Promise<Given> {
  const { shop, user } = await scene.newMerchant();
  const order = await scene.trade.order({ amount }, shop);
  accepted(
    await manage(scene.left).ask("transfers", {
      ...{ wallet: order.wallet, amount: order.amount, reference: order.id },
    }),
  );
  await scene.pass(FREEZE_SECONDS);
  const [row] = await scene.db.query<{ available: number }>(
    "select available_minor::integer as available from ledger_balances where user_id = $1",
    [user.id],
  );
  const more: Rich = {
    ...{ userId: user.id, secret: user.secret, other: scene.otherToken },
    ...{ invoiceId: order.id, available: row?.available ?? 0 },
  };
  return { ids: [user.id], more };
}

const ask = (at: Parameters<Act>[0], { userId, secret }: Rich, changes: object) => {
  const headers = { "x-api-signature-sha256": secret };
  return at.call("/payoff/create", { headers, body: payoutBody({ user_id: userId, ...changes }) });
};

/** A payout of that user, which stands in line or is held. */
async function asked(scene: Scene, amount?: number, wish = 100): Promise<Given> {
  const given = await rich(scene, amount);
  const { payoff_id } = accepted(await ask(scene.left, richOf(given), { amount: wish }));
  return { ...given, ids: [payoff_id] };
}

/** What others have left lying is over first: each job ends this one alone. */
async function taken(scene: Scene): Promise<Given> {
  const given = await asked(scene);
  scene.clock.advance(30 * MINUTE);
  await scene.left.work([endLeasesJob]);
  accepted(await manage(scene.left).ask(`payouts/${given.ids[0]}/take`, {}));
  return given;
}

const create =
  (part: number, changes: object = {}): Act =>
  (at, given) => {
    const one = richOf(given);
    return ask(at, one, { amount: Math.floor(one.available * part) / 100, ...changes });
  };
const refund: Act = (at, given) => {
  const { invoiceId: invoice_id, available } = richOf(given);
  return manage(at).ask("refunds", {
    invoice_id,
    amount: Math.floor(available * 0.6) / 100,
    reason,
  });
};
const cancel: Act = (at, given) => {
  const { userId: user_id, secret } = richOf(given);
  const headers = { "x-api-signature-sha256": secret };
  return at.call("/payoff/cancel", { headers, body: { user_id, id: given.ids[0] } });
};
/** By the usual operator or by the other one. */
const act =
  (verb: string, body: object = {}, who: "one" | "other" = "one"): Act =>
  (at, given) =>
    manage(at, ...(who === "one" ? [] : [richOf(given).other])).ask(
      `payouts/${given.ids[0]}/${verb}`,
      body,
    );
const run =
  (job: typeof endLeasesJob): Act =>
  ({ app }) =>
    job.run(app);

/** Who has made a user's payouts; whether no more is set aside than they say, and nothing was lost. */
const OF_USER = `select payout.id,
    (select reserved_minor = (select sum(withdraw_minor) from payouts where user_id = balance.user_id)
       and available_minor >= 0 from ledger_balances balance where user_id = payout.user_id) as fits
  from payouts payout where user_id = any($1::uuid[])`;

/** How it stands, how many attempts, postings and events it has, and whether the audit log has each change. */
const STANDING = `select state, attempts,
    (select string_agg(kind, ' ' order by kind) from ledger_postings where source_id = payout.id) as posted,
    (select count(*) from events where payout_id = payout.id) as events
  from payouts payout where id = any($1::uuid[])`;

const moved = (state: string) => no("payout_cannot_move", { state });

export const PAYOUT_RACES: readonly Race[] = [
  {
    name: "payout ‖ same payout",
    given: rich,
    acts: [create(0.5, { order_id: "one" }), create(0.5, { order_id: "one" })],
    books: OF_USER,
    outcomes: mirrored(["same", "same"], ["left true"]),
  },
  {
    name: "payout ‖ same order, other wallet",
    given: rich,
    acts: [
      create(0.2, { order_id: "one" }),
      create(0.2, { order_id: "one", wallet_to: "2200000000000301" }),
    ],
    books: OF_USER,
    outcomes: mirrored(["ok", no("payout_order_taken")], ["left true"]),
  },
  {
    name: "payout ‖ payout, together beyond the balance",
    given: rich,
    acts: [create(0.6), create(0.6)],
    books: OF_USER,
    outcomes: mirrored(["ok", no("balance_too_small")], ["left true"]),
  },
  {
    name: "payout ‖ refund of the same money",
    given: rich,
    acts: [create(0.6), refund],
    books: OF_USER,
    outcomes: {
      "payout first": [["ok", no("balance_too_small")], ["left true"]],
      "refund first": [[no("balance_too_small"), "ok"], []],
    },
  },
  {
    name: "cancel ‖ take",
    given: asked,
    acts: [cancel, act("take")],
    books: STANDING,
    outcomes: {
      "cancel first": [["ok", moved("canceled")], ["canceled 0 payout_released payout_reserved 1"]],
      "take first": [[moved("sending"), "ok"], ["sending 1 payout_reserved 0"]],
    },
  },
  {
    name: "take ‖ take by another",
    given: asked,
    acts: [act("take"), act("take", {}, "other")],
    books: STANDING,
    outcomes: mirrored(["ok", no("payout_taken")], ["sending 1 payout_reserved 0"]),
  },
  {
    name: "sent ‖ end of its time",
    given: taken,
    ready: ({ clock }) => clock.advance(30 * MINUTE),
    acts: [
      (at, given, scene) =>
        act("sent", { bank_reference: `race ${given.ids[0]}` })(at, given, scene),
      run(endLeasesJob),
    ],
    books: STANDING,
    outcomes: {
      "sent first": [["ok", "0"], ["done 1 payout_done payout_reserved 1"]],
      "end first": [["ok", "1"], ["done 1 payout_done payout_reserved 1"]],
    },
  },
  {
    name: "sent ‖ sent by another receipt",
    given: taken,
    acts: [
      (at, given, scene) => act("sent", { bank_reference: `a ${given.ids[0]}` })(at, given, scene),
      (at, given, scene) => act("sent", { bank_reference: `b ${given.ids[0]}` })(at, given, scene),
    ],
    books: STANDING,
    outcomes: mirrored(["ok", moved("done")], ["done 1 payout_done payout_reserved 1"]),
  },
  {
    name: "approve ‖ cancel",
    given: (scene) => asked(scene, 70_000, 60_000),
    acts: [act("approve"), cancel],
    books: STANDING,
    outcomes: {
      "approved first": [["ok", "ok"], ["canceled 0 payout_released payout_reserved 1"]],
      "canceled first": [
        [moved("canceled"), "ok"],
        ["canceled 0 payout_released payout_reserved 1"],
      ],
    },
  },
  {
    name: "approve ‖ approve by another",
    given: (scene) => asked(scene, 70_000, 60_000),
    acts: [act("approve"), act("approve", {}, "other")],
    books: STANDING,
    outcomes: mirrored(["ok", moved("queued")], ["queued 0 payout_reserved 0"]),
  },
  {
    name: "approve ‖ end of the wait",
    given: (scene) => asked(scene, 70_000, 60_000),
    ready: ({ clock }) => clock.advance(3 * DAY),
    acts: [act("approve"), run(endHoldsJob)],
    books: STANDING,
    outcomes: {
      "approved first": [["ok", "0"], ["queued 0 payout_reserved 0"]],
      "end first": [[moved("canceled"), "1"], ["canceled 0 payout_released payout_reserved 1"]],
    },
  },
  {
    name: "return ‖ return",
    async given(scene) {
      const given = await taken(scene);
      const bank_reference = `race ${given.ids[0]}`;
      accepted(await manage(scene.left).ask(`payouts/${given.ids[0]}/sent`, { bank_reference }));
      return given;
    },
    acts: [act("return", { reason }), act("return", { reason })],
    books: STANDING,
    outcomes: mirrored(
      ["ok", moved("returned")],
      ["returned 1 payout_done payout_reserved payout_returned 2"],
    ),
  },
];
