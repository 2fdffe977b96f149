// The story of a payout: what the tables know, put in the order that it happened.

import { toDecimalText } from "../../domain/money.ts";
import type { PayoutPosting } from "../../domain/posting.ts";
import type { Attempt } from "./attempt-queries.ts";
import type { Payout } from "./queries.ts";
import type { PayoutPosted } from "./story-queries.ts";
import type { GivenVote } from "./vote-queries.ts";

export interface Step {
  readonly at: Date;
  readonly what: string;
  readonly detail: string;
}

export interface PayoutWhole {
  readonly payout: Payout;
  readonly attempts: readonly Attempt[];
  readonly votes: readonly GivenVote[];
  readonly postings: readonly PayoutPosted[];
  readonly names: ReadonlyMap<string, string>;
}

const MONEY: Readonly<Record<PayoutPosting, string>> = {
  payout_reserved: "money set aside",
  payout_done: "done",
  payout_released: "money given back",
  payout_returned: "returned",
  payout_recovered: "had left after all",
};

const SAID: Readonly<Record<GivenVote["subject"], string>> = {
  approve: "approved",
  sent: "said to have left",
  not_sent: "said not to have left",
};

export function timelineOf({ payout, attempts, votes, postings, names }: PayoutWhole): Step[] {
  const money = (minor: bigint): string => `${toDecimalText(minor)} ${payout.currency}`;
  const nameOf = (id: string | null): string => (id === null ? "" : (names.get(id) ?? id));
  const by = (id: string | null): string => (id === null ? "" : ` by ${nameOf(id)}`);
  const steps: Step[] = [
    {
      at: payout.createdAt,
      what: "asked for",
      detail: `${money(payout.amountMinor)} to ${payout.masked}${by(payout.authorId)}`,
    },
    ...votes.map(({ createdAt: at, subject, operatorName, reason }) => ({
      ...{ at, what: SAID[subject] },
      detail: `by ${operatorName}${reason === null ? "" : `: ${reason}`}`,
    })),
    ...attempts.map(({ claimedAt: at, number, rail, authorId, state, detail }) => ({
      ...{ at, what: "taken to be sent" },
      detail: [
        `attempt ${number}, ${rail}${by(authorId)}`,
        state,
        ...(detail ? [detail] : []),
      ].join(", "),
    })),
    ...postings.map(({ created_at: at, kind }) => ({
      ...{ at, what: MONEY[kind] },
      detail: kind === "payout_done" ? (payout.bankReference ?? "") : money(payout.withdrawMinor),
    })),
  ];
  // What happened at one moment stays in the order above, which is the order of cause and effect.
  return steps.toSorted((left, right) => left.at.getTime() - right.at.getTime());
}
