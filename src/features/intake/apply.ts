// What becomes of the lines of a statement. Guards that a line moves money once, that what changed or
// vanished between two files moves none by itself, and that money which somebody else has told of already
// is not booked again.

import { isMovement, type LineOutcome, type WaitingOutcome } from "../../domain/line-outcome.ts";
import type { MovementKind } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import { canBeRedated } from "../../domain/statement.ts";
import type { SuspenseReason } from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { type Arrival, acceptTransfers } from "../transfers/transfers.ts";
import {
  addLines,
  linesOfDays,
  linesOfDocuments,
  linesOfOthers,
  type NewLine,
} from "./line-queries.ts";
import { type Meeting, meetPayouts, seeMet } from "./meet-payouts.ts";
import { tellMovements } from "./movements.ts";
import type { BroughtFile, ReadImport, ReadLine } from "./read-file.ts";
import { readImport } from "./read-import.ts";

/** What of a file is new, and whether it has a line at all. */
interface Recognised {
  readonly read: ReadImport;
  readonly fresh: readonly ReadLine[];
  has(line: Named): boolean;
  /** How many lines it has of a day, new or not, and how many of those with one text. */
  readonly perDay: ReadonlyMap<string, number>;
  readonly perText: ReadonlyMap<string, number>;
}

type Named = Pick<ReadLine, "requisiteId" | "key" | "ordinal">;

/** `look` says which of some lines an earlier file had, by their places. */
export async function recognise(
  app: App,
  file: BroughtFile,
  look: (lines: readonly ReadLine[]) => Promise<ReadonlySet<number>>,
): Promise<Recognised> {
  const fresh: ReadLine[] = [];
  // Of most lines nothing else is kept: how many of the same there are of an account.
  const counts = new Map<string, Map<string, number>>();
  const [perDay, perText] = [new Map<string, number>(), new Map<string, number>()];
  const countsOf = ({ requisiteId }: Named) => counts.get(requisiteId) ?? new Map<string, number>();
  const read = await readImport(app, file, async (lines) => {
    const known = await look(lines);
    for (const [place, line] of lines.entries()) {
      counts.set(line.requisiteId, countsOf(line).set(line.key, line.ordinal));
      perDay.set(line.day, (perDay.get(line.day) ?? 0) + 1);
      perText.set(textOf(line), (perText.get(textOf(line)) ?? 0) + 1);
      if (!known.has(place)) fresh.push(line);
    }
  });
  const has = (line: Named) => (countsOf(line).get(line.key) ?? 0) >= line.ordinal;
  return { read, fresh, has, perDay, perText };
}

/** What earlier files had of days that this one tells anew, and it has not. */
export interface Compared {
  /** The ids of lines that are no longer there. */
  readonly missing: readonly string[];
  /**
   * New lines that may be such a line, changed: its document, of its day, or as much and dated anew. And those that
   * may be of another account.
   */
  readonly doubtful: ReadonlyMap<ReadLine, "changed" | "account">;
}

/** How many documents are looked up at once. */
const LOOK_SIZE = 5_000;

/**
 * The last day of a file may be unfinished: it is told anew only by a file that has something new of it.
 * So a morning's file that is brought after the evening's takes nothing for lost. What was last seen in this
 * import is not asked for again.
 */
