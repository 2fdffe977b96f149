// POST /manage/lines/decide: one word about many lines, where a bank has rewritten a whole day of them. Guards that
// each is decided as it would be by itself, in a transaction of its own with its own row in the audit log, so that one
// that is refused changes nothing for the others, and that the same call again decides none a second time. Once the database is away, no further one is tried.

import type { Static } from "typebox";
import type { Tx } from "../../platform/db.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { listOf, Type, uuid } from "../../platform/field.ts";
import {
  audited,
  RefusedItem,
  refuseGone,
  toRefusedItem,
  withPlainReason,
} from "../operators/doors.ts";
import { cashierGate, type Operator } from "../operators/operator.ts";
import { DECIDES, decideAbout, WORD } from "./manage-lines.endpoint.ts";
import { Lines } from "./nouns.ts";

/** A second of work, or two. */
export const MOST_LINES = 100;

const Input = Type.Object({
  line_ids: listOf(
    uuid({ description: "The line." }),
    { min: 1, max: MOST_LINES },
    { description: "The lines." },
  ),
  ...WORD,
});

const Refused = Type.Object({
  line_id: uuid({ description: "The line." }),
  ...RefusedItem.properties,
});

const Item = Type.Union([Lines.wire, Refused]);
type Item = Static<typeof Item>;

const Data = Type.Object({ items: Type.Array(Item) });

export const decideLines = endpoint<typeof Input, typeof Data, Operator>({
  method: "POST",
  path: "/manage/lines/decide",
  summary: "Decide about several lines",
  description:
    "As about each by itself, one after the other: answered in their order, each with the line or why it was refused.",
  gate: cashierGate,
  input: Input,
  data: Data,
  problems: "all",
  refusesUnknown: true,
  async handle(app, { input: { line_ids, ...word }, principal: operator }) {
    const items: Item[] = [];
    let isAway = false;
    for (const line_id of line_ids) {
      const decision = withPlainReason({ ...word, line_id });
      try {
        if (isAway) throw new HttpFailure("unavailable");
        const make = async (tx: Tx) => {
          const done = await decideAbout(tx, app, decision, operator);
          await refuseGone(tx, app, operator);
          return done;
        };
        items.push(await audited(app, { operator, act: DECIDES }, make));
      } catch (error) {
        const refused = toRefusedItem(error);
        isAway = refused.status >= 500;
        items.push({ line_id, ...refused });
      }
    }
    return { items };
  },
});
