// Every command, in the order of the help: first what runs on this machine, then the management calls.

import { type Command, type DoorCommand, UsageFailure } from "./command.ts";
import { SAMPLE_ID as ID } from "./manual.ts";

const LOCAL: readonly Command[] = [
  {
    words: "serve",
    summary: "Run the gateway; what no command at all means, too",
    load: async () => (await import("./local/serve.ts")).serve,
  },
  {
    words: "migrate",
    summary: "Bring the database to this version's tables",
    load: async () => (await import("./local/migrate.ts")).migrateDatabase,
  },
  {
    words: "init",
    summary: "Make the first operator of a live gateway",
    load: async () => (await import("./local/init.ts")).init,
  },
  {
    words: "verify",
    summary: "Check that the books are right, changing nothing",
    load: async () => (await import("./local/verify.ts")).verify,
  },
  {
    words: "secret rotate",
    summary: "Put another secret key in the place of the present one",
    load: async () => (await import("./local/rotate-secret.ts")).rotateSecret,
  },
  {
    words: "copy",
    summary: "Copy the whole installation into an empty PostgreSQL database",
    load: async () => (await import("./local/copy.ts")).copy,
  },
  {
    words: "openapi",
    summary: "Print the API's description as OpenAPI",
    load: async () => (await import("./local/openapi.ts")).openapi,
  },
];

/** Who manages the gateway, who sells, what it costs, where money arrives. */
const SETUP: readonly DoorCommand[] = [
  { words: "whoami", call: "GET /manage/me" },
  {
    words: "operator list",
    call: "GET /manage/operators",
    columns: "operator_id name role created_at ends_at revoked_at",
  },
  {
    words: "operator create",
    call: "POST /manage/operators",
    places: ["name"],
    example: "--role viewer --expires-in-days 90",
  },
  {
    words: "operator revoke",
    call: "POST /manage/operators/{operator_id}/revoke",
    warning: "The token stops working at once and for ever.",
  },
  {
    words: "audit list",
    call: "GET /manage/audit",
    columns: "created_at operator_name act subject",
    example: "--act requisite.reveal --from 2026-01-01",
  },
  { words: "user list", call: "GET /manage/users", columns: "user_id name created_at" },
  { words: "user create", call: "POST /manage/users", places: ["name"] },
  { words: "user rename", call: "POST /manage/users/{user_id}", places: ["name"] },
  {
    words: "shop list",
    call: "GET /manage/shops",
    columns: "shop_id name user_id h2h_enabled late_policy hook_url",
    example: `--user-id ${ID}`,
  },
  { words: "shop show", call: "GET /manage/shops/{shop_id}" },
  {
    words: "shop create",
    call: "POST /manage/shops",
    places: ["name"],
    example: `--user-id ${ID} --h2h-enabled --hook-url https://acme.example/hook`,
  },
  {
    words: "shop update",
    call: "POST /manage/shops/{shop_id}",
    example: "--no-h2h-enabled --late-policy hold --clear fail_url",
  },
  {
    words: "shop rotate-webhook-keys",
    call: "POST /manage/shops/{shop_id}/rotate-webhook-keys",
    warning: "The next webhook is signed with the new keys; the old ones are gone.",
  },
  {
    words: "key list",
    call: "GET /manage/keys",
    columns: "key_id shop_id user_id created_at ends_at",
    example: `--shop-id ${ID}`,
  },
  { words: "key create", call: "POST /manage/keys", example: `--shop-id ${ID}` },
  {
    words: "key rotate",
    call: "POST /manage/keys/rotate",
    example: `--shop-id ${ID} --overlap-hours 48`,
  },
  {
    words: "key revoke",
    call: "POST /manage/keys/{key_id}/revoke",
    warning: "Whoever uses this key is refused from now on.",
  },
  { words: "method list", call: "GET /manage/services", columns: "service label freeze_seconds" },
  {
    words: "method update",
    call: "POST /manage/services/{service}",
    example: "--freeze-seconds 86400",
  },
  {
    words: "tariff list",
    call: "GET /manage/tariffs",
    columns: "service currency percent shop_percent user_percent fix min_sum max_sum enabled",
    example: `--shop-id ${ID}`,
  },
  {
    words: "tariff set",
    call: "POST /manage/tariffs",
    places: ["service"],
    example: "--shop-percent 4 --user-percent 2 --min-sum 100 --max-sum 100000",
  },
  {
    words: "tariff remove",
    call: "POST /manage/tariffs/remove",
    places: ["service"],
    warning: "Shops that have no other tariff for it cannot use this payment method any more.",
    example: `--shop-id ${ID}`,
  },
  { words: "bank list", call: "GET /manage/banks", columns: "bank name" },
  {
    words: "requisite list",
    call: "GET /manage/requisites",
    columns:
      "requisite_id bank receiver_name card phone enabled live_payments day_payments day_sum",
    example: "--bank sber --enabled",
  },
  { words: "requisite show", call: "GET /manage/requisites/{requisite_id}" },
  {
    words: "requisite add",
    call: "POST /manage/requisites",
    example: '--bank sber --receiver-name "Иван И." --card - --phone -',
  },
  {
    words: "requisite update",
    call: "POST /manage/requisites/{requisite_id}",
    example: "--max-day-sum 500000",
  },
  {
    words: "requisite enable",
    call: "POST /manage/requisites/{requisite_id}",
    preset: { enabled: true },
  },
  {
    words: "requisite disable",
    call: "POST /manage/requisites/{requisite_id}",
    preset: { enabled: false },
  },
  {
    words: "requisite reveal",
    call: "POST /manage/requisites/{requisite_id}/reveal",
    warning: "The audit log keeps that you looked.",
  },
  { words: "sbp-bank list", call: "GET /manage/sbp-banks", columns: "id name" },
  {
    words: "sbp-bank replace",
    call: "POST /manage/sbp-banks",
    file: { field: "banks", item: readBank },
    warning: "Banks that the file does not name are gone.",
    example: "--file banks.tsv",
  },
];

