// GET /payoff/info: how a payout stands, in the form that existing clients read. Guards that a user sees their
// own alone.

import Type from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { text, uuid } from "../../platform/field.ts";
import { userGate } from "../merchants/principal.ts";
import { findPayouts } from "./queries.ts";
import { PayoutWire, toPayoutWire, userId } from "./wire.ts";

export const payoutName = {
  user_id: userId,
  id: Type.Optional(uuid({ description: "The payout." })),
  payoff_id: Type.Optional(uuid({ description: "The same, as it is called in answers." })),
  order_id: Type.Optional(
    text({ max: 255 }, { description: "Or the merchant's own id.", examples: ["payout-1"] }),
  ),
};

export const getPayoutInfo = hotEndpoint({
  method: "GET",
  path: "/payoff/info",
  summary: "How a payout stands",
  description: "By its id, or by the order id.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object(payoutName),
  data: PayoutWire,
  notFound: "The user has no such payout.",
  problems: "first",
  async handleSet(app, calls) {
    const names = calls.map(({ principal, input }) => ({
      ...{ userId: principal.id, id: input.id ?? input.payoff_id, orderId: input.order_id },
    }));
    const named = names.filter(({ id, orderId }) => id !== undefined || orderId !== undefined);
    const found = await findPayouts(app.db, named);
    const byName = new Map(named.map((name, place) => [name, found[place]]));
    return names.map((name) => {
      if (!byName.has(name)) return new Refusal("payout_id_required");
      const payout = byName.get(name);
      return payout === undefined ? new Refusal("payout_not_found") : toPayoutWire(app, payout);
    });
  },
});
