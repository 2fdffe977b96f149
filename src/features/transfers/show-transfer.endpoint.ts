// GET /manage/transfers/:transfer_id: money, who told of it, and why it is whose it is.

import { assigningNeedsTwo } from "../../domain/approval.ts";
import { madeAtText } from "../../domain/made-at.ts";
import { type MomentFormat, momentFormat } from "../../domain/moment.ts";
import { CHANNELS } from "../../domain/transfer.ts";
import { oneOf, Type, textOrNull, uuid } from "../../platform/field.ts";
import { Approvals } from "../approvals/approval-nouns.ts";
import { view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { evidenceOf, slotOf } from "./evidence-queries.ts";
import { Transfers } from "./nouns.ts";

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
    why: Type.String({ description: "The same in a sentence.", examples: ["…"] }),
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
      why: whyOf(row, slot, told.length, momentFormat(config.timeZone)),
      needs_two:
        row.state === "suspense" &&
        assigningNeedsTwo(row.amount_minor, row.suspense_reason, config.fourEyesFrom),
      evidence: told.map(({ told_at, ...one }) => ({ ...one, told_at: told_at.toISOString() })),
      approvals: approvals.map((one) => Approvals.toWire(one, app)),
    };
  },
});

/** Where whoever settles it by hand should look before. */
const ADVICE: Readonly<Record<string, string>> = {
  balance_break:
    " The balance in the message does not follow from the last one: a message is missing, or this one is made up. Import the statement before you assign it.",
  maybe_known:
    " Equal money was returned, or was told of a few days before and is in no statement: if this is the same, return it; if not, assign it.",
  told_by_hand:
    " A person alone has told of so much: it takes a second one, or a statement that shows it.",
  payout_return:
    " The line names a payout of the same amount: it has likely come back. The line says which. Where that is said not to have left, return this.",
};

function whyOf(
  row: Awaited<ReturnType<typeof Transfers.find>>,
  slot: Awaited<ReturnType<typeof slotOf>>,
  tellers: number,
  zone: MomentFormat,
): string {
  const told = tellers === 1 ? "One teller has told of it" : `${tellers} tellers have told of it`;
  if (row.state === "suspense") {
    return `${told}; it waits: ${row.suspense_reason}.${ADVICE[row.suspense_reason ?? ""] ?? ""}`;
  }
  if (row.settled_by !== null) {
    return `${told}; ${row.settled_by} settled it: ${row.settled_reason}.`;
  }
  if (slot === null) return `${told}.`;
  const { made_at: madeAt, received_at: receivedAt } = row;
  const paid = madeAt === null ? zone.text(receivedAt) : madeAtText(madeAt, zone);
  const [from, until] = [zone.text(slot.held_from), zone.text(slot.held_until)];
  return `${told}. It was paid at ${paid}, and from ${from} to ${until} nobody else had this requisite and this amount.`;
}
