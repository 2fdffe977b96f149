// From the bytes of a file to a statement, whatever bank and format it is of. Guards that what cannot be
// read whole is refused whole, with the row and the reason.

import { decodeText } from "../../domain/encoding.ts";
import { Refusal } from "../../domain/refusal.ts";
import { type Statement, shown } from "../../domain/statement.ts";
import { MARK_1C, parse1c } from "../../domain/statement-1c.ts";
import { BANK_CSVS, type CsvProfile, hasColumns, parseCsv } from "../../domain/statement-csv.ts";
import { BEGINS_MT940, parseMt940 } from "../../domain/statement-mt940.ts";
import { parseCamt } from "./statement-camt.ts";

/** `own` is the operator's profile for a CSV that is not known here. */
export function readStatement(bytes: Uint8Array, own?: CsvProfile): Statement {
  const text = decodeText(bytes);
  if (text.startsWith(MARK_1C)) return parse1c(text);
  if (/^\s*</.test(text)) return parseCamt(text.trimStart());
  if (BEGINS_MT940.test(text)) return parseMt940(text);
  const owns = own === undefined ? [] : [{ format: "csv-own", profile: own } as const];
  const csv = [...owns, ...BANK_CSVS].find(({ profile }) => hasColumns(text, profile));
  if (csv !== undefined) return parseCsv(text, csv);
  const [header = ""] = text.slice(0, 200).trim().split(/\r?\n/, 1);
  throw new Refusal("statement_unknown", { header: shown(header) });
}
