// The books' balance of a requisite beside the bank's own: equal, or what makes the difference, kind by kind. A
// bank's balance of a day follows from its statements, each going on where the one before it ended; what
// neither lines nor transfers explain is left over, and should be nothing.

import type { Tx } from "../../platform/db.ts";
import { findAccount } from "../ledger/account-queries.ts";
import { planByHashes } from "../ledger/piece-queries.ts";
import {
  lineParts,
  movedIn,
  openingOf,
  type Part,
  type Piece,
  type Reason,
  reasonsOf,
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

export interface Reconciled {
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
export async function reconcile(
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
  const said = await openingOf(tx, requisiteId);
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