export async function compare(
  db: Queryable,
  recognised: Recognised,
  importId?: string,
): Promise<Compared> {
  const { read, fresh, has } = recognised;
  const freshDays = new Set(fresh.map(dayOf));
  const missing: string[] = [];
  const days = new Set<string>();
  const lost: Moved[] = [];
  for (const span of spansOf(read)) {
    for (const stored of await linesOfDays(db, span, importId)) {
      const line = { ...stored, requisiteId: span.requisiteId };
      if (has(line)) continue;
      const isOfSpan = span.from <= line.day && line.day <= span.to;
      const isToldAnew = line.day < span.to || freshDays.has(dayOf(line));
      if (isOfSpan && !isToldAnew) continue;
      lost.push(line);
      if (!isOfSpan) continue;
      missing.push(line.id);
      days.add(dayOf(line));
    }
  }
  const byMoved = Map.groupBy(lost, movedBy);
  const isRedated = (line: ReadLine) =>
    byMoved.get(movedBy(line))?.some(({ day }) => canBeRedated(day, line.day)) === true;
  const doubtful = new Map<ReadLine, "changed" | "account">();
  for (const line of fresh) {
    if (days.has(dayOf(line)) || isRedated(line)) doubtful.set(line, "changed");
  }
  for (let from = 0; from < fresh.length; from += LOOK_SIZE) {
    const part = fresh.slice(from, from + LOOK_SIZE);
    for (const { place, ...known } of await linesOfDocuments(db, part)) {
      const line = part[place];
      if (line === undefined || has({ ...line, ...known })) continue;
      doubtful.set(line, "changed");
    }
  }
  if (!read.namesAccounts) {
    for (const line of await linesAlike(db, recognised)) doubtful.set(line, "account");
  }
  return { missing, doubtful };
}

/** Where a bank writes the same of everything, equal sums are on every card: that tells nothing. */
function textOf({ madeAt, purpose }: Pick<ReadLine, "madeAt" | "purpose">): string {
  return `${madeAt} ${purpose ?? ""}`;
}

/**
 * New lines that another card has as well, where the file may be that one's: those with a text of their own are at
 * least half of what it has of some day. By chance, too, two cards have lines that say the same.
 */
async function linesAlike(
  db: Queryable,
  { read: { format }, fresh, perDay, perText }: Recognised,
): Promise<readonly ReadLine[]> {
  const alike = new Set<ReadLine>();
  for (let from = 0; from < fresh.length; from += LOOK_SIZE) {
    const part = fresh.slice(from, from + LOOK_SIZE);
    const places = await linesOfOthers(db, format, part);
    for (const [place, line] of part.entries()) if (places.has(place)) alike.add(line);
  }
  const isTelling = (one: ReadLine) => one.purpose !== null && perText.get(textOf(one)) === 1;
  const telling = [...alike].filter(isTelling);
  const days = Map.groupBy(telling, ({ day }) => day);
  const isOther = [...days].some(([day, own]) => own.length * 2 >= (perDay.get(day) ?? 0));
  return isOther ? [...alike] : [];
}

/** All the days of an account that the file tells of. */
function spansOf({ sections }: ReadImport) {
  const spans = Map.groupBy(sections, (one) => one.requisite_id);
  return [...spans].map(([requisiteId, own]) => ({
    requisiteId,
    format: own[0]?.format ?? "",
    from: own.map((one) => one.from_day).reduce((a, b) => (a < b ? a : b)),
    to: own.map((one) => one.to_day).reduce((a, b) => (a > b ? a : b)),
  }));
}

type Moved = Pick<ReadLine, "requisiteId" | "day" | "direction" | "amountMinor">;

function dayOf(line: Omit<Moved, "amountMinor">): string {
  return `${line.requisiteId} ${line.day} ${line.direction}`;
}

function movedBy({ requisiteId, direction, amountMinor }: Moved): string {
  return `${requisiteId} ${direction} ${amountMinor}`;
}

interface Judged {
  readonly outcome: LineOutcome;
  readonly transferId: string | null;
  readonly payoutId?: string;
  readonly payoutAttempt?: number | null;
  /** Where it is new money: whose it is. */
  readonly state?: string;
}

/**
 * Books what is money and writes all of them down; the answer is what became of each. Without an import it
 * is only tried, and nothing is written down.
 */
