// GET /sandbox/statement: one day of an account as a statement file of any format.

import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { isDay, type StatementLine, type StatementSection, sumOf } from "../../domain/statement.ts";
import type { App } from "../../platform/app.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { webPage } from "../../platform/web-page.ts";
import { numberOf } from "../requisites/wallet.ts";
import {
  paidBefore,
  requisiteForStatement,
  type StatementTransfer,
  transfersForStatement,
} from "./queries.ts";
import { type WrittenFormat, writeStatement } from "./statement-writers.ts";

const FILES: Readonly<Record<WrittenFormat, readonly [name: string, type: string]>> = {
  "1c": ["kl_to_1c.txt", "text/plain; charset=windows-1251"],
  "csv-tbank": ["tbank.csv", "text/csv; charset=windows-1251"],
  "csv-alfa": ["alfa.csv", "text/csv; charset=utf-8"],
  "csv-alfa-old": ["alfa-old.csv", "text/csv; charset=windows-1251"],
  "csv-raiffeisen": ["raiffeisen.csv", "text/csv; charset=windows-1251"],
  camt053: ["camt053.xml", "application/xml; charset=utf-8"],
  mt940: ["mt940.sta", "text/plain; charset=utf-8"],
};

export const WRITTEN_FORMATS = Object.keys(FILES) as WrittenFormat[];

/** What was on every account before its first transfer. */
const FIRST_MINOR = 100_000n;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A day of a zone that sets its clock back has 25 hours. */
const DAY_AND_MORE_SECONDS = 36 * 60 * 60;

export const downloadStatement = webPage({
  method: "GET",
  path: "/sandbox/statement",
  async answer(app, { query }) {
    const moments = momentFormat(app.config.timeZone);
    const { format: wanted = "1c", requisite, day = moments.day(app.clock.now()) } = query;
    const format = WRITTEN_FORMATS.find((one) => one === wanted);
    if (format === undefined || !isDay(day)) throw new HttpFailure("bad_request");
    if (requisite !== undefined && !UUID.test(requisite)) throw new HttpFailure("path_not_found");
    const section = await sectionOf(app, requisite ?? null, day);
    if (section === undefined) throw new HttpFailure("path_not_found");
    const [name, type] = FILES[format];
    const bytes = writeStatement({ format, sections: [section] });
    return { kind: "download", name, type, bytes };
  },
});

export async function sectionOf(
  app: App,
  id: string | null,
  day: string,
): Promise<StatementSection | undefined> {
  const requisite = await requisiteForStatement(app.db, id);
  if (requisite === undefined) return undefined;
  const { account_sealed: account } = requisite;
  const moments = momentFormat(app.config.timeZone);
  const from = moments.startOf(day);
  const until = moments.startOf(moments.day(addSeconds(from, DAY_AND_MORE_SECONDS)));
  const [before, transfers] = await Promise.all([
    paidBefore(app.db, requisite.id, from),
    transfersForStatement(app.db, requisite.id, from, until),
  ]);
  const openingMinor = FIRST_MINOR + before;
  const lines = transfers.map((transfer, index) =>
    lineOf(transfer, index, day, transfer.moment && moments.text(transfer.moment)),
  );
  return {
    account: account === null ? null : numberOf(app, requisite.id, "account", account),
    currency: requisite.currency,
    from: day,
    to: day,
    lines,
    openingMinor,
    closingMinor: openingMinor + sumOf(lines, "in"),
  };
}

function lineOf(
  { id, amount_minor: amountMinor, payer }: StatementTransfer,
  index: number,
  day: string,
  moment: string | null,
): StatementLine {
  const time = moment?.slice(11) ?? null;
  return {
    row: index + 1,
    direction: "in",
    status: "booked",
    day,
    amountMinor,
    // Midnight to the second is no time in a statement.
    time: time === "00:00:00" ? null : time,
    number: String(index + 1),
    bankId: id.slice(-12).toUpperCase(),
    party: { account: null, name: payer, inn: null },
    purpose: payer === null ? "Перевод" : `Перевод от ${payer}`,
    isReversal: false,
    isCharge: false,
  };
}
