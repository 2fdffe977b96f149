// /manage/lines: what statements say, line by line, and people's decisions about one or many. In a
// list each line has its own transaction and its own row in the audit log.

import type { Static, TObject } from "typebox";
import { needsTwo } from "../../domain/approval.ts";
import { mayBecome, waits } from "../../domain/line-outcome.ts";
import { readMadeAt } from "../../domain/made-at.ts";
import { momentFormat } from "../../domain/moment.ts";
import type { MovementKind } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { listOf, oneOf, Type, text, uuid, uuids, yesNo } from "../../platform/field.ts";
import { WAITING_SUBJECT } from "../approvals/approval-queries.ts";
import { approveAmount, withdrawOpen } from "../approvals/approvals.ts";
import {
  audited,
  byIds,
  change,
  changed,
  type Done,
  list,
  RefusedItem,
  refuseGone,
  toRefusedItem,
  withPlainReason,
} from "../operators/doors.ts";
import { cashierGate, type Operator } from "../operators/operator.ts";
import { seePayouts, unseePayout } from "../payouts/shown.ts";
import { requisitesById } from "../requisites/queries.ts";
import {
  bookLines,
  correctMovement,
  type Movement,
  tellMovements,
  untellMovement,
} from "./apply.ts";
import { holdRequisites } from "./balances.ts";
import {
  attemptNamed,
  IS_OPEN,
  isShownOtherwise,
  keepMissing,
  lockLineRow,
  type Settled,
  settleLine,
  signLine,
  UNEXPLAINED,
} from "./line-queries.ts";
import { LINE_KINDS, type LineRow, Lines, lineOutcome } from "./nouns.ts";

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
    movement_id: Type.Optional(uuid({ description: "That tell of this movement." })),
    payout_id: Type.Optional(uuid({ description: "That name this payout." })),
    unexplained: Type.Optional(
      yesNo({ description: "Those that show a payout to have left which is said not to have." }),
    ),
    outcome: Type.Optional(lineOutcome),
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
      movement_id,
      payout_id,
      unexplained,
      outcome,
      waiting,
      to_approve,
    },
  ) => ({
    by: {
      ...byIds(ids),
      import_id,
      transfer_id,
      movement_id,
      payout_id,
      [UNEXPLAINED]: unexplained === true ? true : undefined,
      [`(row.${IS_OPEN})`]: waiting === true ? true : undefined,
      [WAITING_SUBJECT]: to_approve === true ? clock.now() : undefined,
    },
    filters: { requisite_id, outcome },
  }),
});

/** What the audit log calls it. */
const DECIDES = "line.decide";

