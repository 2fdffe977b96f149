// The commands about what waits for somebody to say what it is, money and lines of statements; part of the table of all
// commands.

import type { Doors, Input } from "./command.ts";
import { SAMPLE_ID as ID } from "./manual.ts";

const SECOND = "this amount needs a second approval, by another person with the same command.";

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
      const { needs_two, approvals } = await ask("/manage/transfers/{transfer_id}", {
        transfer_id,
      });
      const isFirst = needs_two === true && (approvals as Input[]).every(({ counts }) => !counts);
      return isFirst
        ? "This amount needs two people: nothing moves until another person approves it as well."
        : undefined;
    },
    example: `--payment-id ${ID} --reason "the payer sent a receipt"`,
    says: ({ state }) =>
      state === "matched" ? "It is assigned." : `Nothing has moved yet: ${SECOND}`,
  },
  "suspense return": {
    call: "POST /manage/transfers/{transfer_id}/return",
    warning: "The money is booked as sent back; the bank has to be told by hand.",
    example: '--reason "nobody knows it"',
  },
  "suspense withdraw": {
    call: "POST /manage/transfers/{transfer_id}/withdraw",
    warning: "The transfer stays in suspense, and needs its approvals anew.",
    example: '--reason "that is another payer"',
  },
  "approval list": {
    call: "GET /manage/approvals",
    columns: "subject_type subject_id action by_name at reason payment_id order_id",
    example: "--waiting",
  },
  "line list": {
    call: "GET /manage/lines",
    columns: "line_id day amount direction outcome kind approved_by_name party",
    example: "--waiting",
  },
  "line decide": {
    call: "POST /manage/lines/{line_id}/decide",
    warning: "Income that is booked cannot be undone.",
    example: '--decision exclude --reason "the bank has corrected it"',
    says: ({ outcome, approved_by }) =>
      approved_by === null ? `It is ${outcome}.` : `Nothing has moved yet: ${SECOND}`,
  },
  "line decide-several": {
    call: "POST /manage/lines/decide",
    columns: "line_id outcome settled_by code error",
    file: {
      field: "line_ids",
      description: "A line for each, with its id; up to 100.",
      item: (line) => line,
    },
    says: ({ items }) => {
      const { decided, open, all } = countsOf(items as Input[]);
      const told = `Decided: ${decided} of ${all}.`;
      return open === 0 ? told : `${told} Of ${open} nothing has moved yet: ${SECOND}`;
    },
    fails: ({ items }) => {
      const { decided, open, all } = countsOf(items as Input[]);
      const others = all - decided - open;
      if (others === 0) return undefined;
      return `${others} of ${all} were refused or got no answer; the same again decides none twice.`;
    },
    warning: "Income that is booked cannot be undone.",
    example: '--file ids.txt --decision exclude --reason "the bank renamed them"',
  },
};

function countsOf(lines: readonly Input[]) {
  const done = lines.filter(({ outcome }) => outcome !== undefined);
  const open = done.filter(({ approved_by }) => approved_by !== null).length;
  return { open, decided: done.length - open, all: lines.length };
}
