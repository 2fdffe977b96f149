// /manage/payout-batches: files of payouts for the bank's client, and the bank's answers. A file is
// stored together with the claims of its payouts, sealed, and never changes.

import { hash } from "node:crypto";
import type { Static } from "typebox";
import { holdsCardNumber, maskNumbers } from "../../domain/card-number.ts";
import { momentFormat } from "../../domain/moment.ts";
import { type AttemptState, PAYOUT_SERVICES } from "../../domain/payout.ts";
import {
  documentOf,
  FILE_FORMATS,
  type FileFormat,
  type FileResult,
  type FileRow,
  readResults,
  writeFile,
} from "../../domain/payout-file.ts";
import { Refusal } from "../../domain/refusal.ts";
import { refuseRow } from "../../domain/statement.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { currencyCode, integer, listOf, oneOf, Type, uuid } from "../../platform/field.ts";
import type { Secrets } from "../../platform/secret.ts";
import { openApprovals } from "../approvals/approval-queries.ts";
import { approveEach } from "../approvals/approvals.ts";
import { change, list } from "../operators/doors.ts";
import { holdSecretKey } from "../operators/installation.ts";
import type { Operator } from "../operators/operator.ts";
import {
  addBatch,
  attemptsOf,
  attemptsOfBatch,
  lockInLine,
  type SealedBatch,
  sealedBatch,
} from "./attempt-queries.ts";
import {
  approvalOf,
  claimPayouts,
  givingBackNeedsTwo,
  isReopened,
  NOT_SENT,
  type NotSent,
  recordAnswers,
  type Told,
  toldNotSent,
} from "./attempts.ts";
import { openDestination, sealedDestinations } from "./destination-queries.ts";
import { Batches } from "./nouns.ts";
import { referenceOf } from "./proof.ts";
import { lockPayouts, type Payout, referencesTaken, sbpBanks } from "./queries.ts";
import { holdOpenRail } from "./rail-queries.ts";

const FILE = "file";
/** Banks answer within a banking day; behind weekends that is three. */
const LEASE_SECONDS = 3 * 24 * 60 * 60;

interface BatchWish {
  readonly format: FileFormat;
  readonly service: string | undefined;
  readonly currency: string;
  readonly limit: number;
  /** These, and no others; else whatever is first in line. */
  readonly payoutIds: readonly string[] | undefined;
  readonly account: string | undefined;
}

/** The id of the file. */
async function makeBatch(tx: Tx, app: App, wish: BatchWish, operator: Operator): Promise<string> {
  const rail = await holdOpenRail(tx, FILE);
  if (rail === undefined) throw new Refusal("rail_paused", { rail: FILE });
  await holdSecretKey(tx, app);
  const taken = rail.services.filter((one) => wish.service === undefined || one === wish.service);
  const payouts = await choose(tx, app, wish, taken);
  const id = app.newId();
  const now = app.clock.now();
  const moments = momentFormat(app.config.timeZone);
  const content = writeFile(wish.format, await rowsOf(tx, app, payouts), {
    day: moments.day(now),
    time: moments.text(now).slice(-8),
    account: wish.account,
  });
  await addBatch(
    tx,
    {
      id,
      rail: FILE,
      format: wish.format,
      currency: wish.currency,
      ...sealBatch(app.secrets, id, content),
      payouts: payouts.length,
      sum_minor: payouts.reduce((sum, { receiveMinor }) => sum + receiveMinor, 0n),
      created_by: operator.name,
    },
    now,
  );
  const claims = await claimPayouts(tx, app, {
    rail: FILE,
    payoutIds: payouts.map((one) => one.id),
    services: taken,
    limit: payouts.length,
    leaseSeconds: LEASE_SECONDS,
    isDispatched: true,
    authorId: operator.id,
    batchId: id,
  });
  if (claims.length !== payouts.length)
    throw new Error("A file with payouts that are not its own.");
  return id;
}

async function choose(
  tx: Tx,
  { clock }: App,
  { payoutIds, currency, limit }: BatchWish,
  services: readonly string[],
): Promise<Payout[]> {
  const ids = payoutIds ?? (await lockInLine(tx, { services, currency, limit, now: clock.now() }));
  const payouts = await lockPayouts(tx, ids);
  if (payoutIds !== undefined && payouts.length < new Set(ids).size) {
    throw new Refusal("payout_not_found");
  }
  const other = payouts.find(({ state }) => state !== "queued");
  if (other !== undefined) throw new Refusal("payout_cannot_move", { state: other.state });
  const isOne = (one: Payout) => one.currency === currency && services.includes(one.service);
  if (!payouts.every(isOne)) throw new Refusal("payout_batch_mixed");
  if (payouts.length === 0) throw new Refusal("payout_batch_empty");
  return payouts;
}

