// Every sealed column. One that is missing here is lost by a rotation of the secret key.

import { sourceKeySeal } from "../../features/intake/source-gate.ts";
import { messageSeal } from "../../features/intake/source-nouns.ts";
import { webhookKeySeal, webhookSecretSeal } from "../../features/merchants/queries.ts";
import {
  type Destination,
  destinationDigest,
  destinationSeal,
} from "../../features/payouts/destination-queries.ts";
import { batchDigest, batchSeal } from "../../features/payouts/manage-payout-batches.endpoint.ts";
import { railSecretSeal } from "../../features/payouts/rail.ts";
import { walletDigest, walletSeal } from "../../features/requisites/wallet.ts";
import type { NumberKind } from "../../features/requisites/wallet-queries.ts";
import type { SealedColumn } from "../../platform/db-sealed.ts";

/** Each row is a whole file. */
const FILES_OF_A_PAGE = 20;

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: "requisite_numbers",
    column: "sealed",
    id: "requisite_id",
    reads: ["kind"],
    name: "a number of requisite",
    boundTo: ({ id, kind }) => walletSeal(id, kind as NumberKind),
    digest: {
      column: "digest",
      of: (secrets, text, { kind }) => walletDigest(secrets, kind as NumberKind, text),
    },
  },
  webhookText("key_sealed", webhookKeySeal),
  webhookText("secret_sealed", webhookSecretSeal),
  webhookText("old_key_sealed", webhookKeySeal),
  webhookText("old_secret_sealed", webhookSecretSeal),
  {
    table: "imports",
    column: "content_sealed",
    name: "the file of import",
    boundTo: ({ id }) => id,
    page: FILES_OF_A_PAGE,
  },
  {
    table: "sources",
    column: "key_sealed",
    name: "the key of source",
    boundTo: ({ id }) => sourceKeySeal(id),
  },
  {
    table: "messages",
    column: "text_sealed",
    name: "the text of message",
    boundTo: ({ id }) => messageSeal(id),
  },
  {
    table: "payout_destinations",
    column: "number_sealed",
    reads: ["service", "currency", "bank_id"],
    name: "payout destination",
    boundTo: ({ id }) => destinationSeal(id),
    digest: {
      column: "digest",
      of: (secrets, number, { service, currency, bank_id: bankId }) =>
        destinationDigest(secrets, { service, currency, number, bankId } as Destination),
    },
  },
  {
    table: "payout_batches",
    column: "content_sealed",
    name: "payout batch",
    boundTo: ({ id }) => batchSeal(id),
    digest: { column: "digest", of: batchDigest },
    page: FILES_OF_A_PAGE,
  },
  {
    table: "rails",
    column: "secret_sealed",
    id: "code",
    idType: "text",
    name: "the secret of rail",
    boundTo: ({ id }) => railSecretSeal(id),
  },
  {
    table: "people",
    column: "totp_sealed",
    name: "the code app of person",
    boundTo: ({ id }) => id,
    // A person without a working app still signs in by a recovery code.
    mayBeLost: true,
  },
];

function webhookText(column: string, boundTo: (ownerId: string) => string): SealedColumn {
  return {
    table: "webhook_keys",
    column,
    id: "shop_id",
    name: `${column} of shop or user`,
    boundTo: ({ id }) => boundTo(id),
  };
}
