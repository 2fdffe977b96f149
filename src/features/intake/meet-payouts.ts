// Lines that name a payout: what left is linked to it, what came with its name is likely its return. Guards that
// a line of another amount, or that names several, or one that another line has shown already, decides
// nothing; and that a payout which is said not to have left, and did, is told of at once.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { countUnexplained } from "../payouts/count.ts";
import { referenceOf } from "../payouts/proof.ts";
import { seePayouts } from "../payouts/shown.ts";
import { type NamedPayout, payoutsNamed } from "./payout-line-queries.ts";
import type { ReadLine } from "./read-file.ts";

interface Met {
  readonly payoutId: string;
  readonly payoutAttempt: number | null;
  /** Whether the line names the reference by which the payout is known to have left. */
  readonly isProof: boolean;
}

/** Doubtful: somebody has to look. */
export type Meeting = Met | "doubtful";

/** As files for the bank's client call a payout, however the bank writes it down. */
const DOCUMENT = /^K([0-9A-F]{12})$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** By their lines; a line that names none is not among them. */
export async function meetPayouts(
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
export async function seeMet(
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