async function rowsOf(tx: Tx, { secrets }: App, payouts: readonly Payout[]): Promise<FileRow[]> {
  const [sealed, banks] = await Promise.all([
    sealedDestinations(
      tx,
      payouts.map(({ destinationId }) => destinationId),
    ),
    sbpBanks(tx),
  ]);
  const numbers = new Map(sealed.map((one) => [one.id, openDestination(secrets, one)]));
  const names = new Map(banks.map(({ id, name }) => [id, name]));
  return payouts.map(({ id, destinationId, ...payout }) => {
    const number = numbers.get(destinationId);
    if (number === undefined) throw new Error("A payout without a destination.");
    const bankName = payout.bankId === null ? null : (names.get(payout.bankId) ?? payout.bankId);
    return { payoutId: id, number, bankName, ...payout };
  });
}

/**
 * The documents of a file that the bank must not be given any more: known to have left or not, or known to nobody, of
 * which two may say meanwhile that it has not left; or an earlier attempt is said to have left after all.
 */
async function documentsOver(tx: Tx, batchId: string): Promise<string[]> {
  const keys = await attemptsOfBatch(tx, batchId);
  const attempts = await attemptsOf(
    tx,
    keys.map(({ payoutId }) => payoutId),
  );
  const over = attempts.filter(
    (one) => isReopened(one) || (one.batchId === batchId && !TO_BE_SENT.has(one.state)),
  );
  const ids = new Set(over.map(({ payoutId }) => payoutId));
  return keys.filter(({ payoutId }) => ids.has(payoutId)).map((one) => documentOf(one.payoutId));
}

const TO_BE_SENT: ReadonlySet<AttemptState> = new Set(["dispatched", "accepted"]);

function sealBatch(secrets: Secrets, id: string, content: Uint8Array) {
  const base64 = Buffer.from(content).toString("base64");
  return {
    content_sealed: secrets.seal(batchSeal(id), base64),
    digest: batchDigest(secrets, base64),
  };
}

function openBatch(
  secrets: Secrets,
  { id, content_sealed: sealed }: Pick<SealedBatch, "id" | "content_sealed">,
): string {
  return secrets.open(batchSeal(id), sealed);
}

export function batchSeal(id: string): string {
  return `${id} payout batch`;
}

/** A plain digest, or one by a key that outlives a rotation, would give its numbers away to a search through all. */
export function batchDigest(secrets: Secrets, base64: string): Buffer {
  return secrets.fingerprint("payout batch", base64);
}

interface Row extends NotSent {
  readonly row: number;
  readonly isSent: boolean;
  readonly reference: string;
}

const Settled = Type.Object({
  rows: Type.Integer({ description: "Rows of the file." }),
  settled: Type.Integer({ description: "Payouts that are settled by it." }),
  known: Type.Integer({ description: "Rows that say what was known." }),
  conflicts: Type.Integer({ description: "Rows against what is known: that stays as it is." }),
  to_approve: Type.Integer({
    description:
      "Payouts that have not left by this file and need a second approval: another operator has to bring it, too.",
  }),
});

