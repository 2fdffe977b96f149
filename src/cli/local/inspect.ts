// Everything that must hold of a database, looked at once: what SQL sees, and what only the secret
// key opens. It reads and never writes.

import { checkBooks, type Look } from "../../features/ledger/check-books.ts";
import { INVARIANTS, KEPT_WHILE_RUNNING, SEALED } from "../../features/ledger/invariants.ts";
import type { Violation } from "../../features/ledger/queries.ts";
import { type BookCounts, countBooks } from "../../features/overview/queries.ts";
import type { App } from "../../platform/app.ts";
import type { Clock } from "../../platform/clock.ts";
import { isServed } from "../../platform/db.ts";
import { sealedFaults } from "../../platform/db-sealed.ts";
import { SEALED_COLUMNS } from "./sealed-columns.ts";

export interface NamedViolation extends Violation {
  readonly name: string;
}

export interface Findings {
  readonly violations: readonly NamedViolation[];
  /** What fell due while no gateway was running: the next start sees to it. */
  readonly overdue: readonly NamedViolation[];
  readonly checked: BookCounts;
}

/** Of each invariant so many are named, and all are counted. */
const NAMED = 100;

/** The secrets and the clock are those of the opened installation. */
export async function inspect(
  look: Look,
  { secrets, clock }: Pick<App, "secrets"> & { readonly clock: Clock },
  say: (progress: string) => void = () => {},
): Promise<Findings> {
  const seen = await checkBooks(look, clock, NAMED, say);
  const faults = await look((db) => sealedFaults(db, SEALED_COLUMNS, secrets));
  const sealed = faults
    .slice(0, NAMED)
    .map((detail) => ({ invariant: SEALED, detail, found: faults.length }));
  const all = [...seen, ...sealed].map((one) => ({
    ...one,
    name: INVARIANTS[one.invariant] ?? "",
  }));
  const served = await look((db) => isServed(db));
  const waits = ({ invariant }: Violation): boolean => invariant === KEPT_WHILE_RUNNING && !served;
  return {
    violations: all.filter((one) => !waits(one)),
    overdue: all.filter(waits),
    checked: await look(countBooks),
  };
}
