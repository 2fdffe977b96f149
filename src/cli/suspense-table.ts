// The commands about money that waits for somebody to say whose it is; part of the table of all commands.

import type { Doors } from "./command.ts";
import { SAMPLE_ID as ID } from "./manual.ts";

export const SUSPENSE: Doors = {
  "suspense list": {
    call: "GET /manage/transfers",
    summary: "List transfers that wait in suspense",
    preset: { state: "suspense" },
    columns: "transfer_id suspense_reason amount payer received_at nearest_off nearest_payment_id",
  },
  "suspense candidates": {
    call: "GET /manage/transfers/{transfer_id}/candidates",
    columns: "payment_id off difference to_pay order_id state ends_at payer_said_amount",
  },
  "suspense assign": {
    call: "POST /manage/transfers/{transfer_id}/assign",
    warning: "The payment is credited with what arrived, and the shop is told.",
    warns: async (ask, { transfer_id }) => {
      const { takes_two } = await ask("/manage/transfers/{transfer_id}", { transfer_id });
      return takes_two === true
        ? "So much takes two people: this is a proposal, and nothing moves until somebody else confirms it."
        : undefined;
    },
    example: `--payment-id ${ID} --reason "the payer sent a receipt"`,
    says: ({ proposal }) =>
      proposal === null
        ? "It is assigned."
        : "Nothing has moved yet: so much takes a second person, who confirms the proposal.",
  },
  "suspense return": {
    call: "POST /manage/transfers/{transfer_id}/return",
    warning: "The money is booked as sent back; the bank has to be told by hand.",
    example: '--reason "nobody knows it"',
  },
  "proposal list": {
    call: "GET /manage/proposals",
    columns: "proposal_id state amount to_pay order_id transfer_id proposed_by_name reason",
    example: "--state open",
  },
  "proposal confirm": {
    call: "POST /manage/proposals/{proposal_id}/confirm",
    warning: "The payment is credited with what arrived, and the shop is told.",
  },
  "proposal decline": {
    call: "POST /manage/proposals/{proposal_id}/decline",
    warning: "The transfer waits in suspense as before.",
    example: '--reason "that is another payer"',
  },
};
