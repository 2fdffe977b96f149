// The lists: every door of every room.

import type { Endpoint } from "../platform/endpoint.ts";
import { type Api, endpointsIn } from "../platform/openapi.ts";
import { readApprovals } from "./approvals/list-approvals.endpoint.ts";
import {
  bringImport,
  dropImport,
  readImports,
  showImport,
} from "./intake/manage-imports.endpoint.ts";
import { decideLine, decideLines, readLines } from "./intake/manage-lines.endpoint.ts";
import {
  addSource,
  changeSource,
  readMessages,
  readSources,
  revokeSource,
  tryTemplates,
} from "./intake/manage-sources.endpoint.ts";
import { readReconciliation } from "./intake/read-reconciliation.endpoint.ts";
import { reportMessages } from "./intake/report-messages.endpoint.ts";
import { createInvoice } from "./invoices/create-invoice.endpoint.ts";
import { jobs } from "./jobs.ts";
import { getBalance } from "./ledger/get-balance.endpoint.ts";
import { readAccount, readAccounts, readEntries } from "./ledger/manage-accounts.endpoint.ts";
import { askForBookCheck, readBooks } from "./ledger/manage-books.endpoint.ts";
import { createKey, readKeys, revokeKey, rotateKeys } from "./merchants/manage-keys.endpoint.ts";
import {
  changeMerchantPerson,
  inviteMerchantPerson,
  readMembers,
} from "./merchants/manage-members.endpoint.ts";
import {
  changeShop,
  createShop,
  readShop,
  readShops,
  rotateShopWebhookKeys,
} from "./merchants/manage-shops.endpoint.ts";
import {
  createUser,
  readUser,
  readUsers,
  rotateUserWebhookKeys,
  updateUser,
} from "./merchants/manage-users.endpoint.ts";
import {
  createOperator,
  readOperators,
  readOwnOperator,
} from "./operators/manage-operators.endpoint.ts";
import { readAuditLog } from "./operators/read-audit-log.endpoint.ts";
import { cabinetEndpoints } from "./overview/cabinet-endpoints.ts";
import { find } from "./overview/find.endpoint.ts";
import { getInvoiceInfo } from "./overview/get-invoice-info.endpoint.ts";
import { readInvoice, readInvoices } from "./overview/manage-invoices.endpoint.ts";
import { readNewest } from "./overview/read-newest.endpoint.ts";
import { showHealth } from "./overview/show-health.endpoint.ts";
import { showWaiting } from "./overview/show-waiting.endpoint.ts";
import { tryTariff } from "./overview/try-tariff.endpoint.ts";
import { cancelAnyInvoice, cancelShopInvoice } from "./payments/cancel-invoice.endpoint.ts";
import { createH2hPayment } from "./payments/create-h2h-payment.endpoint.ts";
import { readPayments } from "./payments/manage-payments.endpoint.ts";
import { showSlots } from "./payments/show-slots.endpoint.ts";
import { createPayout } from "./payouts/create-payout.endpoint.ts";
import {
  approvePayout,
  recoverPayout,
  refusePayout,
  returnPayout,
} from "./payouts/decide-payouts.endpoint.ts";
import { cancelPayout, getPayoutInfo, listPayouts } from "./payouts/get-payout-info.endpoint.ts";
import {
  makePayoutBatch,
  readPayoutBatches,
  revealPayoutBatch,
  settlePayoutBatch,
} from "./payouts/manage-payout-batches.endpoint.ts";
import {
  deletePayoutTariff,
  listPayoutTariffs,
  putPayoutTariff,
  readPayoutTariffs,
} from "./payouts/manage-payout-tariffs.endpoint.ts";
import { addPayout, readPayout, readPayouts } from "./payouts/manage-payouts.endpoint.ts";
import {
  addHttpRail,
  readRails,
  rotateRailSecret,
  updateRail,
} from "./payouts/manage-rails.endpoint.ts";
import { listSbpBanks, putSbpBanks, readSbpBanks } from "./payouts/manage-sbp-banks.endpoint.ts";
import {
  markNotSent,
  markSent,
  resolvePayout,
  takePayout,
} from "./payouts/send-by-hand.endpoint.ts";
import { takeNotice } from "./payouts/take-notice.endpoint.ts";
import {
  changePersonDoor,
  endPersonSessions,
  invitePerson,
  makePersonLink,
  readPeople,
  readPerson,
} from "./people/manage-people.endpoint.ts";
import { revokeOperator } from "./people/revoke-operator.endpoint.ts";
import { createRefund, readRefunds } from "./refunds/manage-refunds.endpoint.ts";
import {
  addRequisite,
  changeRequisite,
  readBanks,
  readRequisite,
  readRequisites,
  revealRequisite,
} from "./requisites/manage-requisites.endpoint.ts";
import { addTransfer } from "./sandbox/add-transfer.endpoint.ts";
import { SANDBOX_SECRETS } from "./sandbox/cast.ts";
import { getSandboxClock, moveSandboxClock } from "./sandbox/clock.endpoint.ts";
import { readAllStatistics, readOwnStatistics } from "./statistics/read-statistics.endpoint.ts";
import { listPaymentTariffs } from "./tariffs/list-payment-tariffs.endpoint.ts";
import { changeService, readServices } from "./tariffs/manage-methods.endpoint.ts";
import { deleteTariff, putTariff, readTariffs } from "./tariffs/manage-tariffs.endpoint.ts";
import { bookTransfers } from "./transfers/book-transfers.endpoint.ts";
import {
  assignSuspense,
  findCandidates,
  readTransfers,
  returnSuspense,
  showTransfer,
  withdrawSuspense,
} from "./transfers/manage-transfers.endpoint.ts";
import { addOwnMove, readOwnMoves } from "./treasury/manage-own-moves.endpoint.ts";
import { webhooks } from "./webhooks/descriptions.ts";
import { readEvent, readEvents, sendEvent } from "./webhooks/manage-events.endpoint.ts";
import { readShopEvents, readUserEvents } from "./webhooks/read-feed.endpoint.ts";

