// /manage/accounts: the ledger as it stands, account by account, and the statement of each.

import type { Static } from "typebox";
import { toDecimalNumber } from "../../domain/money.ts";
import {
  ACCOUNT_ID,
  ACCOUNT_KINDS,
  accountId,
  accountOf,
  isUserAccount,
} from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import {
  numberOrNull,
  oneOf,
  pageFields,
  pageOf,
  periodFields,
  Type,
  textOrNull,
  toPage,
  uuid,
} from "../../platform/field.ts";
import { view } from "../operators/doors.ts";
import {
  type AccountView,
  accountExists,
  Entries,
  findAccount,
  listAccounts,
  listEntries,
} from "./queries.ts";

const kind = oneOf(ACCOUNT_KINDS, { description: "What the account is for." });

const Account = Type.Object({
  account_id: Type.String({ description: "The account.", examples: ["fees.RUB"] }),
  kind,
  currency: Type.String({ description: "Currency code.", examples: ["RUB"] }),
  user_id: textOrNull({ description: "Whose it is, or null." }, "uuid"),
  requisite_id: textOrNull({ description: "The requisite that it stands for, or null." }, "uuid"),
  balance: numberOrNull({
    description:
      "What is there: money on a card is more than zero, and so are fees, what waits in suspense and what is on its way out (`bank_out`). Null in a list for accounts that are summed up when asked for.",
    examples: [60],
  }),
});

const idField = (description: string) =>
  Type.String({ pattern: ACCOUNT_ID, description, examples: ["fees.RUB"] });

const account_id = idField(
  "The account: its kind, its currency and its owner, as `frozen.RUB.` with a user, `bank.RUB.` with a requisite, or `fees.RUB`.",
);

export const readAccounts = view({
  path: "/manage/accounts",
  summary: "List accounts",
  description: "Kind by kind.",
  input: Type.Object({
    limit: pageFields.limit,
    after: Type.Optional(
      Type.String({ pattern: ACCOUNT_ID, description: "The `next` of the page before." }),
    ),
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
    "An account without a running balance is summed up: about 0.3 s for a million postings.",
  input: Type.Object({ account_id }),
  data: Account,
  notFound: "There is no such account.",
  async read({ db }, input) {
    const row = await findAccount(db, accountOf(input.account_id));
    if (row === undefined) throw new Refusal("ledger_account_not_found");
    return toWire(row);
  },
});

export const readEntries = view({
  path: "/manage/accounts/:account_id/entries",
  summary: "The statement of an account",
  description: "What each posting has added or taken, the newest first.",
  input: Type.Object({ account_id, ...pageFields, ...periodFields }),
  data: pageOf(Entries.wire),
  notFound: "There is no such account.",
  async read({ db }, { account_id: id, ...wish }) {
    const account = accountOf(id);
    if (!(await accountExists(db, account))) throw new Refusal("ledger_account_not_found");
    return toPage(await listEntries(db, wish, account), Entries.toWire);
  },
});

function toWire(account: AccountView): Static<typeof Account> {
  const { kind: of, currency, ownerId, balanceMinor } = account;
  return {
    account_id: accountId(account),
    kind: of,
    currency,
    user_id: isUserAccount(of) ? ownerId : null,
    requisite_id: of === "bank" ? ownerId : null,
    balance: balanceMinor === null ? null : toDecimalNumber(balanceMinor),
  };
}
