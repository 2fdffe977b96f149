// /manage/transfers: money that arrived, why it is whose it is, and settling by hand what waits.
// Assigning a large one needs two people; the transfer is locked before everything else.

import { assigningNeedsTwo } from "../../domain/approval.ts";
import { minorFromNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { CHANNELS, type NearMiss, nearMiss, OFFS, type Off } from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import {
  currencyCode,
  decimal,
  lastDigits,
  oneOf,
  periodFields,
  Type,
  text,
  textOrNull,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { Approvals } from "../approvals/approval-nouns.ts";
import { openApprovals } from "../approvals/approval-queries.ts";
import { approveAmount, withdraw } from "../approvals/approvals.ts";
import { change, list, view } from "../operators/doors.ts";
import { column, isoMoment, shape } from "../operators/noun.ts";
import type { Operator } from "../operators/operator.ts";
import { requisitesSought } from "../requisites/wallet.ts";
import { madeWithin, type TransferRow, Transfers, transferFields, transferState } from "./nouns.ts";
import { evidenceOf, type NearRow, paymentsNear, slotOf, waysToTransfers } from "./queries.ts";
import { assignTransfer, judgeAssignment, lockWaiting, returnTransfer } from "./transfers.ts";

interface Assignment {
  readonly transferId: string;
  readonly paymentId: string;
  readonly reason: string;
}

/** How many people approve it by now, and how many it needs; with enough of them it is assigned. */
async function assignByHand(
  tx: Tx,
  app: App,
  { transferId, paymentId, reason }: Assignment,
  operator: Operator,
): Promise<{ readonly approvals: number; readonly needed: number }> {
  const { row, ...transfer } = await lockWaiting(tx, transferId);
  const open = await openApprovals(tx, [row.id], "assign", app.clock.now());
  const other = open.find((one) => one.mayAct && one.paymentId !== paymentId);
  if (other !== undefined) throw new Refusal("transfer_approved_otherwise", { name: other.name });
  const { payment } = await judgeAssignment(tx, transfer, paymentId);
  // A small sum that pays for a large order is as good as the large one to the shop that delivers it.
  const { amountMinor } = transfer;
  const sumMinor = amountMinor > payment.toPayMinor ? amountMinor : payment.toPayMinor;
  const isLarge = assigningNeedsTwo(sumMinor, row.suspense_reason, app.config.fourEyesFrom);
  const question = { subject: "transfer", action: "assign", isLarge } as const;
  const approval = { subjectId: row.id, paymentId: payment.id, reason };
  const { by, ...approved } = await approveAmount(tx, app, operator, question, approval);
  if (approved.approvals >= approved.needed) {
    await assignTransfer(tx, app, { transferId, paymentId, reason, author: by });
  }
  return approved;
}

async function withdrawAssignment(
  tx: Tx,
  app: App,
  { transferId, reason }: Omit<Assignment, "paymentId">,
  operator: Operator,
): Promise<void> {
  const { row } = await lockWaiting(tx, transferId);
  await withdraw(tx, app, operator, { subjectId: row.id, action: "assign", reason });
}

type NearCandidate = NearRow & { readonly off: Off; readonly difference_minor: bigint };

/** By the transfer's id, the nearest first. */
async function candidatesOf(
  db: Queryable,
  transfers: readonly TransferRow[],
  ways: { readonly onOtherCards: boolean },
): Promise<Map<string, NearCandidate[]>> {
  const rows = await paymentsNear(db, transfers, ways);
  const byTransfer = Map.groupBy(rows, (row) => row.transfer_id);
  const found = transfers.map((transfer): [string, NearCandidate[]] => {
    const misses = (byTransfer.get(transfer.id) ?? []).flatMap((row) => {
      const miss = missOf(transfer, row);
      return miss === undefined ? [] : [{ row, miss }];
    });
    const sorted = misses.toSorted((one, other) => one.miss.distance - other.miss.distance);
    return [
      transfer.id,
      sorted.map(({ row, miss: { off, differenceMinor: difference_minor } }) => ({
        ...row,
        off,
        difference_minor,
      })),
    ];
  });
  return new Map(found);
}

function missOf(transfer: TransferRow, row: NearRow): NearMiss | undefined {
  const money = {
    requisiteId: transfer.requisite_id,
    amountMinor: transfer.amount_minor,
    made: madeWithin(transfer),
  };
  return nearMiss(money, {
    requisiteId: row.requisite_id,
    toPayMinor: row.to_pay_minor,
    createdAt: row.issued_at,
    endsAt: row.ends_at,
    paymentState: row.state,
    invoiceState: row.invoice_state,
  });
}

const transfer_id = uuid({ description: "The transfer." });
const reason = text(
  { max: 500 },
  { description: "Why; it stays with the transfer.", examples: ["The payer called"] },
);

/** Beside what waits, the payment that it is nearest to, on the same card. */
const Listed = shape({
  ...transferFields,
  nearest_payment_id: column.uuidOrNull("Of what waits, the payment that it may be meant for."),
  nearest_off: column.textOrNull("What is off about it, as its candidates say."),
});

async function withNearest(db: Queryable, rows: readonly TransferRow[]) {
  const waiting = rows.filter(({ state }) => state === "suspense");
  const near = await candidatesOf(db, waiting, { onOtherCards: false });
  return rows.map((row) => {
    const [nearest] = near.get(row.id) ?? [];
    const { id: nearest_payment_id = null, off: nearest_off = null } = nearest ?? {};
    return { ...row, nearest_payment_id, nearest_off };
  });
}

export const readTransfers = list({
  path: "/manage/transfers",
  summary: "List and search transfers",
  description: "state=suspense lists what waits for the operator to decide.",
  noun: {
    ...Listed,
    async list(db, wish, ways) {
      const page = await Transfers.list(db, wish, ways);
      return { ...page, rows: await withNearest(db, page.rows) };
    },
  },
  filters: {
    ...periodFields,
    state: Type.Optional(transferState),
    needs_proof: Type.Optional(
      yesNo({ description: "Those that no statement has proven yet, or the others." }),
    ),
    reference: Type.Optional(text({ max: 255 }, { description: "The bank's own reference." })),
    amount: Type.Optional(decimal({ min: 0.01 }, { description: "How much arrived." })),
    currency: Type.Optional(currencyCode({ description: "Those in this currency." })),
    requisite_id: Type.Optional(uuid({ description: "Where it arrived." })),
    wallet: Type.Optional(lastDigits({ description: "Last four digits of that card or phone." })),
  },
  async ways(app, { amount, requisite_id, wallet, ...filter }) {
    const amountMinor = amount === undefined ? undefined : minorFromNumber(amount);
    const requisiteIds = await requisitesSought(app, requisite_id, wallet);
    return waysToTransfers({ ...filter, amountMinor, requisiteIds });
  },
});

export const assignSuspense = change({
  path: "/manage/transfers/:transfer_id/assign",
  summary: "Assign a transfer in suspense to a payment",
  description:
    "The payment is credited with what arrived. This cannot be undone. From KOPECK_FOUR_EYES_FROM on it needs two people: the first approval moves nothing, and the same call by another person assigns it.",
  act: "transfer.assign",
  by: "cashier",
  input: Type.Object({
    transfer_id,
    payment_id: uuid({ description: "The payment that the money was meant for." }),
    reason,
  }),
  data: Type.Object({
    ...Transfers.wire.properties,
    approvals: Type.Integer({ description: "How many people approve this.", examples: [1] }),
    needed: Type.Integer({ description: "How many it needs.", examples: [1] }),
  }),
  notFound: "There is no such transfer or payment.",
  async make(tx, app, input, operator) {
    const { transfer_id: transferId, payment_id, reason: why } = input;
    const before = await shown(tx, transferId);
    const paymentId = payment_id.toLowerCase();
    const assignment = { transferId, paymentId, reason: why };
    const approved = await assignByHand(tx, app, assignment, operator);
    const after = await shown(tx, transferId);
    const done = { data: { ...after, ...approved }, subject: after.transfer_id };
    if (approved.approvals >= approved.needed) return { ...done, before, after };
    const approval = { ...approved, payment_id: paymentId, reason: why };
    return { ...done, act: "transfer.approve", before: null, after: approval };
  },
});

export const withdrawSuspense = change({
  path: "/manage/transfers/:transfer_id/withdraw",
  summary: "Withdraw the approvals of an assignment",
  description: "By any operator. The transfer stays in suspense, and can be assigned anew.",
  act: "transfer.withdraw",
  by: "cashier",
  input: Type.Object({ transfer_id, reason }),
  data: Transfers.wire,
  notFound: "There is no such transfer.",
  async make(tx, app, { transfer_id: transferId, reason: why }, operator) {
    await withdrawAssignment(tx, app, { transferId, reason: why }, operator);
    const data = await shown(tx, transferId);
    return { data, subject: data.transfer_id, before: null, after: { ...data, reason: why } };
  },
});

export const returnSuspense = change({
  path: "/manage/transfers/:transfer_id/return",
  summary: "Return a transfer in suspense to its sender",
  description: "Books that the money went back; the bank is told by hand. This cannot be undone.",
  act: "transfer.return",
  by: "cashier",
  input: Type.Object({ transfer_id, reason }),
  data: Transfers.wire,
  notFound: "There is no such transfer.",
  async make(tx, app, { transfer_id: transferId, reason: why }, { name: author }) {
    const before = await shown(tx, transferId);
    await returnTransfer(tx, app, { transferId, author, reason: why });
    const after = await shown(tx, transferId);
    return { data: after, subject: after.transfer_id, before, after };
  },
});

async function shown(db: Queryable, id: string) {
  return Transfers.toWire(await Transfers.find(db, id));
}

const Evidence = Type.Object({
  channel: oneOf(CHANNELS, { description: "How it was told.", examples: ["line"] }),
  teller: Type.String({
    description: "Who told: a statement's format, a phone, or whoever named the bank's reference.",
    examples: ["line:1c"],
  }),
  key: Type.String({ description: "As what the teller knows it.", examples: ["bank-1"] }),
  made_at: textOrNull({ description: "When it was paid, as this teller says." }),
  told_at: isoMoment("When the gateway heard it."),
});

const Slot = Type.Object({
  payment_id: uuid({ description: "The payment that had the card and the amount to itself." }),
  held_from: isoMoment("From when."),
  held_until: isoMoment("Until when, its quarantine included."),
});

export const showTransfer = view({
  path: "/manage/transfers/:transfer_id",
  summary: "Show a transfer, who told of it and why it is whose it is",
  description:
    "Money is matched by the slot: at the money's moment one payment alone had this requisite and " +
    "this amount. The evidence is everybody who told of it, the first teller first.",
  input: Type.Object({ transfer_id: uuid({ description: "The transfer." }) }),
  data: Type.Object({
    ...Transfers.wire.properties,
    slot: Type.Union([Slot, Type.Null()], {
      description: "What it was matched by; null while it waits, and where a person decided.",
    }),
    needs_two: Type.Boolean({
      description:
        "Whether two people have to assign it; a smaller transfer needs them, too, where the payment expects so much.",
    }),
    evidence: Type.Array(Evidence),
    approvals: Type.Array(Approvals.wire, {
      description: "Who approved its assignment where that needs two people, the first one first.",
    }),
  }),
  notFound: "There is no such transfer.",
  async read(app, { transfer_id }) {
    const { db, config } = app;
    const row = await Transfers.find(db, transfer_id);
    const [told, slot, approvals] = await Promise.all([
      evidenceOf(db, row.id),
      slotOf(db, row),
      Approvals.of(db, row.id),
    ]);
    return {
      ...Transfers.toWire(row),
      slot: slot && {
        payment_id: slot.payment_id,
        held_from: slot.held_from.toISOString(),
        held_until: slot.held_until.toISOString(),
      },
      needs_two:
        row.state === "suspense" &&
        assigningNeedsTwo(row.amount_minor, row.suspense_reason, config.fourEyesFrom),
      evidence: told.map(({ told_at, ...one }) => ({ ...one, told_at: told_at.toISOString() })),
      approvals: approvals.map((one) => Approvals.toWire(one, app)),
    };
  },
});

const MOST_CANDIDATES = 20;

const Candidates = shape({
  payment_id: column.id("The payment."),
  off: column.as(oneOf(OFFS, { description: "The one thing that is off." })),
  difference: column.amount("difference_minor", "What arrived less what was to be paid.", -29.8),
  to_pay: column.amount("to_pay_minor", "What was to be paid.", 1519.8),
  invoice_id: column.uuid("Its invoice."),
  order_id: column.text("The order on the merchant's side.", "order-1"),
  shop_id: column.uuid("The shop."),
  requisite_id: column.uuid("Where it was to be paid to."),
  state: column.text("How the payment stands.", "live"),
  issued_at: column.moment("When its details were issued."),
  ends_at: column.moment("When they end or ended."),
  payer_said_paid_at: column.momentOrNull(
    "When the payer said to have paid. Nobody has proven a payer's word.",
  ),
  payer_said_amount: column.amountOrNull("payer_said_amount_minor", "How much the payer says."),
  payer_said_bank: column.textOrNull("From which bank."),
  payer_said_when: column.textOrNull("And when."),
});

export const findCandidates = view({
  path: "/manage/transfers/:transfer_id/candidates",
  summary: "Payments that a transfer may be meant for",
  description: `At most ${MOST_CANDIDATES}, the nearest first. One thing about each is off; nothing where several expect the same money. None for money that waits no more.`,
  input: Type.Object({ transfer_id: uuid({ description: "The transfer." }) }),
  data: Type.Object({ items: Type.Array(Candidates.wire) }),
  notFound: "There is no such transfer.",
  async read({ db }, { transfer_id }) {
    const transfer = await Transfers.find(db, transfer_id);
    const waiting = transfer.state === "suspense" ? [transfer] : [];
    const near = await candidatesOf(db, waiting, { onOtherCards: true });
    const items = near.get(transfer.id) ?? [];
    return { items: items.slice(0, MOST_CANDIDATES).map((one) => Candidates.toWire(one)) };
  },
});