const merchantEndpoints: readonly Endpoint[] = [
  createInvoice,
  createH2hPayment,
  getInvoiceInfo,
  cancelShopInvoice,
  listPaymentTariffs,
  listSbpBanks,
  getBalance,
  readShopEvents,
  readUserEvents,
];

const payoutEndpoints: readonly Endpoint[] = [
  createPayout,
  getPayoutInfo,
  listPayouts,
  listPayoutTariffs,
  cancelPayout,
];

/** One line a noun; the order is that of the command line's help. */
const manageEndpoints: readonly Endpoint[] = [
  showWaiting,
  find,
  showHealth,
  readOwnOperator,
  readOperators,
  createOperator,
  revokeOperator,
  readAuditLog,
  readPeople,
  readPerson,
  invitePerson,
  changePersonDoor,
  makePersonLink,
  endPersonSessions,
  readUsers,
  readUser,
  createUser,
  updateUser,
  rotateUserWebhookKeys,
  readMembers,
  inviteMerchantPerson,
  changeMerchantPerson,
  readShops,
  readShop,
  createShop,
  changeShop,
  rotateShopWebhookKeys,
  readKeys,
  createKey,
  rotateKeys,
  revokeKey,
  readServices,
  changeService,
  readTariffs,
  tryTariff,
  putTariff,
  deleteTariff,
  readBanks,
  readRequisites,
  readRequisite,
  addRequisite,
  changeRequisite,
  revealRequisite,
  showSlots,
  readInvoices,
  readInvoice,
  cancelAnyInvoice,
  readPayments,
  readNewest,
  readTransfers,
  showTransfer,
  findCandidates,
  bookTransfers,
  assignSuspense,
  withdrawSuspense,
  returnSuspense,
  readApprovals,
  readImports,
  showImport,
  bringImport,
  dropImport,
  readReconciliation,
  readLines,
  decideLine,
  decideLines,
  readSources,
  addSource,
  changeSource,
  revokeSource,
  readMessages,
  tryTemplates,
  readRefunds,
  createRefund,
  readPayouts,
  readPayout,
  addPayout,
  approvePayout,
  refusePayout,
  takePayout,
  markSent,
  markNotSent,
  resolvePayout,
  returnPayout,
  recoverPayout,
  readPayoutBatches,
  makePayoutBatch,
  revealPayoutBatch,
  settlePayoutBatch,
  readPayoutTariffs,
  putPayoutTariff,
  deletePayoutTariff,
  readOwnMoves,
  addOwnMove,
  readEvents,
  readEvent,
  sendEvent,
  readAccounts,
  readAccount,
  readEntries,
  readBooks,
  askForBookCheck,
  readAllStatistics,
  readSbpBanks,
  putSbpBanks,
  readRails,
  addHttpRail,
  updateRail,
  rotateRailSecret,
];

const sandboxEndpoints: readonly Endpoint[] = [
  addTransfer(jobs),
  moveSandboxClock(jobs),
  getSandboxClock,
];

const MERCHANT = {
  name: "merchant",
  description: "What a shop calls: an order, where to pay it, how it stands; tariffs and balance.",
  endpoints: merchantEndpoints,
};

const PAYOUTS = {
  name: "payouts",
  description: "What a user calls to have money sent.",
  endpoints: payoutEndpoints,
};

const MANAGEMENT = {
  name: "management",
  description:
    "What whoever runs the gateway calls: users, shops, requisites, money that arrived, refunds.",
  endpoints: manageEndpoints,
};

const CABINET = {
  name: "cabinet",
  description: "What a merchant's own people call, each as far as their role goes.",
  endpoints: [...cabinetEndpoints, readOwnStatistics],
};

const INTAKE = {
  name: "intake",
  description: "What a phone calls that forwards a bank's messages.",
  endpoints: [reportMessages],
};

const RAIL = {
  name: "rail",
  description: "What a program calls that sends payouts.",
  endpoints: [takeNotice],
};

const SANDBOX = {
  name: "sandbox",
  description:
    "Playing the bank and the time; only in the sandbox, whose keys are the examples' own.",
  endpoints: sandboxEndpoints,
};

/** In live mode the sandbox's verbs do not exist. The groups are in the order of a payment's story. */
export function apiOf(mode: "sandbox" | "live"): Api {
  const always = [PAYOUTS, MANAGEMENT, CABINET, INTAKE, RAIL];
  if (mode === "live") return { groups: [MERCHANT, ...always], webhooks };
  const groups = [MERCHANT, SANDBOX, ...always];
  return { groups, webhooks, secrets: SANDBOX_SECRETS };
}

export function endpointsOf(mode: "sandbox" | "live"): readonly Endpoint[] {
  return endpointsIn(apiOf(mode));
}
