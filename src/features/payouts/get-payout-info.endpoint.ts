// GET /payoff/info: how a payout stands, in the form that existing clients read. Guards that a user sees their
// own alone.

import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { butErrors } from "../../platform/failure.ts";
import { Type, text, uuid } from "../../platform/field.ts";
import { userGate } from "../merchants/principal.ts";
import { findPayouts, type PayoutName } from "./queries.ts";
import { PayoutWire, toPayoutWire, userId } from "./wire.ts";

export const payoutName = {
  user_id: userId,
  id: Type.Optional(uuid({ description: "The payout." })),
  payoff_id: Type.Optional(uuid({ description: "The same, as it is called in answers." })),
  order_id: Type.Optional(
    text({ max: 255 }, { description: "Or the merchant's own id.", examples: ["payout-1"] }),
  ),
};

/** Whatever names it has to be of one payout. */
export function readPayoutName(
  userId: string,
  names: { id?: string; payoff_id?: string; order_id?: string },
): PayoutName | Refusal {
  const { id = names.payoff_id, payoff_id: same = id, order_id: orderId } = names;
  if (id === undefined && orderId === undefined) return new Refusal("payout_id_required");
  if (id?.toLowerCase() !== same?.toLowerCase()) return new Refusal("payout_not_found");
  return { userId, id, orderId };
}

export const getPayoutInfo = hotEndpoint({
  method: "GET",
  path: "/payoff/info",
  summary: "How a payout stands",
  description: "By its id, or by the order id; several have to be of one payout.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object(payoutName),
  data: PayoutWire,
  notFound: "The user has no such payout.",
  problems: "first",
  async handleSet(app, calls) {
    const names = calls.map(({ principal, input }) => readPayoutName(principal.id, input));
    return butErrors(names, async (named) => {
      const found = await findPayouts(app.db, named);
      return found.map((payout) =>
        payout === undefined ? new Refusal("payout_not_found") : toPayoutWire(app, payout),
      );
    });
  },
});
