// Imports and lines of statements: as they are stored, and as whoever manages the gateway sees them.

import { oneOf } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

const LINE_FATES = [
  ...(["booked", "joined", "outflow", "charge", "internal", "own", "ignored", "waiting"] as const),
] as const;

/** Why a line waits for a person. */
const WAITS_FOR = ["changed", "reversal", "ahead", "payout", "account"] as const;

export const lineFate = oneOf(LINE_FATES, {
  description:
    "What became of it: new money, money that somebody had told of before, money that left, the " +
    "bank's fee, between own accounts, the operator's own, put aside by a person, or it waits for one.",
});

export const Imports = noun(
  { from: "imports", missing: "import_not_found" },
  {
    import_id: column.id("The import: one file."),
    filename: column.text("What the file was called.", "kl_to_1c.txt"),
    format: column.text("The format that it was read as.", "1c"),
    requisite_id: column.uuidOrNull("Whose account it was said to be, where the file names none."),
    lines: column.integer("Lines of booked money in it."),
    pending_lines: column.integer("Lines that are not booked yet, or failed: no money."),
    done_lines: column.integer("Lines that are done."),
    known_lines: column.integer("Those of them that earlier files had, too."),
    created_at: column.moment("When it was brought."),
    created_by: column.text("By whom.", "anna"),
    applied_at: column.momentOrNull("When all of it was applied; null while that goes on."),
  },
);

export const Lines = noun(
  {
    from: "statement_lines",
    columns: `row.*, row.day::text as day,
      (select currency from requisites where id = row.requisite_id) as currency,
      last.approved_by, last.approved_by_name, last.approval_reason, last.approved_at`,
    // The last one while it waits for another one: earlier ones count no more.
    join: `left join lateral (
      select by as approved_by, by_name as approved_by_name, reason as approval_reason,
             at as approved_at
      from waiting_approvals where subject_id = row.id and action = 'book'
      order by at desc, id desc limit 1) last on true`,
    missing: "line_not_found",
  },
  {
    line_id: column.id("The line."),
    requisite_id: column.uuid("Of whose account."),
    import_id: column.uuid("The file that it first came in."),
    row: column.shown(
      Type.Integer({ description: "The row of that file." }),
      "row_number",
      (row: number) => row,
    ),
    direction: column.as(
      oneOf(["in", "out"], { description: "Whether money came or went.", examples: ["in"] }),
    ),
    day: column.text("The day it was booked on.", "2026-03-01"),
    made_at: column.textOrNull(
      "When it was paid, as exactly as the file knows: a moment, a day, or the first and the last that it may be, a slash between them.",
    ),
    amount: column.amount("amount_minor", "How much.", 1000),
    currency: column.text("Currency code.", "RUB"),
    number: column.textOrNull("The document's number."),
    party: column.textOrNull("The other side, masked."),
    purpose: column.textOrNull("What for, masked."),
    fate: column.as(lineFate),
    waits_for: column.as(
      Type.Unsafe<(typeof WAITS_FOR)[number] | null>({
        type: ["string", "null"],
        enum: [...WAITS_FOR, null],
        description:
          "Why it waits: a line of its day has vanished or changed, it takes back or brings back " +
          "what had moved, it is of a moment that is still to come, it does not say which account it " +
          "is of where others of its file do, or another card has it by a file that names none either, " +
          "or it names a payout and is of another amount, names several, or shows one to have left a " +
          "second time.",
      }),
    ),
    transfer_id: column.uuidOrNull("The money that it tells of."),
    posted: column.as(
      Type.Unsafe<boolean | null>({
        type: ["boolean", "null"],
        description:
          "Of what is no payer's money: whether this line is in the books, or another format's of the same movement; null where neither is.",
      }),
    ),
    payout_id: column.uuidOrNull(
      "The payout that it names: it shows that this left, or may be its return.",
    ),
    missing_in: column.uuidOrNull("A later file of its days that no longer has it."),
    approved_by: column.uuidOrNull(
      "The operator who approved to book it, where it waits for a second approval; else null.",
    ),
    approved_by_name: column.textOrNull("Their name."),
    approval_reason: column.textOrNull("Why they approved it."),
    approved_at: column.momentOrNull("When they approved it, or null."),
    settled_at: column.momentOrNull("When a person decided about it, or null."),
    settled_by: column.textOrNull("Who."),
    settled_reason: column.textOrNull("And why."),
    format: column.unseen<string>(),
    key: column.unseen<string>(),
    ordinal: column.unseen<number>(),
  },
);

export type LineRow = RowOf<typeof Lines>;
