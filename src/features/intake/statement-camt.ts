// A statement in XML, camt.053 or camt.052 of whatever version: read by local names, as a stream of
// elements. Guards that a document which declares entities is refused before anything of it counts, and
// that one which is not closed is refused whole.

import { SaxesParser } from "saxes";
import { Refusal } from "../../domain/refusal.ts";
import {
  assertNotTooMany,
  assertNotTooManySections,
  type ReadSection,
  refuseRow,
  type Statement,
  shown,
  type Totals,
  wholeStatement,
} from "../../domain/statement.ts";
import { type CamtEntry, FIELDS, type Fields, sectionOf, totalsOf } from "./camt-fields.ts";

/** What a text is kept of: a report, a balance or an entry of it, a part of an entry. */
interface Scope {
  readonly kind: keyof typeof FIELDS;
  /** Of the element that it begins with. */
  readonly depth: number;
  readonly row: number;
  readonly fields: Fields;
}

/** Which scope an element opens inside of which. */
const OPENS = new Map<string, readonly [inside: Scope["kind"] | null, kind: Scope["kind"]]>([
  ["Stmt", [null, "report"]],
  ["Rpt", [null, "report"]],
  ["Bal", ["report", "balance"]],
  ["Ntry", ["report", "entry"]],
  ["TxDtls", ["entry", "part"]],
]);

const REPORTS = new Set(["Document/BkToCstmrStmt", "Document/BkToCstmrAcctRpt"]);

/** The standard needs less than half of these; more is an attack on whoever reads it. */
const DEEPEST = 40;
const MOST_ATTRIBUTES = 40;

export function parseCamt(text: string): Statement {
  const reader = new CamtReader();
  const parser = new SaxesParser();
  let isAtEnd = false;
  let attributes = 0;
  const refuse = (value: string) => refuseRow("statement_malformed", parser.line, value);
  parser.on("error", ({ message }) => {
    if (isAtEnd) refuseRow("statement_cut", parser.line);
    refuse(message.replace(/^\d+:\d+: /, ""));
  });
  parser.on("doctype", () => refuseRow("statement_doctype", parser.line));
  parser.on("opentagstart", ({ name }) => {
    attributes = 0;
    if (reader.depth >= DEEPEST) refuse(name);
  });
  parser.on("attribute", ({ name }) => {
    attributes += 1;
    if (attributes > MOST_ATTRIBUTES) refuse(name);
  });
  parser.on("opentag", ({ name, attributes }) => {
    reader.open(localName(name), attributes["Ccy"], parser.line);
  });
  parser.on("text", (piece) => reader.add(piece));
  parser.on("cdata", (piece) => reader.add(piece));
  parser.on("closetag", () => reader.close());
  parser.write(text);
  isAtEnd = true;
  parser.close();
  return reader.statement();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

class CamtReader {
  readonly #path: string[] = [];
  readonly #scopes: Scope[] = [];
  readonly #sections: ReadSection[] = [];
  readonly #totals: Totals[] = [];
  #text = "";
  #isCamt = false;
  #root = "";
  /** Of the report that is open. */
  #balances: Fields[] = [];
  #entries: CamtEntry[] = [];
  #parts: Fields[] = [];
  #count = 0;

  get depth(): number {
    return this.#path.length;
  }

  open(name: string, currency: string | undefined, row: number): void {
    this.#path.push(name);
    this.#root ||= shown(name);
    this.#text = "";
    const top = this.#scopes.at(-1);
    const [inside, kind] = OPENS.get(name) ?? [];
    const isOpened = kind !== undefined && inside === (top?.kind ?? null);
    if (isOpened && (kind !== "report" || this.#isReport())) {
      this.#scopes.push({ kind, depth: this.depth, row, fields: new Map() });
    } else if (currency !== undefined) {
      this.#keep("@Ccy", currency);
    }
  }

  #isReport(): boolean {
    const isReport = this.depth === 3 && REPORTS.has(this.#path.slice(0, 2).join("/"));
    this.#isCamt ||= isReport;
    return isReport;
  }

  add(piece: string): void {
    this.#text += piece;
  }

  close(): void {
    const scope = this.#scopes.at(-1);
    if (scope?.depth === this.depth) {
      this.#scopes.pop();
      this.#take(scope);
    } else {
      this.#keep("", this.#text);
    }
    this.#path.pop();
    this.#text = "";
  }

  /** The first of its name; but a remittance may stand in several. */
  #keep(suffix: string, value: string): void {
    const scope = this.#scopes.at(-1);
    if (scope === undefined) return;
    const name = this.#path.slice(scope.depth).join("/") + suffix;
    if (!FIELDS[scope.kind].has(name)) return;
    const known = scope.fields.get(name);
    if (known === undefined) scope.fields.set(name, value.trim());
    else if (name === "RmtInf/Ustrd") scope.fields.set(name, `${known} ${value.trim()}`);
  }

  #take({ kind, row, fields }: Scope): void {
    if (kind === "balance") this.#balances.push(fields);
    if (kind === "part") this.#parts.push(fields);
    if (kind === "balance" || kind === "part") assertNotTooMany(++this.#count);
    if (kind === "entry") {
      this.#entries.push({ row, fields, parts: this.#parts });
      this.#parts = [];
      assertNotTooMany(++this.#count);
    }
    if (kind === "report") {
      const report = { row, fields, balances: this.#balances, entries: this.#entries };
      const section = sectionOf(report);
      this.#sections.push(section);
      assertNotTooManySections(this.#sections.length);
      this.#totals.push(totalsOf(row, fields, section.lines));
      this.#balances = [];
      this.#entries = [];
    }
  }

  statement(): Statement {
    if (!this.#isCamt) throw new Refusal("statement_unknown", { header: `<${this.#root}>` });
    return wholeStatement("camt053", this.#sections, this.#totals);
  }
}
