// The lists: every door of every room.

import type { Endpoint } from "../platform/endpoint.ts";
import type { Job } from "../platform/job.ts";
import { createInvoice } from "./invoices/create-invoice.endpoint.ts";
import { expireInvoicesJob } from "./invoices/expire-invoices.job.ts";
import { getBalance } from "./ledger/get-balance.endpoint.ts";
import { releaseFreezesJob } from "./ledger/release-freezes.job.ts";
import { createH2hPayment } from "./payments/create-h2h-payment.endpoint.ts";
import { getInvoiceInfo } from "./payments/get-invoice-info.endpoint.ts";
import { lapsePaymentsJob } from "./payments/lapse-payments.job.ts";
import { listSbpBanks } from "./payouts/list-sbp-banks.endpoint.ts";
import { addTransfer } from "./sandbox/add-transfer.endpoint.ts";
import { getSandboxClock } from "./sandbox/get-clock.endpoint.ts";
import { moveSandboxClock } from "./sandbox/move-clock.endpoint.ts";
import { listPaymentTariffs } from "./tariffs/list-payment-tariffs.endpoint.ts";
import { deliverEventsJob } from "./webhooks/deliver-events.job.ts";

const endpoints: readonly Endpoint[] = [
  createInvoice,
  createH2hPayment,
  getInvoiceInfo,
  listPaymentTariffs,
  listSbpBanks,
  getBalance,
];

const sandboxEndpoints: readonly Endpoint[] = [addTransfer, moveSandboxClock, getSandboxClock];

/** In live mode the sandbox's verbs do not exist. */
export function endpointsOf(mode: "sandbox" | "live"): readonly Endpoint[] {
  return mode === "sandbox" ? [...endpoints, ...sandboxEndpoints] : endpoints;
}

export const jobs: readonly Job[] = [
  lapsePaymentsJob,
  expireInvoicesJob,
  releaseFreezesJob,
  deliverEventsJob,
];
