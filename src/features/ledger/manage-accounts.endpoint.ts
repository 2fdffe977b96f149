// /manage/accounts: the ledger as it stands, account by account, and the statement of each.

import Type from "typebox";
import { toDecimalNumber } from "../../domain/money.ts";
import { ACCOUNT_KINDS } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import { numberOrNull, oneOf, textOrNull, uuid } from "../../platform/field.ts";
import { pageFields, pageOf, periodFields, toPage } from "../../platform/page.ts";
import { view } from "../operators/doors.ts";
import {
  type AccountView,
  accountExists,
  findAccount,
  listAccounts,
  listEntries,
} from "./account-queries.ts";

const kind = oneOf(ACCOUNT_KINDS, { description: "What the account is for." });

const Account = Type.Object({
  account_id: Type.String({ description: "The account." }),
  kind,
  currency: Type.String({ description: "Currency code." }),
  user_id: textOrNull({ description: "Whose it is, or null." }),
  requisite_id: textOrNull({ description: "The requisite that it stands for, or null." }),
  balance: numberOrNull({
    description: "The balance; null in a list for accounts that are summed up when asked for.",
  }),
});

const account_id = uuid({ description: "The account." });

export const readAccounts = view({
  path: "/manage/accounts",
  summary: "List accounts",
  input: Type.Object({
    ...pageFields,
    user_id: Type.Optional(uuid({ description: "Accounts of this user." })),
    kind: Type.Optional(kind),
  }),
  data: pageOf(Account),
  async read({ db }, { user_id: userId, kind: wanted, ...wish }) {
    return toPage(await listAccounts(db, wish, { userId, kind: wanted }), toWire);
  },
});

export const readAccount = view({
  path: "/manage/accounts/:account_id",
  summary: "Show an account with its balance",
  description:
    "An account without a running balance is summed up: about 0.3 s for a million entries.",
  input: Type.Object({ account_id }),
  data: Account,
  notFound: "There is no such account.",
  async read({ db }, input) {
    const row = await findAccount(db, input.account_id);
    if (row === undefined) throw new Refusal("ledger_account_not_found");
    return toWire(row);
  },
});

export const readEntries = view({
  path: "/manage/accounts/:account_id/entries",
  summary: "The statement of an account",
  input: Type.Object({ account_id, ...pageFields, ...periodFields }),
  data: pageOf(
    Type.Object({
      posting_id: Type.String({ description: "The posting." }),
      kind: Type.String({ description: "What happened." }),
      source_id: Type.String({
        description: "The transfer, payment or refund that it happened to.",
      }),
      amount: Type.Number({ description: "What the account gained; less than zero for a loss." }),
      created_at: Type.String({ description: "When." }),
    }),
  ),
  notFound: "There is no such account.",
  async read({ db }, { account_id: accountId, ...wish }) {
    if (!(await accountExists(db, accountId))) throw new Refusal("ledger_account_not_found");
    return toPage(await listEntries(db, wish, accountId), (row) => ({
      posting_id: row.posting_id,
      kind: row.kind,
      source_id: row.source_id,
      amount: toDecimalNumber(row.amount_minor),
      created_at: row.created_at.toISOString(),
    }));
  },
});

function toWire(row: AccountView): Type.Static<typeof Account> {
  return {
    account_id: row.id,
    kind: row.kind,
    currency: row.currency,
    user_id: row.user_id,
    requisite_id: row.requisite_id,
    balance: row.balance_minor === null ? null : toDecimalNumber(row.balance_minor),
  };
}
