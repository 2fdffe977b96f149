// Accounts of the ledger, and the posting for each movement of money. Every posting sums to zero.

import type { Parts } from "./payout.ts";
import type { Fee } from "./tariff.ts";

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

export function accountOf(id: string): Account {
  const [kind, currency = "", ownerId] = id.split(".");
  return { kind: kind as AccountKind, currency, ownerId: ownerId?.toLowerCase() ?? null };
}

export function isUserAccount(kind: AccountKind): kind is UserAccount {
  return (USER_ACCOUNTS as readonly AccountKind[]).includes(kind);
}

type PostingKind =
  | "transfer_matched"
  | "transfer_suspense"
  | "suspense_assigned"
  | "suspense_returned"
  | "freeze_over"
  | "refund"
  | "suspense_cleared"
  | "suspense_owned"
  | "outflow_seen"
  | "bank_charge"
  | "internal_seen"
  | "own_seen"
  | "line_corrected"
  | "own_opening"
  | "own_opening_back"
  | "own_withdrawn"
  | "fees_withdrawn"
  | PayoutPosting;

export type PayoutPosting =
  | "payout_reserved"
  | "payout_done"
  | "payout_released"
  | "payout_returned"
  | "payout_recovered";

type Gains = Readonly<Partial<Record<AccountKind, bigint>>>;

/** One kind of posting happens at most once for one source; the database holds it to that. */
export interface Posting {
  readonly kind: PostingKind;
  readonly sourceId: string;
  readonly currency: string;
  /** Whose accounts gain or lose; null where no user's do. */
  readonly userId: string | null;
  /** Whose bank account gains or loses; null where none does. */
  readonly requisiteId: string | null;
  readonly gains: Gains;
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
  const { userId, requisiteId, amountMinor } = credit;
  const gains = { bank: -amountMinor, ...creditParts(credit) };
  return posting("transfer_matched", credit, gains, { userId, requisiteId });
}

export function transferToSuspense(money: Money & { requisiteId: string }): Posting {
  const { requisiteId, amountMinor } = money;
  const gains = { bank: -amountMinor, suspense: amountMinor };
  return posting("transfer_suspense", money, gains, { requisiteId });
}

export function suspenseAssigned(credit: Credit): Posting {
  const { userId, amountMinor } = credit;
  const gains = { suspense: -amountMinor, ...creditParts(credit) };
  return posting("suspense_assigned", credit, gains, { userId });
}

/** It leaves by our word, and so it stands in bank_out until a statement shows it. */
export function suspenseReturned(money: Money): Posting {
  const { amountMinor } = money;
  return posting("suspense_returned", money, { suspense: -amountMinor, bank_out: amountMinor }, {});
}

/** Nobody has proven that it ever came: the card is as it was. */
export function suspenseUndone(money: Money & { requisiteId: string }): Posting {
  const { requisiteId, amountMinor } = money;
  const gains = { suspense: -amountMinor, bank: amountMinor };
  return posting("suspense_returned", money, gains, { requisiteId });
}

/** Money of ours that had left by our word, and came back. */
export function suspenseCleared(money: Money): Posting {
  const { amountMinor } = money;
  return posting("suspense_cleared", money, { suspense: -amountMinor, bank_out: amountMinor }, {});
}

export function suspenseOwned(money: Money): Posting {
  const { amountMinor } = money;
  return posting("suspense_owned", money, { suspense: -amountMinor, own: amountMinor }, {});
}

export function freezeOver(money: Money & { userId: string }): Posting {
  const { userId, amountMinor } = money;
  return posting(
    "freeze_over",
    money,
    { frozen: -amountMinor, available: amountMinor },
    { userId },
  );
}

export function refunded(money: Money & { userId: string }): Posting {
  const { userId, amountMinor } = money;
  return posting("refund", money, { available: -amountMinor, bank_out: amountMinor }, { userId });
}

/** A payout's money: what leaves the user's balance is what arrives and the fee. */
export interface PayoutMoney extends Parts {
  readonly sourceId: string;
  readonly currency: string;
  readonly userId: string;
  /** Whether the fee goes back with money that comes back. */
  readonly refundsFee: boolean;
}

