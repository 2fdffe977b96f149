// What becomes of a statement's lines: transfers, movements, payouts that they name. A line moves
// money once; what changed or vanished between two files moves none by itself.

import {
  assignMovements,
  isMovement,
  type LineOutcome,
  type WaitingOutcome,
} from "../../domain/line-outcome.ts";
import { type MovementKind, movementSeen, movementUndone } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import { canBeRedated } from "../../domain/statement.ts";
import type { SuspenseReason } from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { post } from "../ledger/post.ts";
import { referenceOf } from "../payouts/proof.ts";
import { countUnexplained } from "../payouts/settle.ts";
import { seePayouts } from "../payouts/shown.ts";
import { type Arrival, acceptTransfers } from "../transfers/transfers.ts";
import {
  addLines,
  addMovements,
  freeMovements,
  freeUntold,
  linesOfDays,
  linesOfDocuments,
  linesOfOthers,
  type NamedPayout,
  type NewLine,
  payoutsNamed,
  replaceMovement,
} from "./line-queries.ts";
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

interface Met {
  readonly payoutId: string;
  readonly payoutAttempt: number | null;
  /** Whether the line names the reference by which the payout is known to have left. */
  readonly isProof: boolean;
}

/** Doubtful: somebody has to look. */
type Meeting = Met | "doubtful";

/** As files for the bank's client call a payout, however the bank writes it down. */
const DOCUMENT = /^K([0-9A-F]{12})$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** By their lines; a line that names none is not among them. */
async function meetPayouts(
  tx: Tx,
  app: App,
  lines: readonly ReadLine[],
): Promise<ReadonlyMap<ReadLine, Meeting>> {
  const asked = lines.flatMap(({ words, currency, format, requisiteId }, place) =>
    // As it is written, and as a bank's reference is kept.
    [...new Set(words.flatMap((word) => [word, referenceOf(word)]))].map((word) => ({
      place,
      word,
      currency,
      format,
      requisiteId,
      id: UUID.test(word) ? word : null,
      document: DOCUMENT.exec(word)?.[1]?.toUpperCase() ?? null,
    })),
  );
  const met = new Map<ReadLine, Meeting>();
  if (asked.length === 0) return met;
  const named = Map.groupBy(await payoutsNamed(tx, asked), ({ place }) => place);
  const shown = new Set<string>();
  for (const [place, rows] of named) {
    const line = lines[place];
    const payout = onlyOne(rows);
    if (line === undefined) continue;
    if (line.direction === "in") {
      // However it stands: what shows it to have left may stand in the same file, and settles it later. Of several
      // that are named, any that sent as much: a person sees which.
      const alike = rows.filter(({ receiveMinor }) => receiveMinor === line.amountMinor);
      const returned = onlyOne(alike) ?? alike[0];
      if (returned !== undefined) met.set(line, linkTo(returned));
      continue;
    }
    const isKnown = payout?.isSeen || shown.has(payout?.id ?? "");
    if (payout === undefined || payout.receiveMinor !== line.amountMinor || isKnown) {
      met.set(line, "doubtful");
      continue;
    }
    shown.add(payout.id);
    met.set(line, linkTo(payout));
    if (isUnexplained(payout)) tx.onCommit(() => alarm(app, payout, line));
  }
  return met;
}

/** Which attempts the lines that left are of; from now on nobody sends those payouts. */
async function seeMet(
  tx: Tx,
  app: App,
  lines: readonly ReadLine[],
  met: ReadonlyMap<ReadLine, Meeting>,
): Promise<ReadonlyMap<ReadLine, number>> {
  const left = lines.flatMap((line) => {
    const meeting = met.get(line);
    return meeting === undefined || meeting === "doubtful" ? [] : [{ line, ...meeting }];
  });
  const seen = await seePayouts(
    tx,
    app,
    left.map(({ line: { day }, payoutAttempt: attempt, ...one }) => ({ ...one, day, attempt })),
  );
  const byPayout = new Map(seen.map((one) => [one.payoutId, one]));
  const found = new Map<ReadLine, number>();
  for (const { line, payoutId, payoutAttempt } of left) {
    const one = byPayout.get(payoutId);
    if (one === undefined) continue;
    found.set(line, one.number);
    // Of one that is named, and of one that nobody sends, it was told when it was met.
    if (payoutAttempt === null && one.isOther) {
      tx.onCommit(() => alarm(app, { id: payoutId, state: "sent by another attempt" }, line));
    }
  }
  return found;
}

