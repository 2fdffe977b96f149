// A bank's answer to a file of payouts: each row settles its payout, all of them or none.

import { holdsCardNumber, maskNumbers } from "../../domain/card-number.ts";
import { documentOf, type FileResult, readResults } from "../../domain/payout-file.ts";
import { refuseRow } from "../../domain/statement.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { openApprovals } from "../approvals/approval-queries.ts";
import { approveEach } from "../approvals/approvals.ts";
import type { Operator } from "../operators/operator.ts";
import { attemptsOf } from "./attempt-queries.ts";
import { recordAnswers, type Told } from "./attempts.ts";
import { attemptsOfBatch } from "./batch-queries.ts";
import { approvalOf, givingBackNeedsTwo, NOT_SENT, type NotSent, toldNotSent } from "./not-sent.ts";
import { referenceOf } from "./proof.ts";
import { lockPayouts, type Payout, referencesTaken } from "./queries.ts";

/** How many of the rows did what. */
export interface Settled {
  readonly rows: number;
  readonly settled: number;
  /** Said before. */
  readonly known: number;
  /** Against what is known: that stays, and whoever watches is told. */
  readonly conflicts: number;
  /** Payouts of an unknown outcome, and large ones: another operator has to bring the file as well. */
  readonly to_approve: number;
}

interface Row extends NotSent {
  readonly row: number;
  readonly isSent: boolean;
  readonly reference: string;
}

export async function settleBatch(
  tx: Tx,
  app: App,
  batchId: string,
  bytes: Uint8Array,
  operator: Operator,
): Promise<Settled> {
  const rows = await rowsOf(tx, batchId, readResults(bytes));
  const ids = rows.map(({ payoutId }) => payoutId);
  const payouts = await lockPayouts(tx, ids);
  await refuseProven(tx, rows, payouts);
  const states = new Map(
    (await attemptsOf(tx, ids)).map((one) => [`${one.payoutId} ${one.number}`, one.state]),
  );
  const large = new Set(payouts.filter((one) => givingBackNeedsTwo(app, one)).map(({ id }) => id));
  // Where one gateway has asked for two people, no other gateway is content with one.
  const approved = await openApprovals(tx, ids, "not_sent", app.clock.now());
  const isDoubted = ({ payoutId, number }: Row): boolean => {
    const state = states.get(`${payoutId} ${number}`);
    const isOver = state === "sent" || state === "not_sent";
    const isApproved = approved.some((one) => one.subjectId === payoutId && one.attempt === number);
    return state === "unknown" || (!isOver && (isApproved || large.has(payoutId)));
  };
  const doubted = rows.filter((one) => !one.isSent && isDoubted(one));
  const answers = await approveEach(tx, app, operator, NOT_SENT, doubted.map(approvalOf));
  const isEnough = (answer: (typeof answers)[number] | undefined) =>
    answer !== undefined && "approvals" in answer && answer.approvals >= NOT_SENT.needed;
  const undecided = new Set(doubted.filter((_, place) => !isEnough(answers[place])));
  const heard = await recordAnswers(tx, app, rows.filter((one) => !undecided.has(one)).map(toldOf));
  // As at the desk: from the first approval on the outcome is unknown, and so the file is not for the bank.
  await recordAnswers(tx, app, [...undecided].map(toldByOne));
  // A refused approval, by the same person again, changes nothing.
  const to_approve = answers.filter((one) => "approvals" in one && !isEnough(one)).length;
  const count = (what: string): number => heard.filter((one) => one === what).length;
  return {
    rows: rows.length,
    settled: count("taken"),
    conflicts: count("conflict"),
    to_approve,
    known: count("known") + undecided.size - to_approve,
  };
}

/** Each with the attempt that it is about: of this file, and of no other that the payout was in. */
async function rowsOf(tx: Tx, batchId: string, results: readonly FileResult[]): Promise<Row[]> {
  const keys = new Map(
    (await attemptsOfBatch(tx, batchId)).map((one) => [documentOf(one.payoutId), one]),
  );
  return results.map(({ row, document, state, reason, reference: written }) => {
    const key = keys.get(document) ?? refuseRow("result_unknown", row, document);
    const reference = referenceOf(written);
    const said = { reason: maskNumbers(reason), retry: state === "retry" };
    return { ...key, ...said, row, reference, isSent: state === "sent" };
  });
}

function toldOf(row: Row): Told {
  const { payoutId, number, reference } = row;
  return row.isSent ? { payoutId, number, answer: { kind: "sent", reference } } : toldNotSent(row);
}

function toldByOne({ payoutId, number }: Row): Told {
  const detail =
    "An answer to its file says that it has not left; somebody else has to say so, too.";
  return { payoutId, number, answer: { kind: "unknown", detail } };
}

async function refuseProven(
  tx: Tx,
  rows: readonly Row[],
  payouts: readonly Payout[],
): Promise<void> {
  const currencies = new Map(payouts.map(({ id, currency }) => [id, currency]));
  const proofs = rows
    .filter(({ isSent }) => isSent)
    .map(({ payoutId: id, row, reference }) => ({
      id,
      row,
      reference,
      currency: currencies.get(id) ?? "",
    }));
  const taken = await referencesTaken(tx, proofs);
  const wrong = proofs.find((one) => taken.has(one.id) || holdsCardNumber(one.reference));
  if (wrong !== undefined) refuseRow("result_unproven", wrong.row, wrong.reference);
}
