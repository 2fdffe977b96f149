// /manage/imports: statements of banks, brought as files. A file is refused whole or stored once; a
// job applies its lines.

import { hash } from "node:crypto";
import type { Static } from "typebox";
import { maskNumbers } from "../../domain/card-number.ts";
import type { LineOutcome } from "../../domain/line-outcome.ts";
import { Refusal } from "../../domain/refusal.ts";
import { type CsvProfile, type CsvSums, DATE_FORMS } from "../../domain/statement-csv.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { clearFailures } from "../../platform/db-dues.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { oneOf, Type, text, uuid, yesNo } from "../../platform/field.ts";
import { change, list, recordAudit, refuseGone, view } from "../operators/doors.ts";
import { cashierGate, type Operator } from "../operators/operator.ts";
import { ownAccounts } from "../requisites/wallet.ts";
import { applyLines, compare, recognise } from "./apply.ts";
import { APPLY_IMPORTS } from "./apply-imports.job.ts";
import {
  addImport,
  addSections,
  importByDigest,
  isInVain,
  missingIn,
  outcomesOf,
  removeImport,
} from "./import-queries.ts";
import { knownLines } from "./line-queries.ts";
import { countsOf, Imports, outcomeCounts } from "./nouns.ts";
import type { BroughtFile, ReadImport } from "./read-file.ts";
import { readImport, sealContent } from "./read-import.ts";

const named = (description: string) => text({ max: 100 }, { description });

const words = (description: string) =>
  Type.Optional(Type.Array(named("A word."), { minItems: 1, maxItems: 20, description }));

const csvProfile = Type.Object(
  {
    delimiter: oneOf([",", ";", "\t", "|"], { description: "What stands between columns." }),
    date_form: oneOf(DATE_FORMS, { description: "How days are written." }),
    date: named("The column of the day, and of the time where that stands behind it."),
    amount: Type.Optional(named("One column of sums: what left has a minus.")),
    amount_in: Type.Optional(named("Or two: what came,")),
    amount_out: Type.Optional(named("and what left.")),
    status: Type.Optional(named("The column that says whether it is booked; with booked.")),
    booked: words("Its words for booked: only that is money."),
    pending: words("Its words for what is not booked yet."),
    failed: words("Its words for what will never be."),
    id: Type.Optional(named("The bank's own id of a line, if it has one.")),
    number: Type.Optional(named("The document's number.")),
    account: Type.Optional(named("The account.")),
    currency: Type.Optional(named("The currency; without it roubles.")),
    party_name: Type.Optional(named("Who the other side is.")),
    party_account: Type.Optional(named("The other side's account.")),
    party_inn: Type.Optional(named("The other side's taxpayer number.")),
    purpose: Type.Optional(
      Type.Array(named("A column."), { maxItems: 5, description: "What it was for." }),
    ),
  },
  { description: "How the columns of a CSV of your own are called." },
);

type Given = Static<typeof csvProfile>;

function profileOf(given: Given): CsvProfile {
  const { date_form: dateForm, party_name: partyName, party_account: partyAccount } = given;
  const { amount, amount_in, amount_out, party_inn: partyInn, ...same } = given;
  const status = statusOf(given);
  return {
    delimiter: same.delimiter,
    dateForm,
    date: same.date,
    sums: sumsOf(amount, amount_in, amount_out),
    ...(status !== undefined && { status }),
    ...(same.id !== undefined && { id: same.id }),
    ...(same.number !== undefined && { number: same.number }),
    ...(same.account !== undefined && { account: same.account }),
    ...(same.currency !== undefined && { currency: same.currency }),
    ...(partyName !== undefined && { partyName }),
    ...(partyAccount !== undefined && { partyAccount }),
    ...(partyInn !== undefined && { partyInn }),
    ...(same.purpose !== undefined && { purpose: same.purpose }),
  };
}

/** A word that stands in no list refuses the file: nobody knows whether it is money. */
function statusOf({ status: column, booked, pending = [], failed = [] }: Given) {
  if (column !== undefined && booked !== undefined) return { column, booked, pending, failed };
  if (column === undefined && !booked && pending.length + failed.length === 0) return undefined;
  throw new Refusal("statement_profile_status");
}

function sumsOf(
  signed: string | undefined,
  came: string | undefined,
  went: string | undefined,
): CsvSums {
  if (signed !== undefined && came === undefined && went === undefined) return { signed };
  if (signed === undefined && came !== undefined && went !== undefined) {
    return { in: came, out: went };
  }
  throw new Refusal("statement_profile_sums");
}

/** Of the file; as base64 and JSON it is a third more. */
const MOST_BYTES = 8 * 1024 * 1024;
const MAX_BODY_BYTES = Math.ceil((MOST_BYTES * 4) / 3) + 64 * 1024;

