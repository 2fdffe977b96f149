// The lists: every door of every room.

import type { Endpoint } from "../platform/endpoint.ts";
import type { Job } from "../platform/job.ts";
import { createInvoice } from "./invoices/create-invoice.endpoint.ts";
import { getBalance } from "./ledger/get-balance.endpoint.ts";
import { createH2hPayment } from "./payments/create-h2h-payment.endpoint.ts";
import { lapsePaymentsJob } from "./payments/lapse-payments.job.ts";
import { listSbpBanks } from "./payouts/list-sbp-banks.endpoint.ts";
import { listPaymentTariffs } from "./tariffs/list-payment-tariffs.endpoint.ts";

export const endpoints: readonly Endpoint[] = [
  createInvoice,
  createH2hPayment,
  listPaymentTariffs,
  listSbpBanks,
  getBalance,
];

export const jobs: readonly Job[] = [lapsePaymentsJob];
