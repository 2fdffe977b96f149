// Imports and lines of statements: as they are stored, and as whoever manages the gateway sees them.

import { LINE_OUTCOMES, type LineOutcome, WAITING_OUTCOMES } from "../../domain/line-outcome.ts";
import { MOVEMENT_KINDS } from "../../domain/posting.ts";
import { oneOf, Type } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

export const lineOutcome = oneOf(LINE_OUTCOMES, {
  description:
    "Where it stands. In the ledger: new money, a duplicate of what another source had reported, money that left, the " +
    "bank's fee, between own accounts, or the operator's own. Excluded by a person. Waiting for one: a line of its " +
    "day has vanished or changed; it takes back or brings back what had moved (reversal); its moment is still to " +
    "come (ahead); it names a payout that does not fit; its account is in doubt; or a person has reopened it. Or " +
    "missing in a newer file, which a person has to look at.",
});

/** What the ledger has a line as. */
export const LINE_KINDS = ["income", ...MOVEMENT_KINDS] as const;

/** What became of a file's lines. */
export const outcomeCounts = {
  new: Type.Integer({ description: "Lines that were new money." }),
  duplicate: Type.Integer({ description: "Lines of money that another source had reported." }),
  outflow: Type.Integer({ description: "Lines of money that left." }),
  charge: Type.Integer({ description: "Fees of the bank." }),
  internal: Type.Integer({ description: "Lines between own accounts: no money." }),
  waiting: Type.Integer({ description: "Lines that wait for a person." }),
  excluded: Type.Integer({ description: "Lines that a person has excluded." }),
  missing: Type.Integer({ description: "Lines of earlier files that this one no longer has." }),
};

export function countsOf(outcomes: ReadonlyMap<LineOutcome, number>) {
  const count = (outcome: LineOutcome): number => outcomes.get(outcome) ?? 0;
  return {
    new: count("new"),
    duplicate: count("duplicate"),
    outflow: count("outflow"),
    charge: count("charge"),
    internal: count("internal"),
    waiting: WAITING_OUTCOMES.map(count).reduce((sum, lines) => sum + lines),
    excluded: count("excluded"),
  };
}

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
      case when row.transfer_id is not null then 'income'
           else (select kind from movements where id = row.movement_id) end as kind,
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
    outcome: column.as(lineOutcome),
    kind: column.as(
      Type.Unsafe<(typeof LINE_KINDS)[number] | null>({
        type: ["string", "null"],
        enum: [...LINE_KINDS, null],
        description:
          "How the ledger booked the line: income for a transfer, else the kind of the movement; null if nothing is booked.",
      }),
    ),
    transfer_id: column.uuidOrNull("The money that it tells of."),
    movement_id: column.uuidOrNull(
      "The bank movement of the line. Lines of several formats can share one; the ledger books it once.",
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
