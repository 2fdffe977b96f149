// /manage/lines: what statements say, line by line, and a person's word on what waits.

import type { Static, TObject } from "typebox";
import { needsTwo } from "../../domain/approval.ts";
import { readMadeAt } from "../../domain/made-at.ts";
import { momentFormat } from "../../domain/moment.ts";
import { SEEN_FATES } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { oneOf, text, uuid, uuids, yesNo } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { WAITING_SUBJECT } from "../approvals/approval-queries.ts";
import { approveAmount } from "../approvals/approvals.ts";
import { byIds, change, changed, type Done, list } from "../operators/doors.ts";
import type { Operator } from "../operators/operator.ts";
import { seePayouts, unseePayout } from "../payouts/shown.ts";
import { requisitesById } from "../requisites/queries.ts";
import { bookLines } from "./apply.ts";
import { holdRequisites } from "./balances.ts";
import { lockLineRow, settleLine, UNEXPLAINED } from "./line-queries.ts";
import { type LineRow, Lines, lineFate } from "./nouns.ts";
import { attemptNamed, isShownOtherwise } from "./payout-line-queries.ts";
import { correctLine, postLines } from "./post-lines.ts";

export const readLines = list({
  path: "/manage/lines",
  summary: "List lines of statements",
  description:
    "waiting=true lists what a person has to decide, and what a later file no longer has.",
  noun: Lines,
  filters: {
    import_id: Type.Optional(uuid({ description: "Of this file." })),
    requisite_id: Type.Optional(uuid({ description: "Of this requisite's account." })),
    transfer_id: Type.Optional(uuid({ description: "That tell of this money." })),
    payout_id: Type.Optional(uuid({ description: "That name this payout." })),
    unexplained: Type.Optional(
      yesNo({ description: "Those that show a payout to have left which is said not to have." }),
    ),
    fate: Type.Optional(lineFate),
    waiting: Type.Optional(yesNo({ description: "Those that wait for a person." })),
    to_approve: Type.Optional(
      yesNo({ description: "Those that one person approved to book; another one has to, too." }),
    ),
    ids: Type.Optional(uuids("These lines alone", "00000000-0000-4000-8000-000000000601")),
  },
  ways: (
    { clock },
    {
      ids,
      import_id,
      requisite_id,
      transfer_id,
      payout_id,
      unexplained,
      fate,
      waiting,
      to_approve,
    },
  ) => ({
    by: {
      ...byIds(ids),
      import_id,
      transfer_id,
      payout_id,
      [UNEXPLAINED]: unexplained === true ? true : undefined,
      "(row.fate = 'waiting' or row.missing_in is not null)": waiting === true ? true : undefined,
      [WAITING_SUBJECT]: to_approve === true ? clock.now() : undefined,
    },
    filters: { requisite_id, fate },
  }),
});

/** What the audit log calls it. */
export const DECIDES = "line.decide";

/** What a person says of a line, or of several. */
export const WORD = {
  decision: oneOf(["book", "ignore", ...SEEN_FATES], {
    description: "What it is.",
    examples: ["ignore"],
  }),
  reason: text(
    { max: 500 },
    { description: "Why; it stays with the line.", examples: ["The bank has corrected it"] },
  ),
} as const;

type Decision = Static<TObject<typeof WORD>> & { readonly line_id: string };

export const decideLine = change({
  path: "/manage/lines/:line_id/decide",
  summary: "Decide about a line",
  description:
    "Of one that waits: book, it is money of its own, and is booked as if it had just been told; from " +
    "KOPECK_FOUR_EYES_FROM on that needs two people, and the first approval moves nothing. Of one that " +
    "waits, was put aside or is no payer's money: outflow, it left by the operator's word; charge, the bank took " +
    "it; internal, it went between own accounts; own, the operator took it or put it there; ignore, the books " +
    "do not count it. Own money is an operator's to decide, and so is, from KOPECK_FOUR_EYES_FROM on, " +
    "that what left was anything but an outflow. What the books had of it before is corrected, once. Of a line that a later file no " +
    "longer has, the same fate again, or ignore where it is a payer's money, says that somebody has looked.",
  act: DECIDES,
  by: "cashier",
  input: Type.Object({
    line_id: uuid({ description: "The line." }),
    ...WORD,
  }),
  data: Lines.wire,
  notFound: "There is no such line.",
  make: decideAbout,
});

