// Payouts as whoever manages the gateway sees them, with all that became of one.

import { isoOrNull } from "../../domain/moment.ts";
import {
  ATTEMPT_STATES,
  HELD_REASONS,
  PAYOUT_SERVICES,
  PAYOUT_STATES,
  SUBTRACTS,
} from "../../domain/payout.ts";
import { FILE_FORMATS } from "../../domain/payout-file.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tx } from "../../platform/db.ts";
import { oneOf, Type, textOrNull, uuid } from "../../platform/field.ts";
import { column, isoMoment, noun, shape } from "../operators/noun.ts";
import { lockPayouts, type Payout } from "./queries.ts";

const same = <Value>(value: Value): Value => value;
const textIn = <Name extends string>(name: Name, description: string) =>
  column.shown(textOrNull({ description }), name, same<string | null>);
const idIn = <Name extends string>(name: Name, description: string) =>
  column.shown(textOrNull({ description }, "uuid"), name, same<string | null>);
const momentIn = <Name extends string>(name: Name, description: string) =>
  column.shown(isoMoment(description), name, (at: Date) => at.toISOString());
const momentOrNullIn = <Name extends string>(name: Name, description: string) =>
  column.shown(textOrNull({ description }, "date-time"), name, isoOrNull);
const numberIn = <Name extends string>(name: Name, description: string, example: number) =>
  column.shown(Type.Integer({ description, examples: [example] }), name, same<number>);

export const Payouts = shape({
  payout_id: column.id("The payout."),
  user_id: column.shown(uuid({ description: "Whose money it is." }), "userId", same<string>),
  order_id: textIn("orderId", "The merchant's own id."),
  state: column.as(oneOf(PAYOUT_STATES, { description: "How it stands." })),
  service: column.as(oneOf(PAYOUT_SERVICES, { description: "How it is sent." })),
  wallet: column.shown(
    Type.String({ description: "Where to, masked.", examples: ["220220******0007"] }),
    "masked",
    same<string>,
  ),
  bank_id: textIn("bankId", "The receiver's bank in the fast payment system."),
  currency: column.text("Currency code.", "RUB"),
  amount: column.amount("amountMinor", "As it was asked for.", 100),
  receive: column.amount("receiveMinor", "What is to arrive.", 98),
  fee: column.amount("feeMinor", "The commission.", 2),
  withdraw: column.amount("withdrawMinor", "What leaves the balance: both together.", 100),
  subtract: column.as(oneOf(SUBTRACTS, { description: "Where the commission is taken from." })),
  comment: column.textOrNull("The merchant's own words."),
  origin: column.as(
    oneOf(["api", "payoff"], { description: "By the user's program, or by hand." }),
  ),
  author_id: idIn("authorId", "The operator who asked for it in the user's name."),
  held_reason: textIn("heldReason", `Why a person looks at it: ${HELD_REASONS.join(", ")}.`),
  approvals_needed: numberIn("approvalsNeeded", "How many have to approve it.", 0),
  attempts: column.integer("How often somebody began to send it.", 0),
  error: column.textOrNull("Why it failed, was canceled or came back; the user is told."),
  bank_reference: textIn("bankReference", "What the bank calls the money that left."),
  created_at: momentIn("createdAt", "When it was asked for."),
  settled_at: momentOrNullIn("settledAt", "When it ended."),
});

export const Attempts = shape({
  number: column.integer("Of the payout's attempts.", 1),
  rail: column.text("Whoever sent it.", "desk"),
  state: column.as(oneOf(ATTEMPT_STATES, { description: "What is known of it." })),
  author: column.textOrNull("The operator who took it, or made the file."),
  batch_id: idIn("batchId", "The file that it is in."),
  claimed_at: momentIn("claimedAt", "Since when it was in their hands."),
  lease_until: momentIn("leaseUntil", "Until when they say what came of it."),
  dispatched_at: momentOrNullIn("dispatchedAt", "From then on it may have left."),
  rail_id: textIn("railId", "What the rail calls it."),
  detail: column.textOrNull("What was said of it."),
});

/** A payout that several people may have to approve something about. */
export const withApprovals = Type.Object({
  ...Payouts.wire.properties,
  approvals: Type.Integer({ description: "How many people approve this by now.", examples: [1] }),
  needed: Type.Integer({ description: "How many it needs.", examples: [2] }),
});

export const Postings = shape({
  posting_id: column.id("The posting."),
  kind: column.text("What happened.", "payout_reserved"),
  available: column.amount("available_minor", "What the available balance gained.", -100),
  reserved: column.amount("reserved_minor", "What is set aside gained.", 100),
  bank_out: column.amount("bank_out_minor", "What left, and no statement has shown yet.", 0),
  fees: column.amount("fees_minor", "What was earned.", 0),
  created_at: column.moment("When."),
});

export const payoutId = uuid({ description: "The payout." });

/** It stays as it is until the transaction ends. */
export async function lockPayout(tx: Tx, id: string): Promise<Payout> {
  const [payout] = await lockPayouts(tx, [id]);
  if (payout === undefined) throw new Refusal("payout_not_found");
  return payout;
}

/** Files for the bank's client, without what is in them. */
export const Batches = noun(
  { from: "payout_batches", missing: "payout_batch_not_found" },
  {
    batch_id: column.id("The file."),
    format: column.as(oneOf(FILE_FORMATS, { description: "How it is written." })),
    currency: column.text("Currency code.", "RUB"),
    payouts: column.integer("How many are in it.", 2),
    sum: column.amount("sum_minor", "What is to arrive, all together.", 196),
    digest: column.shown(
      Type.String({
        description: "Tells its content from any other; keyed, and so of no use elsewhere.",
        examples: ["5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"],
      }),
      "digest",
      (digest: Buffer) => digest.toString("hex"),
    ),
    created_by: column.text("Who made it.", "Anna"),
    created_at: column.moment("When."),
  },
);
