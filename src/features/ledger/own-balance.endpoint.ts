// /cabinet/balance, /cabinet/entries: what a merchant has, and everything that has moved it.

import Type from "typebox";
import { currencyCode } from "../../platform/field.ts";
import { pageFields, pageOf, periodFields, toPage } from "../../platform/page.ts";
import { ownView } from "../merchants/own-doors.ts";
import { column, shape } from "../operators/noun.ts";
import { balancesOf, listOwnEntries, OwnEntries } from "./account-queries.ts";

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
