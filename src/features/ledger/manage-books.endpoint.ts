// /manage/books: the invariants of docs/money.md, the last checks and what they found.

import { SerializationFailure } from "../../platform/db.ts";
import { Type } from "../../platform/field.ts";
import { change, view } from "../operators/doors.ts";
import {
  askForCheck,
  CHECKS_SHOWN,
  Checks,
  checkUnderWay,
  lastChecks,
} from "./book-check-queries.ts";

export const readBooks = view({
  path: "/manage/books",
  summary: "What must always hold, and when that was checked",
  description: `The last ${CHECKS_SHOWN} checks, the newest first; those of kopeck verify are among them.`,
  input: Type.Object({}),
  data: Type.Object({
    checks: Type.Array(Checks.wire),
    invariants: Type.Array(
      Type.Object({
        number: Type.Integer({ description: "Its number.", examples: [1] }),
        words: Type.String({
          description: "What must hold.",
          examples: ["Every posting and the whole ledger sum to zero per currency"],
        }),
      }),
    ),
  }),
  async read({ db }) {
    const checks = await lastChecks(db);
    const all = Object.entries(INVARIANTS);
    return {
      checks: checks.map(Checks.toWire),
      invariants: all.map(([number, words]) => ({ number: Number(number), words })),
    };
  },
});

export const askForBookCheck = change({
  path: "/manage/books/check",
  summary: "Check the books",
  description:
    "It begins within seconds and goes on by itself, piece by piece; `books` says what it found. One " +
    "goes on at a time: while one does, it is answered. What only the secret key opens, kopeck verify " +
    "checks alone.",
  act: "books.check",
  input: Type.Object({}),
  data: Checks.wire,
  async make(tx, app, _input, { name }) {
    const isNew = await askForCheck(tx, app.newId(), name, app.clock.now());
    const row = await checkUnderWay(tx);
    // The other one has ended in between: then it is asked for anew.
    if (row === undefined) throw new SerializationFailure();
    const data = Checks.toWire(row);
    return { data, subject: row.id, before: isNew ? null : data, after: data };
  },
});

export const INVARIANTS: Readonly<Record<number, string>> = {
  1: "Every posting and the whole ledger sum to zero per currency",
  2: "Postings are never changed or deleted",
  3: "A stored balance equals the sum of its postings, and these are of known users and requisites",
  4: "No balance is negative; the total is the sum of its parts",
  5: "A transfer credits at most one payment; a payment is credited at most once",
  6: "Every transfer is matched, in suspense, returned or cleared; the suspense account equals what waits",
  7: "No two payments live or in quarantine share a (requisite, amount)",
  8: "A requisite's counters are its payments'; a disabled one, or one at its limit, gets no new payment",
  9: "Fee parts add up; what is credited is what is booked",
  10: "A frozen credit is released exactly once, never early",
  11: "Credits − refunds − paid out − payout fees + returned = available + frozen + reserved, per user and currency",
  12: "A payout leaves at most once: one attempt may have left, and nothing is given back while one may",
  13: "Only allowed edges: the states of an invoice and its payments agree",
  14: "At most one live payment per invoice",
  15: "Same shop and order: one invoice",
  17: "Nothing stays live more than 5 s after its end, and no event waits 10 s for its position in the feed",
  18: "A change of state and its event are there together",
  19: "Every event is delivered or exhausted; one that waits is found when it is due",
  20: "An event never changes, and its id and body are its own; an invoice's events are numbered 1, 2, …",
  21: "Every attempt to tell an event is written once, numbered 1, 2, …",
  26: "What is sealed opens with the secret key, and the digest of a number is its own",
  27: "What leaves a balance for a payout is what arrives and the fee, and none is negative",
  28: "What is reserved is what payouts under way take, per user and currency",
  29: "A payout that is done, returned, failed or canceled has exactly its postings",
  30: "A bank's reference proves one payout",
  31: "Everybody who tells of a transfer tells of the same money, once; money that several tell of is booked once",
  32: "A line of a statement tells of its own transfer; the lines of the last file of a day are what it says",
  33: "Money is matched only to a payment whose time, quarantine included, meets the money's moment",
  34: "What left by our word and no statement has shown stands in bank_out; what a statement shows is booked once",
  35: "Every event has one position in the feed of its shop and user, or waits for it, and no position is given twice",
  36: "No person approves their own request or approves twice, and what needs several people has them",
  37: "No whole card number stands in what is told of payouts and lines",
  38: "Every row that falls due can be worked on; what a job fails on is filed and tried again",
};

/** Kept by a running gateway alone: while none runs, what falls due waits for the next start. */
export const KEPT_WHILE_RUNNING = 17;

/** What SQL cannot see, because only the secret key opens it. */
export const SEALED = 26;