async function settleBatch(
  tx: Tx,
  app: App,
  batchId: string,
  bytes: Uint8Array,
  operator: Operator,
): Promise<Static<typeof Settled>> {
  const rows = await resultRowsOf(tx, batchId, readResults(bytes));
  const ids = rows.map(({ payoutId }) => payoutId);
  const payouts = await lockPayouts(tx, ids);
  await refuseProven(tx, rows, payouts);
  const states = new Map(
    (await attemptsOf(tx, ids)).map((one) => [`${one.payoutId} ${one.number}`, one.state]),
  );
  const large = new Set(payouts.filter((one) => givingBackNeedsTwo(app, one)).map(({ id }) => id));
  // Where one gateway has asked for two people, no other gateway is content with one.
  const approved = await openApprovals(tx, ids, "not_sent", app.clock.now());
  const isDoubted = ({ payoutId, number }: Row): boolean => {
    const state = states.get(`${payoutId} ${number}`);
    const isOver = state === "sent" || state === "not_sent";
    const isApproved = approved.some((one) => one.subjectId === payoutId && one.attempt === number);
    return state === "unknown" || (!isOver && (isApproved || large.has(payoutId)));
  };
  const doubted = rows.filter((one) => !one.isSent && isDoubted(one));
  const answers = await approveEach(tx, app, operator, NOT_SENT, doubted.map(approvalOf));
  const isEnough = (answer: (typeof answers)[number] | undefined) =>
    answer !== undefined && "approvals" in answer && answer.approvals >= NOT_SENT.needed;
  const undecided = new Set(doubted.filter((_, place) => !isEnough(answers[place])));
  const heard = await recordAnswers(tx, app, rows.filter((one) => !undecided.has(one)).map(toldOf));
  // As at the desk: from the first approval on the outcome is unknown, and so the file is not for the bank.
  await recordAnswers(tx, app, [...undecided].map(toldByOne));
  // A refused approval, by the same person again, changes nothing.
  const to_approve = answers.filter((one) => "approvals" in one && !isEnough(one)).length;
  const count = (what: string): number => heard.filter((one) => one === what).length;
  return {
    rows: rows.length,
    settled: count("taken"),
    conflicts: count("conflict"),
    to_approve,
    known: count("known") + undecided.size - to_approve,
  };
}

/** Each with the attempt that it is about: of this file, and of no other that the payout was in. */
async function resultRowsOf(
  tx: Tx,
  batchId: string,
  results: readonly FileResult[],
): Promise<Row[]> {
  const keys = new Map(
    (await attemptsOfBatch(tx, batchId)).map((one) => [documentOf(one.payoutId), one]),
  );
  return results.map(({ row, document, state, reason, reference: written }) => {
    const key = keys.get(document) ?? refuseRow("result_unknown", row, document);
    const reference = referenceOf(written);
    const said = { reason: maskNumbers(reason), retry: state === "retry" };
    return { ...key, ...said, row, reference, isSent: state === "sent" };
  });
}

function toldOf(row: Row): Told {
  const { payoutId, number, reference } = row;
  return row.isSent ? { payoutId, number, answer: { kind: "sent", reference } } : toldNotSent(row);
}

function toldByOne({ payoutId, number }: Row): Told {
  const detail =
    "An answer to its file says that it has not left; somebody else has to say so, too.";
  return { payoutId, number, answer: { kind: "unknown", detail } };
}

async function refuseProven(
  tx: Tx,
  rows: readonly Row[],
  payouts: readonly Payout[],
): Promise<void> {
  const currencies = new Map(payouts.map(({ id, currency }) => [id, currency]));
  const proofs = rows
    .filter(({ isSent }) => isSent)
    .map(({ payoutId: id, row, reference }) => ({
      id,
      row,
      reference,
      currency: currencies.get(id) ?? "",
    }));
  const taken = await referencesTaken(tx, proofs);
  const wrong = proofs.find((one) => taken.has(one.id) || holdsCardNumber(one.reference));
  if (wrong !== undefined) refuseRow("result_unproven", wrong.row, wrong.reference);
}

const MOST_PAYOUTS = 500;
/** As base64 and JSON: 2.3 MB of file, a little more than the desk takes. */
const MAX_RESULTS_BYTES = 3 * 1024 * 1024;
const batchId = uuid({ description: "The file." });
const notFound = "There is no such file.";

export const readPayoutBatches = list({
  path: "/manage/payout-batches",
  summary: "List files of payouts",
  description: "The newest first.",
  noun: Batches,
  filters: {},
});

const Input = Type.Object({
  format: oneOf(FILE_FORMATS, {
    description: "csv with semicolons, in UTF-8; or 1c: 1CClientBankExchange, in windows-1251.",
    examples: ["csv"],
  }),
  service: Type.Optional(
    oneOf(PAYOUT_SERVICES, { description: "Payouts that are sent so; any without." }),
  ),
  currency: Type.Optional(currencyCode({ description: "Currency code; RUB." })),
  limit: Type.Optional(
    integer({ min: 1, max: MOST_PAYOUTS }, { description: "So many at most; 500." }),
  ),
  payouts: Type.Optional(
    listOf(
      uuid({ description: "The payout." }),
      { min: 1, max: MOST_PAYOUTS },
      {
        description: "These, and no others; else those that are first in line.",
      },
    ),
  ),
  account: Type.Optional(
    Type.String({
      pattern: "^\\d{20}$",
      description: "The account that the money leaves from; required for 1c, which names it.",
      examples: ["40702810000000000001"],
    }),
  ),
});