/** `bank_out` is what left by our word, until a statement shows it. */
const PAYOUT_GAINS: Readonly<Record<PayoutPosting, (money: PayoutMoney) => Gains>> = {
  payout_reserved: ({ withdrawMinor: all }) => ({ available: -all, reserved: all }),
  payout_done: ({ withdrawMinor: all, receiveMinor, feeMinor }) => ({
    reserved: -all,
    bank_out: receiveMinor,
    fees: feeMinor,
  }),
  payout_released: ({ withdrawMinor: all }) => ({ reserved: -all, available: all }),
  payout_returned: ({ receiveMinor, feeMinor, refundsFee }) => {
    const fees = refundsFee ? feeMinor : 0n;
    return { bank_out: -receiveMinor, fees: -fees, available: receiveMinor + fees };
  },
  payout_recovered: ({ withdrawMinor: all, receiveMinor, feeMinor }) => ({
    available: -all,
    bank_out: receiveMinor,
    fees: feeMinor,
  }),
};

export function payoutPosting(kind: PayoutPosting, money: PayoutMoney): Posting {
  const { sourceId, currency, userId } = money;
  const gains = PAYOUT_GAINS[kind](money);
  return { kind, sourceId, currency, userId, requisiteId: null, gains };
}

/** What a statement's movement may be beside money of a payer: each is another account that the card's goes to. */
const SEEN = {
  outflow: { kind: "outflow_seen", account: "bank_out" },
  charge: { kind: "bank_charge", account: "fees" },
  internal: { kind: "internal_seen", account: "bank_out" },
  own: { kind: "own_seen", account: "own" },
} as const;

export type MovementKind = keyof typeof SEEN;

export const MOVEMENT_KINDS = Object.keys(SEEN) as readonly MovementKind[];

interface Movement extends Money {
  readonly requisiteId: string;
  readonly direction: "in" | "out";
  readonly kind: MovementKind;
}

/** What a statement shows to have come to the card or left it. */
export function movementSeen(movement: Movement): Posting {
  const came = cameBy(movement);
  const { kind, account } = SEEN[movement.kind];
  const { requisiteId } = movement;
  return posting(kind, movement, { bank: -came, [account]: came }, { requisiteId });
}

/** Takes a movement out of the ledger again. */
export function movementUndone(movement: Movement): Posting {
  const came = cameBy(movement);
  const { account } = SEEN[movement.kind];
  const { requisiteId } = movement;
  return posting("line_corrected", movement, { bank: came, [account]: -came }, { requisiteId });
}

function cameBy({ direction, amountMinor }: Movement): bigint {
  return direction === "in" ? amountMinor : -amountMinor;
}

/** What was on a card before Kopeck kept its books. */
export function ownOpening(money: Money & { requisiteId: string }): Posting {
  const { requisiteId, amountMinor } = money;
  return posting("own_opening", money, { bank: -amountMinor, own: amountMinor }, { requisiteId });
}

/** What was said of that too much. */
export function ownOpeningBack(money: Money & { requisiteId: string }): Posting {
  const { requisiteId, amountMinor } = money;
  const gains = { own: -amountMinor, bank: amountMinor };
  return posting("own_opening_back", money, gains, { requisiteId });
}

/** What the operator takes: of the fees, or of own money. */
export function withdrawn(money: Money, from: "fees" | "own"): Posting {
  const { amountMinor } = money;
  return posting(`${from}_withdrawn`, money, { [from]: -amountMinor, bank_out: amountMinor }, {});
}

function creditParts({ amountMinor, feeMinor }: Credit): Gains {
  return { frozen: amountMinor - feeMinor, fees: feeMinor };
}

function posting(
  kind: PostingKind,
  { sourceId, currency }: Money,
  gains: Gains,
  owners: Partial<Pick<Posting, "userId" | "requisiteId">>,
): Posting {
  return { kind, sourceId, currency, userId: null, requisiteId: null, ...owners, gains };
}