/** One line on the account of a sandbox's requisite. */
const EXAMPLE = Buffer.from(
  [
    "1CClientBankExchange",
    "ВерсияФормата=1.03",
    "Кодировка=Windows",
    "СекцияРасчСчет",
    "ДатаНачала=01.03.2026",
    "ДатаКонца=01.03.2026",
    "РасчСчет=40817810000000000101",
    "НачальныйОстаток=0.00",
    "ВсегоПоступило=1020.00",
    "ВсегоСписано=0.00",
    "КонечныйОстаток=1020.00",
    "КонецРасчСчет",
    "СекцияДокумент=Платежное поручение",
    "Номер=17",
    "Дата=01.03.2026",
    "Сумма=1020.00",
    "ДатаПоступило=01.03.2026",
    "ПлательщикСчет=40817810000000000999",
    "Плательщик1=Иван П.",
    "ПолучательСчет=40817810000000000101",
    "НазначениеПлатежа=Перевод",
    "КонецДокумента",
    "КонецФайла",
    "",
  ].join("\r\n"),
).toString("base64");

const Shown = Type.Object({ ...Imports.wire.properties, ...outcomeCounts });

const DryRun = Type.Object({
  format: Type.String({ description: "The format that it was read as.", examples: ["1c"] }),
  lines: Type.Integer({ description: "Lines of booked money in it." }),
  pending_lines: Type.Integer({ description: "Lines that are not booked yet, or failed." }),
  known_lines: Type.Integer({ description: "Lines that earlier files had, too." }),
  untried_lines: Type.Integer({
    description: "New lines past the first 5,000: what would become of them was not tried.",
  }),
  ...outcomeCounts,
  matched: Type.Integer({ description: "Of the new ones, those that would pay a payment." }),
  suspense: Type.Integer({ description: "Those that would wait in suspense." }),
});

const Brought = Type.Union([
  Type.Object({
    ...Shown.properties,
    fresh: Type.Boolean({ description: "Whether the file was new; false for the same again." }),
  }),
  Type.Object({ dry_run: DryRun }),
]);

const Input = Type.Object({
  filename: text({ max: 255 }, { description: "What it is called.", examples: ["kl_to_1c.txt"] }),
  content: Type.String({
    description: "The file, as base64; up to 8 MiB of file.",
    minLength: 1,
    examples: [EXAMPLE],
  }),
  requisite_id: Type.Optional(
    uuid({ description: "Whose account it is, where the file names none." }),
  ),
  profile: Type.Optional(csvProfile),
  dry_run: Type.Optional(
    yesNo({ description: "Whether to say only what would become of it, and store nothing." }),
  ),
});

export const bringImport = endpoint<typeof Input, typeof Brought, Operator>({
  method: "POST",
  path: "/manage/imports",
  summary: "Import a statement",
  description:
    "A file of a bank: 1CClientBankExchange, CSV, CAMT.053 or MT940. It is refused whole, with the " +
    "row and the reason, or stored once and applied line by line; the same file again changes nothing.",
  gate: cashierGate,
  input: Input,
  data: Brought,
  notFound: "There is no such requisite.",
  problems: "all",
  refusesUnknown: true,
  maxBodyBytes: MAX_BODY_BYTES,
  async handle(app, { input, principal }) {
    const file = fileOf(input);
    if (input.dry_run === true) return { dry_run: await tryOut(app, file) };
    try {
      return await store(app, principal, input, file, await readImport(app, file));
    } catch (error) {
      if (!(error instanceof AccountMoved)) throw error;
      return store(app, principal, input, file, await readImport(app, file));
    }
  },
});

/** A large file is read in a while: it is read once more then. */
class AccountMoved extends HttpFailure {}

type Asked = Static<typeof Input>;

function fileOf({ content, requisite_id: id, profile }: Asked): BroughtFile {
  // Whatever is no base64 would be left out without a word.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(content) || content.length % 4 !== 0) {
    throw new Refusal("statement_not_base64");
  }
  const bytes = Buffer.from(content, "base64");
  if (bytes.length > MOST_BYTES) {
    throw new Refusal("statement_too_large", { limit: String(MOST_BYTES) });
  }
  const own = profile && profileOf(profile);
  return { bytes, requisiteId: id?.toLowerCase() ?? null, profile: own };
}