export async function applyLines(
  tx: Tx,
  app: App,
  importId: string | undefined,
  lines: readonly ReadLine[],
  doubtful: Compared["doubtful"],
): Promise<Judged[]> {
  const met = await meetPayouts(tx, app, lines);
  const plain = lines.map((line) => judge(line, doubtful, met.get(line)));
  // Before anything else is locked: whoever settles a payout has it first, and balances after it.
  const left = lines.filter((_, index) => plain[index]?.outcome === "outflow");
  const attempts = await seeMet(tx, app, importId === undefined ? [] : left, met);
  const money = lines.filter((_, index) => plain[index] === undefined);
  const booked = new Map<ReadLine, Judged>();
  const returns = money.filter((line) => met.has(line));
  const holds = new Map(returns.map((line) => [line, "payout_return"] as const));
  const outcomes = await bookLines(tx, app, money, holds);
  for (const [index, line] of money.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) booked.set(line, outcome);
  }
  const judged = lines.map((line, index): { line: ReadLine; one: Judged } => {
    const one = plain[index] ?? booked.get(line);
    if (one === undefined) throw new Error("A line has no outcome.");
    const meeting = met.get(line);
    if (meeting === undefined || meeting === "doubtful") return { line, one };
    const { payoutId, payoutAttempt: named } = meeting;
    return { line, one: { ...one, payoutId, payoutAttempt: attempts.get(line) ?? named } };
  });
  if (importId === undefined) return judged.map(({ one }) => one);
  const fresh = judged.map(({ line, one }) => {
    const { state: _state, ...rest } = one;
    return { payoutId: null, payoutAttempt: null, ...line, ...rest, importId, id: app.newId() };
  });
  const moved = fresh.flatMap(({ outcome: kind, ...line }) =>
    isMovement(kind) ? [{ ...line, kind }] : [],
  );
  const movements = await tellMovements(tx, app, moved);
  const rows = fresh.map(
    ({ currency: _currency, kind: _kind, words: _words, ...line }): NewLine => {
      const movement = movements.get(line.id);
      return { ...line, outcome: movement?.kind ?? line.outcome, movementId: movement?.id ?? null };
    },
  );
  await addLines(tx, rows);
  return judged.map(({ one }) => one);
}

/** Undefined for money that came in. */
function judge(
  line: ReadLine,
  doubtful: Compared["doubtful"],
  meeting: Meeting | undefined,
): Judged | undefined {
  const plain = (outcome: MovementKind | WaitingOutcome) => ({ outcome, transferId: null });
  if (line.kind === "internal") return plain("internal");
  if (line.kind === "reversal") return plain("reversal");
  if (line.kind === "unnamed") return plain("account");
  const why = doubtful.get(line);
  if (why !== undefined) return plain(why);
  if (line.direction === "in") return undefined;
  if (meeting === "doubtful") return plain("payout");
  return plain(line.kind === "charge" ? "charge" : "outflow");
}

/** A line as it is read, or as it was stored. */
type BookableLine = Omit<ReadLine, "kind" | "identity" | "words">;

/**
 * The teller is the format: what the same bank says in two formats is told by two. What is likely a payout that
 * came back pays nobody by itself.
 */
function arrivalOf(line: BookableLine, hold: SuspenseReason | null): Arrival {
  const { requisiteId, currency, amountMinor, party, madeAt, format, key, ordinal } = line;
  return {
    requisiteId,
    currency,
    amountMinor,
    payer: party,
    madeAt,
    told: {
      channel: "line",
      teller: `line:${format}`,
      key: `${key}:${ordinal}`,
      needsProof: false,
      hold,
    },
  };
}

export async function bookLines(
  tx: Tx,
  app: App,
  lines: readonly BookableLine[],
  holds: ReadonlyMap<BookableLine, SuspenseReason> = new Map(),
): Promise<Judged[]> {
  const arrivals = lines.map((line) => arrivalOf(line, holds.get(line) ?? null));
  const accepted = await acceptTransfers(tx, app, arrivals);
  return accepted.map((one): Judged => {
    // Its day has not come yet.
    if (one instanceof Refusal) return { outcome: "ahead", transferId: null };
    const { transfer, fresh } = one;
    const outcome = fresh ? "new" : "duplicate";
    return { outcome, transferId: transfer.id, state: transfer.state };
  });
}
