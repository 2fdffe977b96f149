// The accounts of the ledger. They are no rows: an account is its kind, a currency and whose it is, and
// its id is made of just these.

/** A user's own accounts: what may not go below zero. */
const USER_ACCOUNTS = ["available", "frozen", "reserved"] as const;

/** Accounts that everybody's money flows through, one of each in a currency. */
const SHARED_ACCOUNTS = ["bank_out", "suspense", "fees", "own"] as const;

export const ACCOUNT_KINDS = [...USER_ACCOUNTS, "bank", ...SHARED_ACCOUNTS] as const;

export type UserAccount = (typeof USER_ACCOUNTS)[number];
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

export interface Account {
  readonly kind: AccountKind;
  readonly currency: string;
  /** The user, or the requisite of a bank account; a shared one is nobody's. */
  readonly ownerId: string | null;
}

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** As `frozen.RUB.<user>`, `bank.RUB.<requisite>` or `fees.RUB`. */
export const ACCOUNT_ID = `^(?:(?:${USER_ACCOUNTS.join("|")}|bank)\\.[A-Z]{3}\\.${UUID}|(?:${SHARED_ACCOUNTS.join("|")})\\.[A-Z]{3})$`;

export function accountId({ kind, currency, ownerId }: Account): string {
  return [kind, currency, ...(ownerId === null ? [] : [ownerId])].join(".");
}

/** Of an id that ACCOUNT_ID matches. */
export function accountOf(id: string): Account {
  const [kind, currency = "", ownerId] = id.split(".");
  return { kind: kind as AccountKind, currency, ownerId: ownerId?.toLowerCase() ?? null };
}

export function isUserAccount(kind: AccountKind): kind is UserAccount {
  return (USER_ACCOUNTS as readonly AccountKind[]).includes(kind);
}
