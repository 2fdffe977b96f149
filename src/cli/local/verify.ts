// kopeck verify: checks the books and every sealed text, and changes nothing.

import { recordCheck } from "../../features/ledger/book-check-queries.ts";
import { checkBooks, type Look, lookAt } from "../../features/ledger/check-books.job.ts";
import {
  INVARIANTS,
  KEPT_WHILE_RUNNING,
  SEALED,
} from "../../features/ledger/manage-books.endpoint.ts";
import type { Violation } from "../../features/ledger/queries.ts";
import { openInstallation } from "../../features/operators/installation.ts";
import { type BookCounts, countBooks } from "../../features/overview/queries.ts";
import type { App } from "../../platform/app.ts";
import type { Clock } from "../../platform/clock.ts";
import { isServed } from "../../platform/db.ts";
import { sealedFaults } from "../../platform/db-sealed.ts";
import { refuseUnmigrated } from "../../platform/migrate.ts";
import { flag, type LocalWork } from "../command.ts";
import { counted, printTable } from "../print.ts";
import { SEALED_COLUMNS } from "./sealed-columns.ts";
import { withApp } from "./with-app.ts";

export const verify: LocalWork = {
  description: `Checks everything that must always hold of the configured database: the ledger, payments and
transfers, states, events, and that every sealed number and key opens with KOPECK_SECRET_KEY. It
only reads, but for a row that says what it found, where the database takes one. The exit code is 0 when the books are right and 1 when something is wrong. Of each kind
of violation the first 100 are listed, and all are counted.

On PostgreSQL it can run beside the gateway: it looks at the books piece by piece, each piece at one
moment and for about half a second, and says on standard error how far it is. An embedded database
is held by its gateway: stop that one first.`,
  options: [
    flag("json", 'One JSON object instead of a table; "found" is how many there are of a kind.'),
  ],
  example: "DATABASE_URL=$(cat database-url) KOPECK_SECRET_KEY=$(cat secret-key) kopeck verify",
  async run({ input, env, print }) {
    const findings = await withApp(env, { existing: true }, async (app) => {
      const { db, clock } = app;
      const look: Look = (work) => lookAt(db, work);
      await refuseUnmigrated(db);
      await look((tx) => openInstallation(tx, app));
      const check = { id: app.newId(), author: "kopeck verify", startedAt: clock.now() };
      const found = await inspect(look, app, progressTo(process.stderr));
      await db.transaction((tx) => recordCheck(tx, check, found.violations, clock.now()));
      return found;
    });
    print(input["json"] === true ? toJson(findings) : toText(findings));
    return findings.violations.length === 0 ? 0 : 1;
  },
};

const PROGRESS_MS = 5_000;

/** Now and then a line: who waits a moment only gets none. */
function progressTo(out: NodeJS.WriteStream): (progress: string) => void {
  let saidAt = performance.now();
  return (progress) => {
    if (performance.now() - saidAt < PROGRESS_MS) return;
    saidAt = performance.now();
    out.write(`checked so far of ${progress}\n`);
  };
}

function toJson(findings: Findings): string {
  const text = JSON.stringify(findings, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );
  return `${text}\n`;
}

function toText({ violations, overdue, checked }: Findings): string {
  const counts = Object.entries(checked).map(([name, count]) =>
    counted(count, name.replace(/s$/, "")),
  );
  const wrong = kindsOf(violations).reduce((sum, [{ found }]) => sum + found, 0);
  return [
    ...(wrong === 0 ? [] : [toTable(violations)]),
    ...(overdue.length === 0
      ? []
      : ["No gateway is running. What fell due meanwhile, the next start sees to:"]),
    ...overdue.map(({ detail }) => `  ${detail}`),
    ...kindsOf(overdue).flatMap((kind) => unnamed(kind).map((rest) => `  ${rest}`)),
    `checked ${counts.join(", ")}`,
    wrong === 0 ? "the books are right" : counted(wrong, "violation"),
    "",
  ].join("\n");
}

/** Those of one invariant; never empty. */
type Kind = [NamedViolation, ...NamedViolation[]];

function kindsOf(violations: readonly NamedViolation[]): Kind[] {
  return [...Map.groupBy(violations, ({ invariant }) => invariant).values()] as Kind[];
}

/** What says that there are more of a kind than were named. */
function unnamed(kind: Kind): string[] {
  const rest = kind[0].found - kind.length;
  return rest > 0 ? [`and ${rest} more`] : [];
}

function toTable(violations: readonly NamedViolation[]): string {
  const rows = kindsOf(violations).flatMap((kind) =>
    [...kind.map(({ detail }) => detail), ...unnamed(kind)].map((found) => ({
      "#": kind[0].invariant,
      "what must hold": kind[0].name,
      "what was found": found,
    })),
  );
  return printTable(rows, ["#", "what must hold", "what was found"]);
}

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
