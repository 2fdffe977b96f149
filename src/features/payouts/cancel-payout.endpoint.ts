// POST /payoff/cancel: a user takes a payout back that nobody has begun to send. Guards that of a cancel and a
// claim at once exactly one wins.

import { readFamilyOrderId } from "../../domain/dialect.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { exactNumbers } from "../../platform/body.ts";
import type { Tx } from "../../platform/db.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { Type } from "../../platform/field.ts";
import { userGate } from "../merchants/principal.ts";
import { payoutName, readPayoutName } from "./get-payout-info.endpoint.ts";
import { findPayouts, lockPayouts, type Payout, type PayoutName } from "./queries.ts";
import { movePayouts } from "./settle.ts";
import { refuseShown } from "./shown.ts";
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
  translate(input, _user, source) {
    exactNumbers(input, ["order_id"], source);
    readFamilyOrderId(input);
  },
  data: PayoutWire,
  notFound: "The user has no such payout.",
  problems: "first",
  handle: (app, { principal, input }) =>
    app.db.transaction(async (tx) => {
      const wanted = readPayoutName(principal.id, input);
      if (wanted instanceof Refusal) throw wanted;
      const { after } = await takeBack(tx, app, wanted);
      return toPayoutWire(app, after);
    }),
});

/** How it was and how it is; the same where it had been taken back before. */
export async function takeBack(
  tx: Tx,
  app: App,
  wanted: PayoutName,
): Promise<{ before: Payout; after: Payout }> {
  const [found] = await findPayouts(tx, [wanted]);
  const [before] = found === undefined ? [] : await lockPayouts(tx, [found.id]);
  if (before === undefined) throw new Refusal("payout_not_found");
  if (before.state === "canceled") return { before, after: before };
  await refuseShown(tx, before);
  await movePayouts(tx, app, [{ payout: before, to: "canceled", error: CANCELED_BY_USER }]);
  const [after = before] = await lockPayouts(tx, [before.id]);
  return { before, after };
}

const CANCELED_BY_USER = "canceled_by_user";
