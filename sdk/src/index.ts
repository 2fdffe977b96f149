// Everything that @kopeck/sdk offers.

export type { Api } from "./api.ts";
export { type FailureKind, KopeckError, WebhookError, type WebhookProblem } from "./failure.ts";
export type { FeedEvent, FeedOptions, FeedPage } from "./feed.ts";
export {
  type ManagementClient,
  type ManagementOptions,
  managementClient,
} from "./management.ts";
export {
  type MerchantClient,
  type MerchantOptions,
  merchantClient,
  type NewH2hPayment,
  type NewInvoice,
  type NewPayout,
  type WhichBalance,
  type WhichInvoice,
  type WhichPayout,
  type WhichPayouts,
} from "./merchant.ts";
export { signWebhook, type WebhookContent } from "./sign-webhook.ts";
export type { CallOptions, TransportOptions } from "./transport.ts";
export { verifyWebhook, type WebhookHeaders, type WebhookRequest } from "./webhook.ts";
export type {
  ExpiredEvent,
  FailedEvent,
  PaidEvent,
  PayoutEvent,
  PayoutFailedEvent,
  PayoutPaidEvent,
  RefundedEvent,
  TestEvent,
  WebhookEvent,
} from "./webhook-event.ts";
