// GET /payoff/get-sbp-bank-list: the banks that a payout through the fast payment system can go to.

import { hotEndpoint } from "../../platform/endpoint.ts";
import { Type, uuid } from "../../platform/field.ts";
import { remembering } from "../../platform/remember.ts";
import { userGate } from "../merchants/principal.ts";
import { sbpBanks } from "./bank-queries.ts";

const WHOLE_LIST = "all";
const recall = remembering(async (db) => new Map([[WHOLE_LIST, await sbpBanks(db)]]));

export const SbpBanks = Type.Array(
  Type.Object({
    id: Type.String({
      description: "Bank identifier in the fast payment system.",
      examples: ["100000000111"],
    }),
    name: Type.String({ description: "Bank name.", examples: ["Сбербанк"] }),
  }),
);

export const listSbpBanks = hotEndpoint({
  method: "GET",
  path: "/payoff/get-sbp-bank-list",
  summary: "Banks for payouts through SBP",
  description: "The directory of the fast payment system, sorted by id.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object({
    user_id: uuid({
      description: "The user; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000001"],
    }),
  }),
  data: Type.Object({ banks: SbpBanks }),
  problems: "first",
  async handleSet(app, calls) {
    const users = calls.map(({ principal }) => principal);
    const banks = (await recall(app, users, [WHOLE_LIST])).get(WHOLE_LIST) ?? [];
    return calls.map(() => ({ banks }));
  },
});
