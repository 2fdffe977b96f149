// Commands that set the gateway up: who manages it, who sells, what it costs, where money arrives.

import { type Command, UsageFailure } from "./command.ts";
import { ID, REQUISITE_ID, SHOP_ID } from "./example-ids.ts";

export const SETUP_COMMANDS: readonly Command[] = [
  { words: "whoami", call: "GET /manage/me", example: "whoami" },
  {
    words: "operator list",
    call: "GET /manage/operators",
    columns: ["operator_id", "name", "role", "created_at", "ends_at", "revoked_at"],
    example: "operator list",
  },
  {
    words: "operator create",
    call: "POST /manage/operators",
    places: ["name"],
    example: "operator create Anna --role viewer --expires-in-days 90",
  },
  {
    words: "operator revoke",
    call: "POST /manage/operators/{operator_id}/revoke",
    places: ["operator_id"],
    warning: "The token stops working at once and for ever.",
    example: `operator revoke ${ID}`,
  },
  {
    words: "audit list",
    call: "GET /manage/audit",
    columns: ["created_at", "operator_name", "act", "subject"],
    example: "audit list --act requisite.reveal --from 2026-01-01",
  },
  {
    words: "user list",
    call: "GET /manage/users",
    columns: ["user_id", "name", "created_at"],
    example: "user list",
  },
  {
    words: "user create",
    call: "POST /manage/users",
    places: ["name"],
    example: 'user create "Acme"',
  },
  {
    words: "user rename",
    call: "POST /manage/users/{user_id}",
    places: ["user_id", "name"],
    example: `user rename ${ID} "Acme Ltd"`,
  },
  {
    words: "shop list",
    call: "GET /manage/shops",
    columns: ["shop_id", "name", "user_id", "h2h_enabled", "late_policy", "hook_url"],
    example: `shop list --user-id ${ID}`,
  },
  {
    words: "shop show",
    call: "GET /manage/shops/{shop_id}",
    places: ["shop_id"],
    example: `shop show ${SHOP_ID}`,
  },
  {
    words: "shop create",
    call: "POST /manage/shops",
    places: ["name"],
    example: `shop create "Acme store" --user-id ${ID} --h2h-enabled --hook-url https://acme.example/hook`,
  },
  {
    words: "shop update",
    call: "POST /manage/shops/{shop_id}",
    places: ["shop_id"],
    example: `shop update ${SHOP_ID} --no-h2h-enabled --late-policy hold --clear fail_url`,
  },
  {
    words: "shop rotate-webhook-keys",
    call: "POST /manage/shops/{shop_id}/rotate-webhook-keys",
    places: ["shop_id"],
    warning: "The next webhook is signed with the new keys; the old ones are gone.",
    example: `shop rotate-webhook-keys ${SHOP_ID}`,
  },
  {
    words: "key list",
    call: "GET /manage/keys",
    columns: ["key_id", "shop_id", "user_id", "created_at", "ends_at"],
    example: `key list --shop-id ${SHOP_ID}`,
  },
  { words: "key create", call: "POST /manage/keys", example: `key create --shop-id ${SHOP_ID}` },
  {
    words: "key rotate",
    call: "POST /manage/keys/rotate",
    example: `key rotate --shop-id ${SHOP_ID} --overlap-hours 48`,
  },
  {
    words: "key revoke",
    call: "POST /manage/keys/{key_id}/revoke",
    places: ["key_id"],
    warning: "Whoever uses this key is refused from now on.",
    example: `key revoke ${ID}`,
  },
  {
    words: "method list",
    call: "GET /manage/services",
    columns: ["service", "label", "freeze_seconds"],
    example: "method list",
  },
  {
    words: "method update",
    call: "POST /manage/services/{service}",
    places: ["service"],
    example: "method update p2p_card --freeze-seconds 86400",
  },
  {
    words: "tariff list",
    call: "GET /manage/tariffs",
    columns: [
      ...["service", "currency", "percent", "shop_percent", "user_percent"],
      ...["fix", "min_sum", "max_sum", "enabled"],
    ],
    example: `tariff list --shop-id ${SHOP_ID}`,
  },
  {
    words: "tariff set",
    call: "POST /manage/tariffs",
    places: ["service"],
    example: "tariff set p2p_card --shop-percent 4 --user-percent 2 --min-sum 100 --max-sum 100000",
  },
  {
    words: "tariff remove",
    call: "POST /manage/tariffs/remove",
    places: ["service"],
    warning: "Shops that have no other tariff for it cannot use this payment method any more.",
    example: `tariff remove p2p_card --shop-id ${SHOP_ID}`,
  },
  {
    words: "bank list",
    call: "GET /manage/banks",
    columns: ["bank", "name"],
    example: "bank list",
  },
  {
    words: "requisite list",
    call: "GET /manage/requisites",
    columns: [
      ...["requisite_id", "bank", "receiver_name", "card", "phone", "enabled"],
      ...["live_payments", "day_payments", "day_sum"],
    ],
    example: "requisite list --bank sber --enabled",
  },
  {
    words: "requisite show",
    call: "GET /manage/requisites/{requisite_id}",
    places: ["requisite_id"],
    example: `requisite show ${REQUISITE_ID}`,
  },
  {
    words: "requisite add",
    call: "POST /manage/requisites",
    example: 'requisite add --bank sber --receiver-name "Иван И." --card - --phone -',
  },
  {
    words: "requisite update",
    call: "POST /manage/requisites/{requisite_id}",
    places: ["requisite_id"],
    example: `requisite update ${REQUISITE_ID} --max-day-sum 500000`,
  },
  {
    words: "requisite enable",
    call: "POST /manage/requisites/{requisite_id}",
    places: ["requisite_id"],
    preset: { enabled: true },
    example: `requisite enable ${REQUISITE_ID}`,
  },
  {
    words: "requisite disable",
    call: "POST /manage/requisites/{requisite_id}",
    places: ["requisite_id"],
    preset: { enabled: false },
    example: `requisite disable ${REQUISITE_ID}`,
  },
  {
    words: "requisite reveal",
    call: "POST /manage/requisites/{requisite_id}/reveal",
    places: ["requisite_id"],
    warning: "The audit log keeps that you looked.",
    example: `requisite reveal ${REQUISITE_ID}`,
  },
  {
    words: "sbp-bank list",
    call: "GET /manage/sbp-banks",
    columns: ["id", "name"],
    example: "sbp-bank list",
  },
  {
    words: "sbp-bank replace",
    call: "POST /manage/sbp-banks",
    file: { field: "banks", item: readBank },
    warning: "Banks that the file does not name are gone.",
    example: "sbp-bank replace --file banks.tsv",
  },
];

/** A line is a bank's id, a tab and its name. */
function readBank(line: string): unknown {
  const [id = "", name = "", ...more] = line.split("\t");
  if (id === "" || name === "" || more.length > 0) {
    throw new UsageFailure(`A line must be an id, a tab and a name, not "${line}".`);
  }
  return { id, name };
}
