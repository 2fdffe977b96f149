// Where payouts go to and the files they are in, under another secret key, and whether all of it opens.

import type { Queryable, Tx } from "../../platform/db.ts";
import { BEFORE_ALL_IDS } from "../../platform/id.ts";
import { type Secrets, sameDigest } from "../../platform/secret.ts";
import { openBatch, sealBatch } from "./batch.ts";
import { replaceBatches, type SealedBatch, sealedBatches } from "./batch-queries.ts";
import { openDestination, sealDestination } from "./destination.ts";
import {
  pageOfDestinations,
  replaceDestinations,
  type SealedDestination,
} from "./destination-queries.ts";

const PAGE = 1_000;
/** Each is a whole file. */
const FEW = 20;

async function* pagesOf<Row extends { readonly id: string }>(
  read: (after: string) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let page = await read(BEFORE_ALL_IDS);
  while (page.length > 0) {
    yield page;
    page = await read(page.at(-1)?.id ?? BEFORE_ALL_IDS);
  }
}

const destinationsIn = (db: Queryable) => pagesOf((after) => pageOfDestinations(db, after, PAGE));
const batchesIn = (db: Queryable) => pagesOf((after) => sealedBatches(db, after, FEW));

/** How many were sealed anew; whoever has locked the installation knows that these are all. */
export async function resealPayouts(tx: Tx, present: Secrets, next: Secrets): Promise<number> {
  let sealed = 0;
  for await (const page of destinationsIn(tx)) {
    await replaceDestinations(
      tx,
      page.map((one) => sealedBy(next, one, openDestination(present, one))),
    );
    sealed += page.length;
  }
  for await (const page of batchesIn(tx)) {
    const fresh = page.map((one) => ({
      id: one.id,
      ...sealBatch(next, one.id, bytes(present, one)),
    }));
    await replaceBatches(tx, fresh);
    sealed += page.length;
  }
  return sealed;
}

function sealedBy(secrets: Secrets, one: SealedDestination, number: string) {
  const { id, user_id, service, currency, bank_id: bankId } = one;
  return sealDestination({ secrets }, id, user_id, { service, currency, number, bankId });
}

function bytes(secrets: Secrets, batch: SealedBatch): Buffer {
  return Buffer.from(openBatch(secrets, batch), "base64");
}

/** Those that do not open with this secret key, and the digests that are not theirs, in words. */
export async function payoutFaults(db: Queryable, secrets: Secrets): Promise<string[]> {
  const faults: string[] = [];
  const look = (what: string, digest: Buffer, read: () => Buffer): void => {
    try {
      if (!sameDigest(digest, read())) faults.push(`the digest of ${what} is not its own`);
    } catch {
      faults.push(`${what} does not open`);
    }
  };
  for await (const page of destinationsIn(db)) {
    for (const one of page) {
      look(`payout destination ${one.id}`, one.digest, () => {
        return sealedBy(secrets, one, openDestination(secrets, one)).digest;
      });
    }
  }
  for await (const page of batchesIn(db)) {
    for (const one of page) {
      look(`payout batch ${one.id}`, one.digest, () => {
        return sealBatch(secrets, one.id, bytes(secrets, one)).digest;
      });
    }
  }
  return faults;
}
