// GET /manage/reconciliation: the books' balance of a requisite beside the bank's, and the
// difference. A bank's balance of a day follows from its statements, each going on where the last
// ended.

import type { Static } from "typebox";
import { toDecimalNumber } from "../../domain/money.ts";
import { onlyRead, type Tx } from "../../platform/db.ts";
import { integer, moment, oneOf, Type, textOrNull, uuid } from "../../platform/field.ts";
import { planByHashes } from "../ledger/book-check-queries.ts";
import { findAccount } from "../ledger/queries.ts";
import { view } from "../operators/doors.ts";
import { openedOn } from "../treasury/queries.ts";
import {
  lineParts,
  movedIn,
  type Part,
  type Piece,
  type Reason,
  reasonsOf,
  requisitesWithStatements,
  type Section,
  type Span,
  sectionsOf,
  transferParts,
} from "./reconcile-queries.ts";

interface Chain {
  readonly pieces: readonly Piece[];
  readonly opening: bigint;
  readonly closing: bigint;
  /** Where one statement does not begin with what the one before it ended with. */
  readonly gaps: readonly Reason[];
}

interface Reconciled {
  readonly day: string;
  readonly bankMinor: bigint;
  readonly booksMinor: bigint;
  readonly parts: readonly Part[];
  readonly unexplainedMinor: bigint;
  readonly reasons: readonly Reason[];
}

interface Account {
  readonly requisiteId: string;
  readonly currency: string;
  readonly timeZone: string;
}

/** Undefined where no statement says anything of the day; without a day it is the last that one does. */
async function reconcile(
  tx: Tx,
  { requisiteId, currency, timeZone }: Account,
  wanted: string | undefined,
  mostReasons: number,
): Promise<Reconciled | undefined> {
  await planByHashes(tx);
  const sections = await sectionsOf(tx, requisiteId);
  const day = wanted ?? latest(sections.map(({ to }) => to));
  const last = day === undefined ? undefined : covering(sections, day);
  if (day === undefined || last === undefined) return undefined;
  const chain = await chainOf(tx, requisiteId, sections, last, day);
  const from = chain.pieces.at(-1)?.from ?? day;
  const span: Span = { requisiteId, pieces: chain.pieces, day, from, timeZone };
  const told = [...(await lineParts(tx, span)), ...(await transferParts(tx, span))];
  const found = [...Map.groupBy(told, ({ kind }) => kind).values()].map((some) =>
    some.reduce(added),
  );
  const sumOf = (kind: string): bigint => found.find((one) => one.kind === kind)?.minor ?? 0n;
  const bank = await findAccount(tx, { kind: "bank", currency, ownerId: requisiteId });
  const booksMinor = (bank?.balanceMinor ?? 0n) - sumOf("later");
  const said = await openedOn(tx, requisiteId);
  const before = { kind: "before", count: 1, minor: chain.opening - sumOf("before") - said };
  const gaps = chain.gaps.map(({ minor }) => ({ kind: "gap", count: 1, minor }));
  const parts = [
    ...(before.minor === 0n ? [] : [before]),
    ...(gaps.length === 0 ? [] : [gaps.reduce(added)]),
    ...found.filter(({ kind }) => !IN_BOTH.has(kind)),
  ].toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
  const explained = parts.reduce((sum, { minor }) => sum + minor, 0n);
  const kinds = parts.map(({ kind }) => kind).filter((kind) => kind !== "before" && kind !== "gap");
  const isPlain = kinds.length === 0 || mostReasons === 0;
  const reasons = isPlain ? [] : await reasonsOf(tx, span, kinds, mostReasons);
  return {
    day,
    bankMinor: chain.closing,
    booksMinor,
    parts,
    unexplainedMinor: chain.closing - booksMinor - explained,
    reasons: mostReasons === 0 ? [] : [...chain.gaps, ...reasons].slice(0, mostReasons),
  };
}

/** Both sides have these, or neither has them yet, or they are in what was there before. */
const IN_BOTH: ReadonlySet<string> = new Set(["proven", "later", "before"]);

function added(one: Part, other: Part): Part {
  return { ...one, count: one.count + other.count, minor: one.minor + other.minor };
}

function latest(days: readonly string[]): string | undefined {
  return days.reduce<string | undefined>(
    (last, one) => (last === undefined || one > last ? one : last),
    undefined,
  );
}

/** The newest that has the day. */
function covering(sections: readonly Section[], day: string): Section | undefined {
  return newest(sections.filter(({ from, to }) => from <= day && day <= to));
}

function newest(sections: readonly Section[]): Section | undefined {
  return sections.reduce<Section | undefined>(
    (best, one) => (best === undefined || one.place > best.place ? one : best),
    undefined,
  );
}

/** From the day back to the first that any statement knows. */
async function chainOf(
  tx: Tx,
  requisiteId: string,
  sections: readonly Section[],
  last: Section,
  day: string,
): Promise<Chain> {
  const balanceAt = async (section: Section, to: string): Promise<bigint> =>
    to === section.to
      ? section.closing
      : section.opening + (await movedIn(tx, requisiteId, { ...section, to }));
  const closing = await balanceAt(last, day);
  const pieces: Piece[] = [{ ...last, to: day }];
  const gaps: Reason[] = [];
  for (let section = last; ; ) {
    const eve = dayBefore(section.from);
    const earlier = sections.filter(({ from }) => from <= eve);
    const end = latest(earlier.map(({ to }) => (to < eve ? to : eve)));
    const next = end === undefined ? undefined : covering(earlier, end);
    if (next === undefined || end === undefined) {
      return { pieces, opening: section.opening, closing, gaps };
    }
    const minor = section.opening - (await balanceAt(next, end));
    if (minor !== 0n) {
      gaps.push({ kind: "gap", day: section.from, line_id: null, transfer_id: null, minor });
    }
    pieces.push({ ...next, to: end });
    section = next;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
}

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

const Data = Type.Object({
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
  data: Data,
  read({ db, config }, { requisite_id, day, limit = DEFAULT_REASONS }) {
    const { timeZone } = config;
    return db.transaction(async (tx) => {
      await onlyRead(tx);
      const answer: Static<typeof Data> = { requisites: [], parts: [], reasons: [] };
      for (const { id, currency } of await requisitesWithStatements(tx, requisite_id)) {
        const most = requisite_id === undefined ? 0 : limit;
        const found = await reconcile(tx, { requisiteId: id, currency, timeZone }, day, most);
        if (found !== undefined) tell(answer, id, currency, found);
      }
      return answer;
    });
  },
});

function tell(
  answer: Static<typeof Data>,
  requisite_id: string,
  currency: string,
  found: Reconciled,
): void {
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
