// A file of payouts for the bank's client: made once, sealed, and never another. Guards that the payouts in it are
// claimed and the file is stored together or not at all, and that nobody takes one for the bank's that would pay twice.

import { momentFormat } from "../../domain/moment.ts";
import type { AttemptState } from "../../domain/payout.ts";
import { documentOf, type FileFormat, type FileRow, writeFile } from "../../domain/payout-file.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Secrets } from "../../platform/secret.ts";
import { holdSecretKey } from "../operators/installation.ts";
import type { Operator } from "../operators/operator.ts";
import { attemptsOf } from "./attempt-queries.ts";
import { claimPayouts, isReopened } from "./attempts.ts";
import { sbpBanks } from "./bank-queries.ts";
import { addBatch, attemptsOfBatch, lockForFile, type SealedBatch } from "./batch-queries.ts";
import { openDestination } from "./destination.ts";
import { sealedDestinations } from "./destination-queries.ts";
import { lockPayouts, type Payout } from "./queries.ts";
import { holdOpenRail } from "./rail-queries.ts";

const FILE = "file";
/** Banks answer within a banking day; behind weekends that is three. */
const LEASE_SECONDS = 3 * 24 * 60 * 60;

export interface BatchWish {
  readonly format: FileFormat;
  readonly service: string | undefined;
  readonly currency: string;
  readonly limit: number;
  /** These, and no others; else whatever is first in line. */
  readonly payoutIds: readonly string[] | undefined;
  readonly account: string | undefined;
}

/** The id of the file. */
export async function makeBatch(
  tx: Tx,
  app: App,
  wish: BatchWish,
  operator: Operator,
): Promise<string> {
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
  const ids = payoutIds ?? (await lockForFile(tx, { services, currency, limit, now: clock.now() }));
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
export async function documentsOver(tx: Tx, batchId: string): Promise<string[]> {
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

export function openBatch(
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
