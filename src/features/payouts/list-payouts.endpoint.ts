// GET /payoff/list: a user's payouts, the newest first.

import { PAYOUT_STATES } from "../../domain/payout.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { oneOf, pageFields, pageOf, periodFields, Type, toPage } from "../../platform/field.ts";
import { userGate } from "../merchants/principal.ts";
import { pageOfPayouts } from "./queries.ts";
import { PayoutWire, toPayoutWire, userId } from "./wire.ts";

export const listPayouts = endpoint({
  method: "GET",
  path: "/payoff/list",
  summary: "List payouts",
  description: "The newest first, page by page.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object({
    user_id: userId,
    ...pageFields,
    ...periodFields,
    state: Type.Optional(oneOf(PAYOUT_STATES, { description: "Those in this state." })),
  }),
  data: pageOf(PayoutWire),
  problems: "first",
  async handle(app, { principal, input: { state, ...wish } }) {
    const found = await pageOfPayouts(app.db, wish, { userId: principal.id, state });
    return toPage(found, (payout) => toPayoutWire(app, payout));
  },
});