/** Orders, what arrived, what waits, what was told, the books. */
const MONEY: readonly DoorCommand[] = [
  {
    words: "invoice list",
    call: "GET /manage/invoices",
    columns: "invoice_id shop_id order_id state amount currency created_at",
    example: "--state paid --amount 1000 --from 2026-03-01",
  },
  { words: "invoice show", call: "GET /manage/invoices/{invoice_id}" },
  {
    words: "payment list",
    call: "GET /manage/payments",
    columns: "payment_id invoice_id order_id state to_pay received created_at",
    example: "--amount 1020.37 --wallet 0007",
  },
  {
    words: "transfer list",
    call: "GET /manage/transfers",
    columns: "transfer_id state amount currency reference made_at received_at",
    example: "--state matched --wallet 0007",
  },
  {
    words: "transfer add",
    call: "POST /manage/transfers",
    // One of them: lists are for programs.
    preset: { items: undefined },
    example: `--requisite-id ${ID} --amount 1020 --reference 7712-A --made-at 2026-03-01`,
  },
  {
    words: "suspense list",
    call: "GET /manage/transfers",
    preset: { state: "suspense" },
    columns: "transfer_id suspense_reason amount reference payer made_at received_at",
  },
  {
    words: "suspense assign",
    call: "POST /manage/transfers/{transfer_id}/assign",
    warning: "The payment is credited with what arrived, and the shop is told.",
    example: `--payment-id ${ID} --reason "the payer sent a receipt"`,
  },
  {
    words: "suspense return",
    call: "POST /manage/transfers/{transfer_id}/return",
    warning: "The money is booked as sent back; the bank has to be told by hand.",
    example: '--reason "nobody knows it"',
  },
  {
    words: "refund list",
    call: "GET /manage/refunds",
    columns: "refund_id invoice_id amount currency reference author created_at",
    example: `--shop-id ${ID}`,
  },
  {
    words: "refund create",
    call: "POST /manage/refunds",
    places: ["invoice_id", "amount"],
    warning: "The money leaves the user's balance, and the shop is told.",
    example: '--reason "sent twice" --reference ticket-17',
  },
  {
    words: "event list",
    call: "GET /manage/events",
    columns: "event_id invoice_id sequence state attempts next_attempt_at",
    example: "--state exhausted",
  },
  { words: "event show", call: "GET /manage/events/{event_id}" },
  { words: "event send", call: "POST /manage/events/{event_id}/send" },
  {
    words: "account list",
    call: "GET /manage/accounts",
    columns: "account_id kind currency user_id requisite_id balance",
    example: "--kind suspense",
  },
  { words: "account show", call: "GET /manage/accounts/{account_id}" },
  {
    words: "account statement",
    call: "GET /manage/accounts/{account_id}/entries",
    columns: "created_at kind amount source_id posting_id",
    example: "--from 2026-03-01 --all",
  },
];

export const COMMANDS: readonly Command[] = [...LOCAL, ...SETUP, ...MONEY];

/** A line is a bank's id, a tab and its name. */
function readBank(line: string): unknown {
  const [id = "", name = "", ...more] = line.split("\t");
  if (id === "" || name === "" || more.length > 0) {
    throw new UsageFailure(`A line must be an id, a tab and a name, not "${line}".`);
  }
  return { id, name };
}
