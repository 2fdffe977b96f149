// Races for a payout that leaves once: two who take it, an answer against the end of its time, an approval
// against a cancel and the end of the wait. Who asks for the same money at once: test/payout-races.test.ts.

import { endHoldsJob, endLeasesJob } from "../../src/features/payouts/due-payouts.job.ts";
import { manage } from "../../test/manage.ts";
import { DAY, type Merchant, MINUTE } from "../../test/orders.ts";
import { payoutBody } from "../../test/payouts.ts";
import { accepted } from "../accepted.ts";
import { type Act, type Given, judgedBy, mirrored, no, type Race, run } from "./race.ts";
import { FREEZE_SECONDS, type Scene } from "./scene.ts";

/** Whose money it is, with its invoice, and how much is free to leave. */
interface Rich extends Merchant {
  readonly invoice_id: string;
  readonly available: number;
}

const richOf = ({ more }: Given): Rich => more as Rich;

/** A user with one credit. */
async function rich(scene: Scene, amount = scene.amount()): Promise<Given> {
  const { shop, user } = await scene.newMerchant();
  const { id: reference, wallet, amount: paid } = await scene.trade.order({ amount }, shop);
  await scene.own.post("transfers", { wallet, amount: paid, reference });
  await scene.pass(FREEZE_SECONDS);
  const [row] = await scene.db.query<{ available: number }>(
    "select available_minor::integer as available from ledger_balances where user_id = $1",
    [user.id],
  );
  const more: Rich = { ...user, invoice_id: reference, available: row?.available ?? 0 };
  return { ids: [user.id], more };
}

/** As that user. */
const ask = (at: Parameters<Act>[0], { id, secret }: Rich, verb: string, body: object) => {
  const headers = { "x-api-signature-sha256": secret };
  return at.call(`/payoff/${verb}`, { headers, body: { ...body, user_id: id } });
};

/** A payout of that user, which stands in line or is held. */
async function asked(scene: Scene, amount?: number, wish = 100): Promise<Given> {
  const given = await rich(scene, amount);
  const { payoff_id } = accepted(
    await ask(scene.left, richOf(given), "create", payoutBody({ amount: wish })),
  );
  return { ...given, ids: [payoff_id] };
}

const held = (scene: Scene): Promise<Given> => asked(scene, 70_000, 60_000);

/** What others have left lying is over first: each job ends this one alone. */
async function taken(scene: Scene): Promise<Given> {
  const given = await asked(scene);
  scene.clock.advance(30 * MINUTE);
  await scene.left.work([endLeasesJob]);
  await scene.own.post(`payouts/${given.ids[0]}/take`);
  return given;
}

const cancel: Act = (at, given) => ask(at, richOf(given), "cancel", { id: given.ids[0] });
const act =
  (verb: string, body: object = {}): Act =>
  (at, { ids }) =>
    manage(at).ask(`payouts/${ids[0]}/${verb}`, body);
/** By the operator beside the usual one. */
const byAnother =
  (verb: string): Act =>
  (at, { ids }, { otherToken }) =>
    manage(at, otherToken).ask(`payouts/${ids[0]}/${verb}`, {});
const sent =
  (receipt: string): Act =>
  (at, given, scene) =>
    act("sent", { bank_reference: `${receipt} ${given.ids[0]}` })(at, given, scene);

/** How it stands, how many attempts, postings and events it has, and whether the audit log has each change. */
const STANDING = `select state, attempts,
    (select string_agg(kind, ' ' order by kind) from ledger_postings where source_id = payout.id) as posted,
    (select count(*) from events where payout_id = payout.id) as events
  from payouts payout where id = any($1::uuid[])`;
const QUEUED = "queued 0 payout_reserved 0";
const SENDING = "sending 1 payout_reserved 0";
const CANCELED = "canceled 0 payout_released payout_reserved 1";
const DONE = "done 1 payout_done payout_reserved 1";

const moved = (state: string) => no("payout_cannot_move", { state });

export const PAYOUT_RACES: Readonly<Record<string, Race>> = {
  ...judgedBy(STANDING, {
    "take ‖ take by another": {
      given: asked,
      acts: [act("take"), byAnother("take")],
      outcomes: mirrored(["ok", no("payout_taken")], SENDING),
    },
    "sent ‖ end of its time": {
      given: taken,
      ready: ({ clock }) => clock.advance(30 * MINUTE),
      acts: [sent("race"), run(endLeasesJob)],
      outcomes: {
        "sent first": [["ok", "0"], DONE],
        "end first": [["ok", "1"], DONE],
      },
    },
    "sent ‖ sent by another receipt": {
      given: taken,
      acts: [sent("a"), sent("b")],
      outcomes: mirrored(["ok", moved("done")], DONE),
    },
    "approve ‖ cancel": {
      given: held,
      acts: [act("approve"), cancel],
      outcomes: {
        "approved first": [["ok", "ok"], CANCELED],
        "canceled first": [[moved("canceled"), "ok"], CANCELED],
      },
    },
    "approve ‖ end of the wait": {
      given: held,
      ready: ({ clock }) => clock.advance(3 * DAY),
      acts: [act("approve"), run(endHoldsJob)],
      outcomes: {
        "approved first": [["ok", "0"], QUEUED],
        "end first": [[moved("canceled"), "1"], CANCELED],
      },
    },
  }),
};
