// POST /payoff/cancel: a user takes a payout back that nobody has begun to send. Guards that of a cancel and a
// claim at once exactly one wins.

import Type from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { userGate } from "../merchants/principal.ts";
import { payoutName } from "./get-payout-info.endpoint.ts";
import { findPayouts, lockPayouts } from "./queries.ts";
import { movePayouts } from "./settle.ts";
import { PayoutWire, toPayoutWire } from "./wire.ts";

export const cancelPayout = endpoint({
  method: "POST",
  path: "/payoff/cancel",
  summary: "Cancel a payout",
  description:
    "While it is held or queued: what somebody has begun to send cannot be taken back. Repeated, it changes nothing.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object(payoutName),
  data: PayoutWire,
  notFound: "The user has no such payout.",
  problems: "first",
  handle: (app, { principal, input: { payoff_id, id = payoff_id, order_id: orderId } }) =>
    app.db.transaction(async (tx) => {
      if (id === undefined && orderId === undefined) throw new Refusal("payout_id_required");
      const [found] = await findPayouts(tx, [{ userId: principal.id, id, orderId }]);
      const [payout] = found === undefined ? [] : await lockPayouts(tx, [found.id]);
      if (payout === undefined) throw new Refusal("payout_not_found");
      if (payout.state === "canceled") return toPayoutWire(app, payout);
      await movePayouts(tx, app, [{ payout, to: "canceled", error: CANCELED_BY_USER }]);
      const [canceled] = await lockPayouts(tx, [payout.id]);
      return toPayoutWire(app, canceled ?? payout);
    }),
});

const CANCELED_BY_USER = "canceled_by_user";