export async function decideAbout(
  tx: Tx,
  app: App,
  { line_id, decision, reason }: Decision,
  operator: Operator,
): Promise<Done<Static<typeof Lines.wire>>> {
  const { name, role } = operator;
  await holdRequisites(tx, [(await Lines.find(tx, line_id)).requisite_id]);
  await lockLineRow(tx, line_id);
  const row = await Lines.find(tx, line_id);
  const isLarge = needsTwo(row.amount_minor, app.config.fourEyesFrom);
  // As a move of own money is: whoever handles money does not explain it away.
  const isExplained = isLarge && row.direction === "out" && decision !== "outflow";
  if (role !== "operator" && (decision === "own" || isExplained)) {
    throw new Refusal("line_for_operators");
  }
  const settled = { settled_by: name, settled_reason: reason, settled_at: app.clock.now() };
  const decided: LineRow = { ...row, ...settled, ...NO_APPROVAL, missing_in: null };
  const [requisite] = await requisitesById(tx, [row.requisite_id]);
  const line = lineOf(row, requisite?.currency ?? "");
  if (decision === "book") {
    if (row.fate !== "waiting") throw new Refusal("line_settled");
    if (row.direction !== "in") throw new Refusal("line_is_no_income");
    // What may be a payout that came back pays nobody by itself, whoever books it.
    const isDoubted = row.payout_id !== null;
    const settled_by = isDoubted ? name : await approveBooking(tx, app, row, operator, reason);
    if (settled_by === undefined) {
      return { ...changed(Lines, row, await Lines.find(tx, line_id)), act: "line.approve" };
    }
    const holds = isDoubted ? [[line, "payout_return"] as const] : [];
    const [booked] = await bookLines(tx, app, [line], new Map(holds));
    if (booked === undefined || booked.fate === "waiting") throw new Refusal("line_ahead");
    const { fate, transferId: transfer_id } = booked;
    const booking = { fate, transfer_id, payout_id: null, waits_for: null };
    return settle(tx, row, { ...decided, ...booking, settled_by });
  }
  if (row.transfer_id !== null) {
    if (decision !== "ignore" || row.missing_in === null) throw new Refusal("line_settled");
    return settle(tx, row, decided);
  }
  const fate = decision === "ignore" ? "ignored" : decision;
  if (fate === row.fate) {
    if (row.missing_in === null) throw new Refusal("line_settled");
    return settle(tx, row, decided);
  }
  if (row.direction === "in" && (fate === "outflow" || fate === "charge")) {
    throw new Refusal("line_is_no_outflow");
  }
  const attempt = fate === "outflow" ? await see(tx, app, row) : await unsee(tx, row);
  const payout_id = attempt === undefined ? null : row.payout_id;
  const posted = await correctLine(tx, app, { ...row, ...line, sourceId: row.id }, fate);
  const next: LineRow = { ...decided, payout_id, fate, posted, waits_for: null };
  const done = await settle(tx, row, next, attempt);
  if (fate === "ignored" || posted !== null) return done;
  const [judged] = await postLines(tx, app, [row.id]);
  return changed(Lines, row, { ...next, posted: judged?.posted ?? null });
}

/** Whose decision the booking is, or undefined where it waits for another approval. */
async function approveBooking(
  tx: Tx,
  app: App,
  { id: subjectId, amount_minor: amountMinor, made_at: madeAt, day }: LineRow,
  operator: Operator,
  reason: string,
): Promise<string | undefined> {
  // Nobody is asked to approve what cannot be booked yet.
  const made = readMadeAt(madeAt ?? day, momentFormat(app.config.timeZone), app.clock.now());
  if (made === undefined) throw new Refusal("line_ahead");
  const isLarge = needsTwo(amountMinor, app.config.fourEyesFrom);
  const question = { subject: "statement_line", action: "book", isLarge } as const;
  const approved = await approveAmount(tx, app, operator, question, { subjectId, reason });
  return approved.approvals < approved.needed ? undefined : approved.by;
}

/** The first approval is shown while the line waits. */
const NO_APPROVAL = {
  approved_by: null,
  approved_by_name: null,
  approval_reason: null,
  approved_at: null,
};

/** By which attempt the payout that it names has left, unless another line shows that already. */
async function see(tx: Tx, app: App, row: LineRow): Promise<number | undefined> {
  const { id, payout_id: payoutId, day } = row;
  if (payoutId === null || (await isShownOtherwise(tx, payoutId, id))) return undefined;
  const attempt = await attemptNamed(tx, id);
  const [seen] = await seePayouts(tx, app, [{ payoutId, day, attempt, isProof: false }]);
  return seen?.number;
}

/** It shows no payout any more to have left. */
async function unsee(tx: Tx, { id, payout_id: payoutId, fate }: LineRow): Promise<undefined> {
  if (payoutId === null || fate !== "outflow") return;
  if (!(await isShownOtherwise(tx, payoutId, id))) await unseePayout(tx, payoutId);
}

async function settle(tx: Tx, row: LineRow, next: LineRow, payoutAttempt?: number) {
  await settleLine(tx, next, payoutAttempt);
  return changed(Lines, row, next);
}

function lineOf(row: LineRow, currency: string) {
  const { requisite_id: requisiteId, format, key, ordinal, direction, day, number } = row;
  const { row_number, made_at, amount_minor: amountMinor, party, purpose } = row;
  return {
    requisiteId,
    format,
    key,
    ordinal,
    direction,
    day,
    number,
    currency,
    row: row_number,
    madeAt: made_at ?? day,
    amountMinor,
    party,
    purpose,
  };
}