async function store(
  app: App,
  operator: Operator,
  { filename: named, content }: Asked,
  file: BroughtFile,
  read: ReadImport,
) {
  const id = app.newId();
  // Banks call files after accounts.
  const filename = maskNumbers(named);
  const { profile } = file;
  const whose = `${file.requisiteId} ${JSON.stringify(profile ?? null)} `;
  const digest = Buffer.from(hash("sha256", whose + hash("sha256", file.bytes)), "hex");
  const fresh = await app.db.transaction(async (tx) => {
    // Of a file that names its accounts it says nothing, and those stay with their requisites.
    const told = read.namesAccounts ? null : file.requisiteId;
    const row = {
      id,
      digest,
      filename,
      format: read.format,
      requisite_id: told,
      content_sealed: sealContent(app.secrets, id, { base64: content, profile }),
      lines: read.lines,
      pending_lines: read.pendingLines,
      created_by: operator.name,
    };
    const place = await addImport(tx, row, app.clock.now());
    if (place === undefined) return false;
    await addSections(
      tx,
      read.sections.map((section) => {
        const { account: _account, currency: _currency, wasEmpty: _empty, ...own } = section;
        return { ...own, import_id: id, place };
      }),
    );
    await assertOwners(tx, app, read);
    const { requisiteId: requisite_id } = file;
    const after = { filename, format: read.format, lines: read.lines, requisite_id, profile };
    await recordAudit(tx, app, { operator, act: "import.add", subject: id, before: null, after });
    await refuseGone(tx, app, operator);
    return true;
  });
  const stored = fresh ? id : await importByDigest(app.db, digest);
  return { ...(await shown(app, stored ?? id)), fresh };
}

/**
 * An account may have become another requisite's while a large file was read: the file is sent again then. From here on each
 * stays where it is, because it has been named.
 */
async function assertOwners(tx: Tx, app: App, { sections }: ReadImport): Promise<void> {
  const accounts = await ownAccounts(app, tx);
  for (const { account, requisite_id: owner } of sections) {
    if (account !== null && accounts.get(account) !== owner) throw new AccountMoved("unavailable");
  }
}

async function shown(app: App, id: string): Promise<Static<typeof Shown>> {
  const row = Imports.toWire(await Imports.find(app.db, id));
  const [outcomes, missing] = await Promise.all([outcomesOf(app.db, id), missingIn(app.db, id)]);
  return { ...row, ...countsOf(outcomes), missing };
}

export const readImports = list({
  path: "/manage/imports",
  summary: "List imports",
  description: "The newest first.",
  noun: Imports,
  filters: {},
});

export const showImport = view({
  path: "/manage/imports/:import_id",
  summary: "Show an import",
  description: "How far it is applied, and what became of its lines.",
  input: Type.Object({ import_id: uuid({ description: "The import." }) }),
  data: Shown,
  notFound: "There is no such import.",
  read: (app, input) => shown(app, input.import_id),
});

export const dropImport = change({
  path: "/manage/imports/:import_id/drop",
  summary: "Drop an import that keeps failing",
  description:
    "Only while nothing came of it, and between two tries: else it stays. The same file can be brought " +
    "again then.",
  act: "import.drop",
  by: "cashier",
  input: Type.Object({ import_id: uuid({ description: "The import." }) }),
  data: Imports.wire,
  notFound: "There is no such import.",
  async make(tx, app, { import_id: id }) {
    const before = Imports.toWire(await Imports.lock(tx, id));
    if (!(await isInVain(tx, APPLY_IMPORTS, id, app.clock.now()))) {
      throw new Refusal("import_not_in_vain");
    }
    await removeImport(tx, id);
    await clearFailures(tx, APPLY_IMPORTS, [id]);
    return { data: before, subject: id, before, after: null };
  },
});

const SET_SIZE = 500;
/** A few seconds of work; what becomes of further ones is not looked at. */
const MOST_TRIED = 5_000;

/** Leaves the transaction, so that nothing of it stays. */
class OnlyTried extends Error {}

async function tryOut(app: App, file: BroughtFile) {
  const recognised = await recognise(app, file, (lines) => knownLines(app.db, lines));
  const { missing, doubtful } = await compare(app.db, recognised);
  const { read, fresh } = recognised;
  const outcomes = new Map<LineOutcome, number>();
  const states: (string | undefined)[] = [];
  const tried = fresh.slice(0, MOST_TRIED);
  for (let from = 0; from < tried.length; from += SET_SIZE) {
    const set = tried.slice(from, from + SET_SIZE);
    const judged = await rolledBack(app, (tx) => applyLines(tx, app, undefined, set, doubtful));
    for (const { outcome, state } of judged) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === "new") states.push(state);
    }
  }
  const matched = states.filter((state) => state === "matched").length;
  return {
    format: read.format,
    lines: read.lines,
    pending_lines: read.pendingLines,
    known_lines: read.lines - fresh.length,
    untried_lines: fresh.length - tried.length,
    ...countsOf(outcomes),
    missing: missing.length,
    matched,
    suspense: states.length - matched,
  };
}

async function rolledBack<Result>(app: App, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  let result: { readonly is: Result } | undefined;
  try {
    await app.db.transaction(async (tx) => {
      result = { is: await work(tx) };
      throw new OnlyTried();
    });
  } catch (error) {
    if (!(error instanceof OnlyTried) || result === undefined) throw error;
  }
  if (result === undefined) throw new Error("A trial had no result.");
  return result.is;
}