export const makePayoutBatch = change({
  path: "/manage/payout-batches",
  summary: "Put payouts into a file for the bank",
  description:
    "They are in this file from now on and in no other; it never changes. Whoever downloads it brings it to the bank, and the bank's answer back here. After three days without one nobody knows, and they are unknown.",
  act: "payout_batch.create",
  by: "cashier",
  input: Input,
  data: Batches.wire,
  notFound: "There is no such payout.",
  async make(tx, app, input: Static<typeof Input>, operator) {
    const { format, service, currency = "RUB", limit = MOST_PAYOUTS, payouts, account } = input;
    if (format === "1c" && account === undefined) {
      throw new Refusal("payout_batch_account_required");
    }
    const wish = { format, service, currency, limit, payoutIds: payouts, account };
    const id = await makeBatch(tx, app, wish, operator);
    const after = Batches.toWire(await Batches.find(tx, id));
    return { data: after, subject: id, before: null, after };
  },
});

export const revealPayoutBatch = change({
  path: "/manage/payout-batches/:batch_id/file",
  summary: "Download a file of payouts",
  description:
    "The same bytes for ever, with whole numbers. The audit log says who looked. Refused once a payout of it is not to be sent by it any more: it has left, by this file or in another way, or nobody knows.",
  act: "payout_batch.reveal",
  by: "cashier",
  input: Type.Object({
    batch_id: batchId,
    not_for_bank: Type.Optional(
      Type.Boolean({
        description:
          "To look at it, even where payouts of it are not to be sent by it any more; its name says so then.",
        examples: [true],
      }),
    ),
  }),
  data: Type.Object({
    filename: Type.String({ description: "What to call it.", examples: ["payouts-1a2b.csv"] }),
    content: Type.String({ description: "The file, as base64.", examples: ["77u/bnVtYmVyOw=="] }),
    sha256: Type.String({
      description: "Of the file, to tell it from others.",
      examples: ["dd76e0187a7b2bd3cbd8d8d4d0b6ee0a5f1a4d0e5b3a5d6e7f8091a2b3c4d5e6"],
    }),
  }),
  notFound,
  async make(tx, { secrets }, { batch_id, not_for_bank = false }) {
    const sealed = await sealedBatch(tx, batch_id);
    if (sealed === undefined) throw new Refusal("payout_batch_not_found");
    const over = await documentsOver(tx, sealed.id);
    const isOver = over.length > 0;
    if (isOver && !not_for_bank) throw refusalOf(over);
    const content = openBatch(secrets, sealed);
    const name = `payouts-${sealed.id.slice(-12)}${isOver ? "-not-for-bank" : ""}`;
    const filename = `${name}.${sealed.format === "csv" ? "csv" : "txt"}`;
    const sha256 = hash("sha256", Buffer.from(content, "base64"));
    const after = isOver ? { not_for_bank: over } : null;
    return { data: { filename, content, sha256 }, subject: sealed.id, before: null, after };
  },
});

const MOST_NAMED = 10;

function refusalOf(over: readonly string[]): Refusal {
  const more = over.length > MOST_NAMED ? ", …" : "";
  const documents = over.slice(0, MOST_NAMED).join(", ") + more;
  return new Refusal("payout_batch_over", { count: `${over.length}`, documents });
}

export const settlePayoutBatch = change({
  path: "/manage/payout-batches/:batch_id/results",
  summary: "Bring the bank's answer to a file of payouts",
  description:
    "A CSV with semicolons: number;state;reference;reason. The number is the one in the file; the state sent (with the bank's reference), not_sent or retry (with a reason). A row that cannot be refuses the whole; rows may come in several files, and the same again changes nothing.",
  act: "payout_batch.settle",
  by: "cashier",
  maxBodyBytes: MAX_RESULTS_BYTES,
  input: Type.Object({
    batch_id: batchId,
    content: Type.String({
      minLength: 1,
      pattern: "^[A-Za-z0-9+/]+={0,2}$",
      description: "The file, as base64.",
      examples: [Buffer.from("number;state;reference;reason\r\n").toString("base64")],
    }),
  }),
  data: Settled,
  notFound,
  async make(tx, app, { batch_id, content }, operator) {
    const { id } = await Batches.find(tx, batch_id);
    const data = await settleBatch(tx, app, id, Buffer.from(content, "base64"), operator);
    // What contradicts the books is worth a row each time that somebody brings it.
    const isRepeat = data.settled + data.to_approve + data.conflicts === 0;
    return { data, subject: id, before: isRepeat ? data : null, after: data };
  },
});
