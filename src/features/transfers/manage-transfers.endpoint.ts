// /manage/transfers: money that arrived, found again, and settled by hand where it belongs to no payment.

import { minorFromNumber } from "../../domain/money.ts";
import type { Queryable } from "../../platform/db.ts";
import {
  currencyCode,
  decimal,
  lastDigits,
  periodFields,
  Type,
  text,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { change, list } from "../operators/doors.ts";
import { column, shape } from "../operators/noun.ts";
import { requisitesSought } from "../requisites/wallet.ts";
import { assignByHand, withdrawAssignment } from "./assign.ts";
import { candidatesOf } from "./near.ts";
import { type TransferRow, Transfers, transferFields, transferState } from "./nouns.ts";
import { waysToTransfers } from "./queries.ts";
import { returnTransfer } from "./transfers.ts";

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
