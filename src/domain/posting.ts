// What each thing that happens to money does to the ledger. An entry's amount is what the account
// gains (a credit is positive), so every posting sums to zero and an account's balance is the sum of
// its entries. The database refuses a posting that does not.

import type { Fee } from "./tariff.ts";

export const ACCOUNT_KINDS = [
  "available",
  "frozen",
  "reserved",
  "bank",
  "bank_out",
  "suspense",
  "fees",
] as const;

export type AccountKind = (typeof ACCOUNT_KINDS)[number];

export interface Account {
  readonly kind: AccountKind;
  readonly currency: string;
  readonly userId: string | null;
  readonly requisiteId: string | null;
}

export interface Entry {
  readonly account: Account;
  readonly amountMinor: bigint;
}

type PostingKind =
  | "transfer_matched"
  | "transfer_suspense"
  | "suspense_assigned"
  | "suspense_returned"
  | "freeze_over"
  | "refund";

/** One kind of posting happens at most once for one source; the database holds it to that. */
export interface Posting {
  readonly kind: PostingKind;
  readonly sourceId: string;
  readonly currency: string;
  readonly entries: readonly Entry[];
}

interface Money {
  readonly sourceId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
}

interface Credit extends Money {
  readonly userId: string;
  readonly requisiteId: string;
  readonly feeMinor: bigint;
}

/** What the user is credited with; undefined where the money does not even cover the fee. */
export function creditOf(receivedMinor: bigint, feeMinor: Fee["totalMinor"]): bigint | undefined {
  return receivedMinor > feeMinor ? receivedMinor - feeMinor : undefined;
}

export function transferMatched(credit: Credit): Posting {
  const { requisiteId } = credit;
  return posting("transfer_matched", credit, [
    [{ kind: "bank", requisiteId }, -credit.amountMinor],
    ...creditParts(credit),
  ]);
}

export function transferToSuspense(money: Money & { requisiteId: string }): Posting {
  const { requisiteId, amountMinor } = money;
  return posting("transfer_suspense", money, [
    [{ kind: "bank", requisiteId }, -amountMinor],
    [{ kind: "suspense" }, amountMinor],
  ]);
}

export function suspenseAssigned(credit: Credit): Posting {
  return posting("suspense_assigned", credit, [
    [{ kind: "suspense" }, -credit.amountMinor],
    ...creditParts(credit),
  ]);
}

export function suspenseReturned(money: Money & { requisiteId: string }): Posting {
  const { requisiteId, amountMinor } = money;
  return posting("suspense_returned", money, [
    [{ kind: "suspense" }, -amountMinor],
    [{ kind: "bank", requisiteId }, amountMinor],
  ]);
}

export function freezeOver(money: Money & { userId: string }): Posting {
  const { userId, amountMinor } = money;
  return posting("freeze_over", money, [
    [{ kind: "frozen", userId }, -amountMinor],
    [{ kind: "available", userId }, amountMinor],
  ]);
}

export function refunded(money: Money & { userId: string }): Posting {
  const { userId, amountMinor } = money;
  return posting("refund", money, [
    [{ kind: "available", userId }, -amountMinor],
    [{ kind: "bank_out" }, amountMinor],
  ]);
}

type Part = [account: Partial<Account> & Pick<Account, "kind">, amountMinor: bigint];

function creditParts({ userId, amountMinor, feeMinor }: Credit): Part[] {
  return [
    [{ kind: "frozen", userId }, amountMinor - feeMinor],
    [{ kind: "fees" }, feeMinor],
  ];
}

function posting(kind: PostingKind, { sourceId, currency }: Money, parts: Part[]): Posting {
  const entries = parts
    .filter(([, amountMinor]) => amountMinor !== 0n)
    .map(([account, amountMinor]) => ({
      account: { userId: null, requisiteId: null, currency, ...account },
      amountMinor,
    }));
  return { kind, sourceId, currency, entries };
}
