// The doors of a merchant's own people, room by room: one list, for the API and for whoever makes pages of them.

import type { Endpoint } from "../../platform/endpoint.ts";
import { readOwnBalance, readOwnEntries, readOwnReleases } from "../ledger/get-balance.endpoint.ts";
import {
  changeOwnPerson,
  inviteOwnPerson,
  makeOwnPersonLink,
  readOwnPeople,
} from "../merchants/manage-members.endpoint.ts";
import {
  createOwnKey,
  createOwnToken,
  readOwnKeys,
  readOwnTokens,
  revokeOwnKey,
  revokeOwnToken,
  rotateOwnShopWebhookKeys,
  rotateOwnWebhookKeys,
} from "../merchants/own-keys.endpoint.ts";
import {
  changeOwnShop,
  readOwnAuditLog,
  readOwnMember,
  readOwnShop,
  readOwnShops,
} from "../merchants/own-shops.endpoint.ts";
import { cancelOwnInvoice } from "../payments/cancel-invoice.endpoint.ts";
import {
  askOwnPayout,
  cancelOwnPayout,
  readOwnPayout,
  readOwnPayouts,
  readOwnPayoutTariffs,
} from "../payouts/manage-payouts.endpoint.ts";
import { createOwnRefund, readOwnRefunds } from "../refunds/manage-refunds.endpoint.ts";
import { readOwnTariffs } from "../tariffs/own-tariffs.endpoint.ts";
import { readOwnEvent, readOwnEvents, sendOwnEvent } from "../webhooks/own-events.endpoint.ts";
import { sendTestEvent } from "../webhooks/send-test-event.endpoint.ts";
import { createOwnLink, readOwnInvoice, readOwnInvoices } from "./own-invoices.endpoint.ts";
import { readOwnNewest } from "./read-newest.endpoint.ts";

/** What a merchant's own people ask, by their tokens here and by their sessions on pages. */
export const cabinetEndpoints: readonly Endpoint[] = [
  readOwnMember,
  readOwnShops,
  readOwnShop,
  changeOwnShop,
  readOwnTariffs,
  readOwnKeys,
  createOwnKey,
  revokeOwnKey,
  rotateOwnShopWebhookKeys,
  rotateOwnWebhookKeys,
  readOwnInvoices,
  readOwnInvoice,
  createOwnLink,
  cancelOwnInvoice,
  readOwnRefunds,
  createOwnRefund,
  readOwnBalance,
  readOwnEntries,
  readOwnReleases,
  readOwnPayouts,
  readOwnPayout,
  askOwnPayout,
  cancelOwnPayout,
  readOwnPayoutTariffs,
  readOwnEvents,
  readOwnEvent,
  sendOwnEvent,
  sendTestEvent,
  readOwnPeople,
  inviteOwnPerson,
  changeOwnPerson,
  makeOwnPersonLink,
  readOwnNewest,
  readOwnTokens,
  createOwnToken,
  revokeOwnToken,
  readOwnAuditLog,
];
