// A user's balance over the API, and in the cabinet with its entries and releases.

import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import {
  currencyCode,
  numberOrNull,
  pageFields,
  pageOf,
  periodFields,
  Type,
  textOrNull,
  toPage,
  uuid,
} from "../../platform/field.ts";
import { ownView } from "../merchants/member.ts";
import { userGate } from "../merchants/principal.ts";
import { column, shape } from "../operators/noun.ts";
import { LONGEST_FREEZE_SECONDS } from "../tariffs/manage-methods.endpoint.ts";
import { balancesOf, balancesOfUsers, listOwnEntries, OwnEntries, releasesOf } from "./queries.ts";

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

const Balances = shape({
  currency: column.text("Currency code.", "RUB"),
  available: column.amount("available_minor", "What can be paid out or refunded.", 900),
  frozen: column.amount("frozen_minor", "What was paid, and is not yet available.", 60),
  reserved: column.amount("reserved_minor", "What is set aside for payouts.", 100),
});

export const readOwnBalance = ownView({
  path: "/cabinet/balance",
  summary: "What the merchant has",
  description: "In each currency that money has come in; the three parts never overlap.",
  right: "balance",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(Balances.wire) }),
  async read({ db }, _input, { userId }) {
    return { items: (await balancesOf(db, userId)).map(Balances.toWire) };
  },
});

export const readOwnEntries = ownView({
  path: "/cabinet/entries",
  summary: "What has moved the merchant's balance",
  description: "Every posting of theirs, the newest first.",
  right: "balance",
  input: Type.Object({
    ...pageFields,
    ...periodFields,
    currency: Type.Optional(currencyCode({ description: "Those in this currency." })),
  }),
  data: pageOf(OwnEntries.wire),
  async read({ db }, { currency, ...wish }, { userId }) {
    const filters = { user_id: userId, currency };
    return toPage(await listOwnEntries(db, wish, filters), OwnEntries.toWire);
  },
});

const Releases = shape({
  currency: column.text("Currency code.", "RUB"),
  day: column.as(
    textOrNull({
      description:
        "The day of the service's time zone on which it becomes available; null for what is frozen until a bank's statement proves it.",
      examples: ["2026-03-02"],
    }),
  ),
  credits: column.as(
    numberOrNull({
      description: "Payments that it is of; null for what waits for a proof, which is not counted.",
      examples: [12],
    }),
  ),
  amount: column.amount("amount_minor", "How much becomes available.", 960),
});

export const readOwnReleases = ownView({
  path: "/cabinet/releases",
  summary: "When frozen money is released",
  description: "Day by day; together they are what is frozen in `/cabinet/balance`.",
  right: "balance",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(Releases.wire) }),
  async read({ db, clock, config }, _input, { userId }) {
    const now = clock.now();
    const zone = momentFormat(config.timeZone);
    const offsets = zone.offsets(now, addSeconds(now, LONGEST_FREEZE_SECONDS));
    const rows = await releasesOf(db, userId, offsets, now);
    return { items: rows.map(Releases.toWire) };
  },
});
