// /manage/payout-batches: files of payouts for the bank's client, and what the bank answers to them.

import { hash } from "node:crypto";
import type { Static } from "typebox";
import { PAYOUT_SERVICES } from "../../domain/payout.ts";
import { FILE_FORMATS } from "../../domain/payout-file.ts";
import { Refusal } from "../../domain/refusal.ts";
import { currencyCode, integer, listOf, oneOf, Type, uuid } from "../../platform/field.ts";
import { change, list } from "../operators/doors.ts";
import { documentsOver, makeBatch, openBatch } from "./batch.ts";
import { sealedBatch } from "./batch-queries.ts";
import { Batches } from "./nouns.ts";
import { settleBatch } from "./results.ts";

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
  data: Type.Object({
    rows: Type.Integer({ description: "Rows of the file." }),
    settled: Type.Integer({ description: "Payouts that are settled by it." }),
    known: Type.Integer({ description: "Rows that say what was known." }),
    conflicts: Type.Integer({ description: "Rows against what is known: that stays as it is." }),
    to_approve: Type.Integer({
      description:
        "Payouts that have not left by this file and need a second approval: another operator has to bring it, too.",
    }),
  }),
  notFound,
  async make(tx, app, { batch_id, content }, operator) {
    const { id } = await Batches.find(tx, batch_id);
    const data = await settleBatch(tx, app, id, Buffer.from(content, "base64"), operator);
    // What contradicts the books is worth a row each time that somebody brings it.
    const isRepeat = data.settled + data.to_approve + data.conflicts === 0;
    return { data, subject: id, before: isRepeat ? data : null, after: data };
  },
});