/** Two names of one payout are one. */
function onlyOne(rows: readonly NamedPayout[]): NamedPayout | undefined {
  const [first, ...others] = rows.toSorted((a, b) => (b.attempt ?? 0) - (a.attempt ?? 0));
  if (first === undefined || others.some(({ id }) => id !== first.id)) return undefined;
  return { ...first, isProof: rows.some(({ isProof }) => isProof) };
}

function linkTo({ id, attempt, isProof }: NamedPayout): Met {
  return { payoutId: id, payoutAttempt: attempt, isProof };
}

/** By the books it has not left, or another attempt did. */
const UNSENT: ReadonlySet<string> = new Set(["held", "queued", "failed", "canceled"]);

function isUnexplained({ state, isOther }: NamedPayout): boolean {
  return UNSENT.has(state) || isOther;
}

function alarm(app: App, { id, state }: { id: string; state: string }, line: ReadLine): void {
  countUnexplained(app);
  const about = { payout: id, state, requisite: line.requisiteId, day: line.day };
  app.log.error(about, "a statement shows a payout to have left that is said not to have");
}

/** What a line tells. */
interface Told {
  readonly requisiteId: string;
  readonly currency: string;
  readonly format: string;
  readonly direction: "in" | "out";
  readonly day: string;
  readonly amountMinor: bigint;
}

/** A line that is no payer's money. */
interface MovementLine extends Told {
  readonly id: string;
  readonly kind: MovementKind;
}

/** What the ledger has a movement as. */
export interface Movement {
  readonly id: string;
  readonly kind: MovementKind;
}

/** Each of two that take the same place at once finds in the next round what the other has added. */
const MOST_ROUNDS = 10;

/** The movement of each line; those that no other format has told of are booked. */
export async function tellMovements(
  tx: Tx,
  app: App,
  lines: readonly MovementLine[],
): Promise<ReadonlyMap<string, Movement>> {
  if (lines.length === 0) return new Map();
  const asked = lines.map((line) => ({ ...line, lineId: line.id, bucket: bucketOf(line) }));
  const buckets = [...new Map(asked.map((line) => [line.bucket, line])).values()];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = assignMovements(asked, await freeMovements(tx, buckets));
    const untold = lines.filter(({ id }) => !found.has(id));
    if (untold.length === 0) return found;
    const fresh = untold.map((line) => ({ ...line, id: app.newId() }));
    const added = await addMovements(tx, fresh);
    const postings = fresh
      .filter(({ id }) => added.has(id))
      .map((movement) => movementSeen({ ...movement, sourceId: movement.id }));
    await post(tx, app, postings);
  }
  throw new Error("A line has found no movement.");
}

function bucketOf({ requisiteId, format, direction, day, amountMinor }: MovementLine): string {
  return [requisiteId, format, direction, day, amountMinor].join(" ");
}

/** A line tells of a movement no more: without any other line it goes out of the ledger. */
export async function untellMovement(
  tx: Tx,
  app: App,
  { id: sourceId, kind }: Movement,
  line: Told,
): Promise<void> {
  const isOver = await freeUntold(tx, sourceId);
  if (isOver) await post(tx, app, [movementUndone({ ...line, sourceId, kind })]);
}

/** A movement is what this line says, for all lines that tell of it. */
export async function correctMovement(
  tx: Tx,
  app: App,
  { id: sourceId, kind: was }: Movement,
  { kind, ...line }: Told & Pick<Movement, "kind">,
): Promise<Movement> {
  const next = { id: app.newId(), kind };
  await replaceMovement(tx, sourceId, next);
  await post(tx, app, [
    movementUndone({ ...line, sourceId, kind: was }),
    movementSeen({ ...line, sourceId: next.id, kind }),
  ]);
  return next;
}