/** What a person says of a line, or of several. */
const WORD = {
  decision: oneOf(["book", "exclude", "reopen"], {
    description: "Put it into the ledger, leave it out, or wait for a decision again.",
    examples: ["exclude"],
  }),
  kind: Type.Optional(
    oneOf(LINE_KINDS, {
      description:
        "Of book: as what. Left out, what came is income, what left is an outflow, and a missing line stays what it is.",
      examples: ["charge"],
    }),
  ),
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
    "book: the ledger has it. Income is money of its own, and is matched as if it had just been reported; from " +
    "KOPECK_FOUR_EYES_FROM on that needs two people, and the first approval moves nothing. A movement (outflow, " +
    "charge, internal, own) is booked once, however many formats show it; another kind corrects it for all of them. " +
    "exclude: the ledger does not count the line. A payer's money stays. reopen: an excluded line waits again, without " +
    "earlier approvals. Of a line that is missing in a newer file, book keeps what the ledger has, and exclude takes " +
    "a movement out; either says that somebody has looked. Own money is an operator's to decide, and so is, from KOPECK_FOUR_EYES_FROM on, " +
    "that what left was anything but an outflow.",
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

async function decideAbout(
  tx: Tx,
  app: App,
  { line_id, decision, kind: said, reason }: Decision,
  operator: Operator,
): Promise<Done<Static<typeof Lines.wire>>> {
  await holdRequisites(tx, [(await Lines.find(tx, line_id)).requisite_id]);
  await lockLineRow(tx, line_id);
  const row = await Lines.find(tx, line_id);
  const kind = decision === "book" ? (said ?? row.kind ?? usualKind(row)) : undefined;
  assertMayDecide(app, operator, row, decision, kind);
  const [requisite] = await requisitesById(tx, [row.requisite_id]);
  const line = lineOf(row, requisite?.currency ?? "");
  let by: string | undefined = operator.name;
  if (decision === "reopen")
    await become(tx, row, { outcome: "reopened", payoutId: row.payout_id });
  else if (row.transfer_id !== null) await keepTransfer(tx, row, kind);
  else if (kind === undefined) await exclude(tx, app, row, line);
  else if (kind === "income") by = await bookIncome(tx, app, row, line, operator, reason);
  else await bookMovement(tx, app, row, line, kind);
  if (by === undefined) {
    return { ...changed(Lines, row, await Lines.find(tx, line_id)), act: "line.approve" };
  }
  // Approvals to book it as income do not outlive another decision.
  if (row.transfer_id === null && kind !== "income") {
    await withdrawOpen(tx, app, operator, { subjectId: line_id, action: "book", reason });
  }
  await signLine(tx, line_id, { by, reason, at: app.clock.now() });
  return changed(Lines, row, await Lines.find(tx, line_id));
}

type Kind = (typeof LINE_KINDS)[number];

function usualKind({ direction }: LineRow): Kind {
  return direction === "in" ? "income" : "outflow";
}

/** As a move of own money is: a cashier does not explain money away. */
function assertMayDecide(
  { config }: App,
  { role }: Operator,
  row: LineRow,
  decision: Decision["decision"],
  kind: Kind | undefined,
): void {
  const isLarge = needsTwo(row.amount_minor, config.fourEyesFrom);
  const isExplained = row.direction === "out" && decision !== "reopen" && kind !== "outflow";
  if (role !== "operator" && (kind === "own" || (isLarge && isExplained))) {
    throw new Refusal("line_for_operators");
  }
}

async function become(tx: Tx, row: LineRow, settled: Settled): Promise<void> {
  if (!mayBecome(row.outcome, settled.outcome)) throw new Refusal("line_settled");
  await settleLine(tx, row.id, settled);
}

/** A payer's money stays in the ledger, also where the bank's newer file has the line no more. */
async function keepTransfer(tx: Tx, row: LineRow, kind: Kind | undefined): Promise<void> {
  const isKept = kind === undefined || kind === "income";
  if (row.outcome !== "missing" || !isKept) throw new Refusal("line_settled");
  await keepMissing(tx, row.id);
}

async function exclude(tx: Tx, app: App, row: LineRow, line: StoredLine): Promise<void> {
  const movement = movementOf(row);
  if (movement?.kind === "outflow") await unsee(tx, row, null);
  await become(tx, row, { outcome: "excluded", payoutId: row.payout_id });
  if (movement === undefined) return;
  await untellMovement(tx, app, movement, line);
}

/** Who has booked it, or undefined where it waits for a second person. */
async function bookIncome(
  tx: Tx,
  app: App,
  row: LineRow,
  line: StoredLine,
  operator: Operator,
  reason: string,
): Promise<string | undefined> {
  if (!waits(row.outcome)) throw new Refusal("line_settled");
  if (row.direction !== "in") throw new Refusal("line_is_no_income");
  // What may be a payout that came back pays nobody by itself, whoever books it.
  const isDoubted = row.payout_id !== null;
  const by = isDoubted ? operator.name : await approveBooking(tx, app, row, operator, reason);
  if (by === undefined) return undefined;
  const holds = isDoubted ? [[line, "payout_return"] as const] : [];
  const [booked] = await bookLines(tx, app, [line], new Map(holds));
  if (booked === undefined || waits(booked.outcome)) throw new Refusal("line_ahead");
  await become(tx, row, { ...booked, payoutId: null });
  return by;
}

async function bookMovement(
  tx: Tx,
  app: App,
  row: LineRow,
  line: StoredLine,
  kind: MovementKind,
): Promise<void> {
  if (row.direction === "in" && (kind === "outflow" || kind === "charge")) {
    throw new Refusal("line_is_no_outflow");
  }
  const movement = movementOf(row);
  if (movement === undefined && !waits(row.outcome)) throw new Refusal("line_settled");
  if (movement?.kind === kind) {
    if (row.outcome !== "missing") throw new Refusal("line_settled");
    return keepMissing(tx, row.id);
  }
  const attempt = kind === "outflow" ? await see(tx, app, row) : undefined;
  if (movement?.kind === "outflow") await unsee(tx, row, movement.id);
  const moved = { ...line, id: row.id, kind };
  const known = movement ?? (await tellMovements(tx, app, [moved])).get(row.id);
  if (known === undefined) throw new Error("A line has no movement.");
  const isRight = known.kind === kind;
  const { id } = isRight ? known : await correctMovement(tx, app, known, moved);
  const payoutId = attempt === undefined ? null : row.payout_id;
  await become(tx, row, { outcome: kind, movementId: id, payoutId, payoutAttempt: attempt });
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

function movementOf({ movement_id: id, kind }: LineRow): Movement | undefined {
  return id === null || kind === null || kind === "income" ? undefined : { id, kind };
}

/** By which attempt the payout that it names has left, unless another line shows that already. */
async function see(tx: Tx, app: App, row: LineRow): Promise<number | undefined> {
  const { id, payout_id: payoutId, day } = row;
  if (payoutId === null || (await isShownOtherwise(tx, payoutId, id, null))) return undefined;
  const attempt = await attemptNamed(tx, id);
  const [seen] = await seePayouts(tx, app, [{ payoutId, day, attempt, isProof: false }]);
  return seen?.number;
}

/** It shows no payout any more to have left, nor do other lines of the movement that is something else. */
async function unsee(tx: Tx, { id, payout_id: payoutId }: LineRow, movementId: string | null) {
  if (payoutId === null) return;
  if (!(await isShownOtherwise(tx, payoutId, id, movementId))) await unseePayout(tx, payoutId);
}

type StoredLine = ReturnType<typeof lineOf>;

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

/** A second of work, or two. */
export const MOST_LINES = 100;

const Input = Type.Object({
  line_ids: listOf(
    uuid({ description: "The line." }),
    { min: 1, max: MOST_LINES },
    { description: "The lines." },
  ),
  ...WORD,
});

const Refused = Type.Object({
  line_id: uuid({ description: "The line." }),
  ...RefusedItem.properties,
});

const Item = Type.Union([Lines.wire, Refused]);
type Item = Static<typeof Item>;

const Data = Type.Object({ items: Type.Array(Item) });

export const decideLines = endpoint<typeof Input, typeof Data, Operator>({
  method: "POST",
  path: "/manage/lines/decide",
  summary: "Decide about several lines",
  description:
    "As about each by itself, one after the other: answered in their order, each with the line or why it was refused.",
  gate: cashierGate,
  input: Input,
  data: Data,
  problems: "all",
  refusesUnknown: true,
  async handle(app, { input: { line_ids, ...word }, principal: operator }) {
    const items: Item[] = [];
    let isAway = false;
    for (const line_id of line_ids) {
      const decision = withPlainReason({ ...word, line_id });
      try {
        if (isAway) throw new HttpFailure("unavailable");
        const make = async (tx: Tx) => {
          const done = await decideAbout(tx, app, decision, operator);
          await refuseGone(tx, app, operator);
          return done;
        };
        items.push(await audited(app, { operator, act: DECIDES }, make));
      } catch (error) {
        const refused = toRefusedItem(error);
        isAway = refused.status >= 500;
        items.push({ line_id, ...refused });
      }
    }
    return { items };
  },
});
