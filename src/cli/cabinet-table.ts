// The commands of a merchant's people: "my invoice list" and the like.

import type { Doors } from "./command.ts";
import { SAMPLE_ID as ID } from "./manual.ts";

export const NEW_KEYS = "The new keys are shown only now; the old ones end with the overlap.";

export const CABINET: Doors = {
  "my whoami": { call: "GET /cabinet/me" },
  "my newest": { call: "GET /cabinet/newest" },
  "my balance": { call: "GET /cabinet/balance", columns: "currency available frozen reserved" },
  "my statement": {
    call: "GET /cabinet/entries",
    columns: "created_at kind available frozen reserved currency source_id",
    example: "--from 2026-03-01 --all",
  },
  "my release list": { call: "GET /cabinet/releases", columns: "day amount currency credits" },
  "my invoice list": {
    call: "GET /cabinet/invoices",
    columns: "invoice_id shop_id order_id state amount currency created_at",
    example: "--state paid --amount 1000 --from 2026-03-01",
  },
  "my invoice show": { call: "GET /cabinet/invoices/{invoice_id}" },
  "my invoice create": {
    call: "POST /cabinet/invoices",
    example: `--shop-id ${ID} --amount 1000 --order-id order-1`,
  },
  "my invoice cancel": {
    call: "POST /cabinet/invoices/{invoice_id}/cancel",
    warning: "Nobody can pay it any more, and the shop is told.",
  },
  "my refund list": {
    call: "GET /cabinet/refunds",
    columns: "refund_id invoice_id amount currency reference author created_at",
    example: `--shop-id ${ID}`,
  },
  "my refund create": {
    call: "POST /cabinet/refunds",
    places: ["invoice_id", "amount"],
    warning: "The money leaves your balance, and the shop is told.",
    example: '--reason "sent twice" --reference ticket-17',
  },
  "my payout list": {
    call: "GET /cabinet/payouts",
    columns: "payout_id order_id state service amount wallet held_reason created_at",
    example: "--state held",
  },
  "my payout show": { call: "GET /cabinet/payouts/{payout_id}" },
  "my payout create": {
    call: "POST /cabinet/payouts",
    warning: "The money is set aside, and an owner's leaves as soon as it can.",
    example: "--service card --wallet-to - --amount 100 --order-id payout-1",
  },
  "my payout cancel": {
    call: "POST /cabinet/payouts/{payout_id}/cancel",
    warning: "The money is on your balance again, and nobody sends it.",
  },
  "my payout-tariff list": {
    call: "GET /cabinet/payout-tariffs",
    columns: "service currency percent fix min_sum max_sum day_sum day_count enabled",
  },
  "my sbp-bank list": {
    call: "GET /cabinet/payout-tariffs",
    summary: "List the banks that a payout by SBP can go to",
    part: "banks",
    columns: "id name",
  },
  "my shop list": {
    call: "GET /cabinet/shops",
    columns: "shop_id name h2h_enabled late_policy hook_url",
  },
  "my shop show": { call: "GET /cabinet/shops/{shop_id}" },
  "my shop update": {
    call: "POST /cabinet/shops/{shop_id}",
    example: "--hook-url https://acme.example/hook --clear fail_url",
  },
  "my shop rotate-webhook-keys": {
    call: "POST /cabinet/shops/{shop_id}/rotate-webhook-keys",
    warning: NEW_KEYS,
    example: "--overlap-hours 48",
  },
  "my shop test-event": {
    call: "POST /cabinet/shops/{shop_id}/test-event",
    fails: ({ status, error }) => {
      if (error !== null) return `The receiver has not answered: ${error}.`;
      const isHeard = Number(status) >= 200 && Number(status) < 300;
      return isHeard ? undefined : `The receiver answered ${status}.`;
    },
  },
  "my tariff list": {
    call: "GET /cabinet/tariffs",
    columns: "shop_id service currency shop_percent user_percent fix min_sum max_sum status",
    example: `--shop-id ${ID}`,
  },
  "my event list": {
    call: "GET /cabinet/events",
    columns: "created_at event_id invoice_id payout_id state attempts next_attempt_at",
    example: "--state exhausted",
  },
  "my event show": { call: "GET /cabinet/events/{event_id}" },
  "my event send": { call: "POST /cabinet/events/{event_id}/send" },
  "my key list": {
    call: "GET /cabinet/keys",
    columns: "key_id shop_id created_at ends_at",
    example: `--shop-id ${ID}`,
  },
  "my key create": { call: "POST /cabinet/keys", example: `--shop-id ${ID}` },
  "my key revoke": {
    call: "POST /cabinet/keys/{key_id}/revoke",
    warning: "Whoever uses this key is refused from now on.",
  },
  "my rotate-webhook-keys": {
    call: "POST /cabinet/rotate-webhook-keys",
    warning: NEW_KEYS,
    example: "--overlap-hours 48",
  },
  "my token list": {
    call: "GET /cabinet/tokens",
    columns: "token_id name created_at ends_at revoked_at",
  },
  "my token create": {
    call: "POST /cabinet/tokens",
    places: ["name"],
    example: "--expires-in-days 90",
  },
  "my token revoke": {
    call: "POST /cabinet/tokens/{token_id}/revoke",
    warning: "The token stops working at once and for ever.",
  },
  "my member list": {
    call: "GET /cabinet/people",
    columns: "person_id name email role created_at ended_at",
  },
  "my member invite": {
    call: "POST /cabinet/people",
    warning: "Whoever has the link of the answer comes in as this person, once.",
    example: "--email vera@example.com --name Vera --role accountant",
  },
  "my member change": { call: "POST /cabinet/people/{person_id}", example: "--role none" },
  "my member link": {
    call: "POST /cabinet/people/{person_id}/link",
    warning:
      "Their sessions and tokens end now, and whoever has the link of the answer comes in as them, once.",
  },
  "my audit list": {
    call: "GET /cabinet/audit",
    columns: "created_at operator_name act subject",
    example: "--act shop.update --from 2026-01-01",
  },
  "my statistics": {
    call: "GET /cabinet/statistics",
    columns:
      "key created converted expired paid paid_in_time received credited fee refunds refunded",
    example: "--from 2026-03-01 --to 2026-04-01 --by day",
  },
};
