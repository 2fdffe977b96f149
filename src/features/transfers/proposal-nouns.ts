// Proposals: what one person says of a transfer that waits, and another has to confirm; as whoever manages the
// gateway sees them.

import { PROPOSAL_STATES } from "../../domain/four-eyes.ts";
import { oneOf } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

export const proposalState = oneOf(PROPOSAL_STATES, {
  description:
    "open waits for somebody else; over: the transfer was settled in another way meanwhile.",
  examples: ["open"],
});

export const Proposals = noun(
  {
    from: "transfer_proposals",
    // The person who confirms it sees whose money it is to be.
    join: `join transfers transfer on transfer.id = row.transfer_id
      join payments payment on payment.id = row.payment_id
      join invoices invoice on invoice.id = payment.invoice_id
      join operators proposer on proposer.id = row.proposed_by
      left join operators ender on ender.id = row.ended_by`,
    columns: `row.*, transfer.amount_minor, transfer.currency, payment.to_pay_minor,
      payment.invoice_id, payment.shop_id, invoice.order_id, proposer.name as proposed_by_name,
      ender.name as ended_by_name`,
    missing: "proposal_not_found",
  },
  {
    proposal_id: column.id("The proposal."),
    transfer_id: column.uuid("The transfer that waits."),
    payment_id: column.uuid("The payment that the money is said to be meant for."),
    invoice_id: column.uuid("Its invoice."),
    order_id: column.text("The order on the merchant's side.", "order-1"),
    shop_id: column.uuid("The shop."),
    to_pay: column.amount("to_pay_minor", "What was to be paid.", 1020),
    amount: column.amount("amount_minor", "How much arrived.", 150_000),
    currency: column.text("Currency code.", "RUB"),
    state: column.as(proposalState),
    reason: column.text("Why.", "The payer called"),
    proposed_by: column.uuid("The operator who proposes it."),
    proposed_by_name: column.text("What they are called.", "Anna"),
    created_at: column.moment("When."),
    ended_by: column.uuidOrNull("Who confirmed, declined or withdrew it, or null."),
    ended_by_name: column.textOrNull("What they are called."),
    ended_reason: column.textOrNull("Why it was declined or withdrawn."),
    ended_at: column.momentOrNull("When it ended, or null."),
  },
);

export type ProposalRow = RowOf<typeof Proposals>;
