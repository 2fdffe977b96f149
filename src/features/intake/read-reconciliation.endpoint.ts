// GET /manage/reconciliation: whether the books have on each card what its bank says to be there, and if not, why.

import type { Static } from "typebox";
import { toDecimalNumber } from "../../domain/money.ts";
import { onlyRead } from "../../platform/db.ts";
import { integer, moment, oneOf, Type, textOrNull, uuid } from "../../platform/field.ts";
import { view } from "../operators/doors.ts";
import { type Reconciled, reconcile } from "./reconcile.ts";
import { requisitesWithStatements } from "./reconcile-queries.ts";

const MAX_REASONS = 500;
const DEFAULT_REASONS = 100;

const kind = Type.String({
  description:
    "Lines that the books know nothing of: `excluded`, `waiting`. Transfers: `unproven`, which no line tells of; `missing`, whose line the bank's last file no longer has, and movements alike; `returned`, which were taken out of the books and which a line shows. `other_format`: movements that only lines of another format show. And `before`, what the bank had before its first statement, less what the books had; `gap`, where a statement does not begin with what the one before it ended with.",
  examples: ["waiting"],
});
const amount = Type.Number({
  description: "What it adds to the bank's side; less than zero where the bank has less for it.",
  examples: [-500],
});

const Requisite = Type.Object({
  requisite_id: uuid({ description: "The requisite." }),
  currency: Type.String({ description: "Currency code.", examples: ["RUB"] }),
  day: Type.String({ description: "At the end of this day.", examples: ["2026-03-01"] }),
  state: oneOf(["equal", "explained", "unexplained"], {
    description:
      "Equal but for what was there before; or lines and transfers make the difference; or they do not.",
    examples: ["explained"],
  }),
  bank_balance: Type.Number({ description: "What the bank says.", examples: [1520] }),
  books_balance: Type.Number({
    description: "What the books say: money of that day or earlier.",
    examples: [2020],
  }),
  difference_amount: Type.Number({
    description: "The bank's less the books'.",
    examples: [-500],
  }),
  unexplained_amount: Type.Number({
    description: "What of it nothing here explains; it should be 0.",
    examples: [0],
  }),
});

export const readReconciliation = view({
  path: "/manage/reconciliation",
  summary: "Compare the books with the banks' statements",
  description:
    "The books' balance of each requisite that has statements beside its bank's own, at the end of the last day that a statement tells of, or of another day. For one requisite also what makes the difference. It takes about 1.5 s for a requisite of 100,000 lines.",
  input: Type.Object({
    requisite_id: Type.Optional(uuid({ description: "Only this one, with the reasons." })),
    day: Type.Optional(
      moment({
        description: "The day, such as 2026-03-01; the last one when left out.",
        maxLength: 10,
      }),
    ),
    limit: Type.Optional(
      integer({ min: 1, max: MAX_REASONS }, { description: "Reasons at most; 100." }),
    ),
  }),
  data: Type.Object({
    requisites: Type.Array(Requisite),
    parts: Type.Array(
      Type.Object({
        requisite_id: uuid({ description: "The requisite." }),
        kind,
        count: Type.Integer({ description: "How many there are.", examples: [1] }),
        amount,
      }),
      { description: "The difference, kind by kind." },
    ),
    reasons: Type.Array(
      Type.Object({
        kind,
        day: Type.String({ description: "Of which day.", examples: ["2026-03-01"] }),
        amount,
        line_id: textOrNull({ description: "The line, or null." }, "uuid"),
        transfer_id: textOrNull({ description: "The transfer, or null." }, "uuid"),
      }),
      { description: "Of one requisite: the lines and transfers, the newest first." },
    ),
  }),
  read({ db, config }, { requisite_id, day, limit = DEFAULT_REASONS }) {
    const { timeZone } = config;
    return db.transaction(async (tx) => {
      await onlyRead(tx);
      const answer: Answer = { requisites: [], parts: [], reasons: [] };
      for (const { id, currency } of await requisitesWithStatements(tx, requisite_id)) {
        const most = requisite_id === undefined ? 0 : limit;
        const found = await reconcile(tx, { requisiteId: id, currency, timeZone }, day, most);
        if (found !== undefined) tell(answer, id, currency, found);
      }
      return answer;
    });
  },
});

interface Answer {
  readonly requisites: Static<typeof Requisite>[];
  readonly parts: { requisite_id: string; kind: string; count: number; amount: number }[];
  readonly reasons: {
    kind: string;
    day: string;
    amount: number;
    line_id: string | null;
    transfer_id: string | null;
  }[];
}

function tell(answer: Answer, requisite_id: string, currency: string, found: Reconciled): void {
  const { day, bankMinor, booksMinor, parts, unexplainedMinor, reasons } = found;
  // Less than the books had by then is a difference that somebody has to know of.
  const isEqual = parts.every(({ kind, minor }) => kind === "before" && minor >= 0n);
  answer.requisites.push({
    requisite_id,
    currency,
    day,
    state: unexplainedMinor !== 0n ? "unexplained" : isEqual ? "equal" : "explained",
    bank_balance: toDecimalNumber(bankMinor),
    books_balance: toDecimalNumber(booksMinor),
    difference_amount: toDecimalNumber(bankMinor - booksMinor),
    unexplained_amount: toDecimalNumber(unexplainedMinor),
  });
  for (const { kind: of, count, minor } of parts) {
    answer.parts.push({ requisite_id, kind: of, count, amount: toDecimalNumber(minor) });
  }
  for (const { minor, ...reason } of reasons) {
    answer.reasons.push({ ...reason, amount: toDecimalNumber(minor) });
  }
}
