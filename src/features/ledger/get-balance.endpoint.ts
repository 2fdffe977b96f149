// GET /account/users/{userId}/balance: a user's money, free and frozen. Guards that the total is
// always the sum of the two parts beside it.

import { toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { currencyCode, Type, uuid } from "../../platform/field.ts";
import { userGate } from "../merchants/principal.ts";
import { balancesOfUsers } from "./queries.ts";

const DEFAULT_CURRENCY = "RUB";

export const getBalance = hotEndpoint({
  method: "GET",
  path: "/account/users/:userId/balance",
  summary: "Balance of a user",
  description: "The total is always the sum of the two parts beside it.",
  gate: userGate,
  identifier: "userId",
  input: Type.Object({
    userId: uuid({
      description: "The user; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000001"],
    }),
    currency: Type.Optional(
      currencyCode({ description: "Currency code; RUB when left out.", examples: ["RUB"] }),
    ),
  }),
  data: Type.Object({
    balance: Type.Number({ description: "Total balance." }),
    active_balance: Type.Number({ description: "Balance available for payout." }),
    freeze_balance: Type.Number({ description: "Frozen balance." }),
  }),
  notFound: "The user has no account in this currency.",
  problems: "first",
  async handleSet({ db }, calls) {
    const rows = await balancesOfUsers(
      db,
      calls.map(({ principal }) => principal.id),
    );
    const byAccount = new Map(rows.map((row) => [`${row.user_id} ${row.currency}`, row]));
    return calls.map(({ principal, input: { currency } }) => {
      const row = byAccount.get(`${principal.id} ${currency ?? DEFAULT_CURRENCY}`);
      // Accounts are opened by the first money: a new user's balance is nothing, and no mistake.
      if (row === undefined && currency !== undefined) {
        return new Refusal("account_not_found", { currency });
      }
      const { available_minor: available = 0n, frozen_minor: frozen = 0n } = row ?? {};
      return {
        balance: toDecimalNumber(available + frozen),
        active_balance: toDecimalNumber(available),
        freeze_balance: toDecimalNumber(frozen),
      };
    });
  },
});
