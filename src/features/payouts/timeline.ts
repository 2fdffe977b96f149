// The story of a payout: what the tables know, put in the order that it happened.

import { toDecimalText } from "../../domain/money.ts";
import type { HeldReason, PayoutState } from "../../domain/payout.ts";
import type { PayoutPosting } from "../../domain/posting.ts";
import type { ApprovalRow } from "../approvals/approval-nouns.ts";
import { type Attempt, isElsewhere } from "./attempt-queries.ts";
import type { Payout, PayoutPosted } from "./queries.ts";

interface Step {
  readonly at: Date;
  readonly what: string;
  readonly detail: string;
}

export interface PayoutWhole {
  readonly payout: Payout;
  readonly attempts: readonly Attempt[];
  readonly approvals: readonly ApprovalRow[];
  readonly postings: readonly PayoutPosted[];
  readonly names: ReadonlyMap<string, string>;
}

/** In the order in which they can happen. */
const MONEY: Readonly<Record<PayoutPosting, string>> = {
  payout_reserved: "money set aside",
  payout_done: "done",
  payout_released: "money given back",
  payout_returned: "returned",
  payout_recovered: "had left after all",
};

const SAID: Readonly<Record<string, string>> = {
  approve: "approved",
  sent: "said to have left",
  not_sent: "said not to have left",
  returned: "said to have come back",
};

function stepsOf(approval: ApprovalRow): Step[] {
  const { action, at, by_name, reason, withdrawn_at, withdrawn_by_name, withdrawn_reason } =
    approval;
  const by = (name: string, why: string | null) => `by ${name}${why === null ? "" : `: ${why}`}`;
  const steps = [{ at, what: SAID[action] ?? action, detail: by(by_name, reason) }];
  if (withdrawn_at !== null && withdrawn_by_name !== null && action === "returned") {
    const detail = by(withdrawn_by_name, withdrawn_reason);
    steps.push({ at: withdrawn_at, what: "said not to have come back", detail });
  }
  return steps;
}

const KINDS = Object.keys(MONEY);

/** Those of one moment have no other order. */
function placeOf({ kind }: PayoutPosted): number {
  return KINDS.indexOf(kind);
}

const HELD: Readonly<Record<HeldReason, string>> = {
  by_hand: "somebody asked for it by hand, and somebody else has to approve it",
  large: "it is large",
  first: "nothing has arrived there before",
  day: "it is much for a day",
  repeat: "it looks like another one",
};

/** What an attempt says that a line of a statement has settled. */
export const PROVEN = "proven by";

const UNSENT: ReadonlySet<PayoutState> = new Set(["failed", "canceled"]);

/** A person's ends with their word or their time; a program's may have left from the moment it was told. */
function unknownSince(
  { rail, authorId, leaseUntil, dispatchedAt, claimedAt, number }: Attempt,
  approvals: readonly ApprovalRow[],
): Step {
  const said = approvals.find(
    (one) => rail === "desk" && one.attempt === number && one.by === authorId,
  )?.at;
  const over = said !== undefined && said < leaseUntil ? said : leaseUntil;
  const at = authorId === null ? (dispatchedAt ?? claimedAt) : over;
  return { at, what: "unknown", detail: `attempt ${number} may have left, and nobody knows` };
}

export function timelineOf({ payout, attempts, approvals, postings, names }: PayoutWhole): Step[] {
  const money = (minor: bigint): string => `${toDecimalText(minor)} ${payout.currency}`;
  const nameOf = (id: string | null): string => (id === null ? "" : (names.get(id) ?? id));
  const by = (id: string | null): string => (id === null ? "" : ` by ${nameOf(id)}`);
  const steps: Step[] = [
    {
      at: payout.createdAt,
      what: "asked for",
      detail: `${money(payout.amountMinor)} to ${payout.masked}${by(payout.authorId)}`,
    },
    ...(payout.heldReason === null
      ? []
      : [{ at: payout.createdAt, what: "held", detail: HELD[payout.heldReason] }]),
    ...approvals.flatMap(stepsOf),
    ...attempts.filter(isElsewhere).map(({ claimedAt: at, number, state }) => ({
      at,
      what: "sent elsewhere",
      detail: `attempt ${number}, ${state === "sent" ? "proven" : "shown"} by a statement, not sent through the gateway`,
    })),
    ...attempts
      .filter((one) => !isElsewhere(one))
      .map(({ claimedAt: at, number, rail, authorId, state, detail }) => ({
        at,
        what: "taken to be sent",
        detail: [
          `attempt ${number}, ${rail}${by(authorId)}`,
          state,
          ...(detail ? [detail] : []),
        ].join(", "),
      })),
    ...attempts
      .filter(({ state }) => state === "unknown")
      .map((one) => unknownSince(one, approvals)),
    ...postings
      .toSorted((left, right) => placeOf(left) - placeOf(right))
      .flatMap(({ created_at: at, kind }) => [
        // Why it ended stands there until it turns out to have left after all.
        ...(kind === "payout_released" && UNSENT.has(payout.state)
          ? [{ at, what: payout.state, detail: payout.error ?? "" }]
          : []),
        { at, what: MONEY[kind], detail: detailOf(kind) },
      ]),
  ];
  function detailOf(kind: PayoutPosting): string {
    const shown = attempts.find(({ detail }) => detail?.startsWith(PROVEN))?.detail;
    if (kind === "payout_done") {
      return [payout.bankReference, shown].filter((one) => one != null).join(", ");
    }
    if (kind !== "payout_returned") return money(payout.withdrawMinor);
    // What the balance got: with the fee, where the tariff gives that back.
    const cameBackMinor = payout.refundsFee ? payout.withdrawMinor : payout.receiveMinor;
    return `${money(cameBackMinor)}${payout.error === null ? "" : `: ${payout.error}`}`;
  }
  // What happened at one moment stays in the order above, which is the order of cause and effect.
  return steps.toSorted((left, right) => left.at.getTime() - right.at.getTime());
}
