// /manage/lines: what statements say, line by line, and a person's word on what waits.

import Type from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { oneOf, text, uuid, yesNo } from "../../platform/field.ts";
import { change, changed, list } from "../operators/doors.ts";
import { requisitesById } from "../requisites/requisite-queries.ts";
import { bookLines } from "./apply.ts";
import { settleLine } from "./line-queries.ts";
import { type LineRow, Lines, lineFate } from "./nouns.ts";

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
    fate: Type.Optional(lineFate),
    waiting: Type.Optional(yesNo({ description: "Those that wait for a person." })),
  },
  ways: (_app, { import_id, requisite_id, transfer_id, fate, waiting }) => ({
    by: {
      import_id,
      transfer_id,
      "(row.fate = 'waiting' or row.missing_in is not null)": waiting === true ? true : undefined,
    },
    filters: { requisite_id, fate },
  }),
});

export const decideLine = change({
  path: "/manage/lines/:line_id/decide",
  summary: "Decide about a line that waits",
  description:
    "book: it is money of its own, and is booked as if it had just been told. ignore: nothing is " +
    "booked; of a line that a later file no longer has it says that somebody has looked.",
  act: "line.decide",
  input: Type.Object({
    line_id: uuid({ description: "The line." }),
    decision: oneOf(["book", "ignore"], { description: "What it is.", examples: ["ignore"] }),
    reason: text(
      { max: 500 },
      { description: "Why; it stays with the line.", examples: ["The bank has corrected it"] },
    ),
  }),
  data: Lines.wire,
  notFound: "There is no such line.",
  async make(tx, app, { line_id, decision, reason }, { name: author }) {
    const row = await Lines.lock(tx, line_id);
    const waits = row.fate === "waiting";
    if (!waits && row.missing_in === null) throw new Refusal("line_settled");
    const settled = { settled_by: author, settled_reason: reason, settled_at: app.clock.now() };
    const next: LineRow = { ...row, ...settled, missing_in: null };
    if (decision === "book") {
      if (!waits) throw new Refusal("line_settled");
      if (row.direction !== "in") throw new Refusal("line_is_no_income");
      const [requisite] = await requisitesById(tx, [row.requisite_id]);
      const [booked] = await bookLines(tx, app, [lineOf(row, requisite?.currency ?? "")]);
      if (booked === undefined || booked.fate === "waiting") throw new Refusal("line_ahead");
      Object.assign(next, { fate: booked.fate, transfer_id: booked.transferId, waits_for: null });
    } else if (waits) Object.assign(next, { fate: "ignored", waits_for: null });
    await settleLine(tx, next, settled.settled_at);
    return changed(Lines, row, next);
  },
});

function lineOf(row: LineRow, currency: string) {
  const { requisite_id: requisiteId, format, key, ordinal, direction, day, number } = row;
  const { row_number, made_at, amount_minor: amountMinor, party, purpose } = row;
  return {
    ...{ requisiteId, format, key, ordinal, direction, day, number, currency },
    ...{ row: row_number, madeAt: made_at ?? day, amountMinor, party, purpose },
  };
}
