// The outcome of a statement's line: its one state, and which may follow which.

import { MOVEMENT_KINDS, type MovementKind } from "./posting.ts";

/** In the ledger as a transfer: new money, or money that another source has reported. */
const AS_TRANSFER = ["new", "duplicate"] as const;

/**
 * Why a line waits for a person's decision: a line of its day has vanished or changed; it takes back what had moved; its
 * moment is still to come; it names a payout and does not fit; its account is in doubt; or a person has reopened it.
 */
export const WAITING_OUTCOMES = [
  "changed",
  "reversal",
  "ahead",
  "payout",
  "account",
  "reopened",
] as const;

export type WaitingOutcome = (typeof WAITING_OUTCOMES)[number];
export type LineOutcome =
  | (typeof AS_TRANSFER)[number]
  | MovementKind
  | WaitingOutcome
  | "excluded"
  | "missing";

/** What needs a person: beside those that wait, lines that a newer file no longer has. */
export const OPEN_OUTCOMES = [...WAITING_OUTCOMES, "missing"] as const;

export const LINE_OUTCOMES: readonly LineOutcome[] = [
  ...AS_TRANSFER,
  ...MOVEMENT_KINDS,
  "excluded",
  ...OPEN_OUTCOMES,
];

export function waits(outcome: LineOutcome): outcome is WaitingOutcome {
  return (WAITING_OUTCOMES as readonly string[]).includes(outcome);
}

export function isOpen(outcome: LineOutcome): boolean {
  return waits(outcome) || outcome === "missing";
}

export function isMovement(outcome: LineOutcome): outcome is MovementKind {
  return (MOVEMENT_KINDS as readonly string[]).includes(outcome);
}

/** The same rule as line_may_become() in the database. */
export function mayBecome(was: LineOutcome, outcome: LineOutcome): boolean {
  if (was === "new" || was === "duplicate") return outcome === "missing";
  if (was === "excluded") return outcome === "reopened" || outcome === "missing";
  if (isMovement(was)) {
    return isMovement(outcome) || outcome === "excluded" || outcome === "missing";
  }
  return (
    outcome === "new" || outcome === "duplicate" || isMovement(outcome) || outcome === "excluded"
  );
}

interface Equal {
  readonly lineId: string;
  /** Equal lines of one format and day have the same. */
  readonly bucket: string;
  readonly kind: MovementKind;
}

interface Free {
  readonly id: string;
  readonly bucket: string;
  readonly kind: MovementKind;
}

/**
 * Which movement each line tells of. A format tells of a movement once: of its equal lines each takes one that the
 * format has not told of yet, of its own kind first. The movements are in the order of their places.
 */
export function assignMovements<One extends Free>(
  lines: readonly Equal[],
  movements: readonly One[],
): ReadonlyMap<string, One> {
  const free = Map.groupBy(movements, ({ bucket }) => bucket);
  const found = new Map<string, One>();
  for (const isSameKind of [true, false]) {
    for (const { lineId, bucket, kind } of lines) {
      if (found.has(lineId)) continue;
      const rest = free.get(bucket) ?? [];
      const place = rest.findIndex((one) => !isSameKind || one.kind === kind);
      const [movement] = place < 0 ? [] : rest.splice(place, 1);
      if (movement !== undefined) found.set(lineId, movement);
    }
  }
  return found;
}
