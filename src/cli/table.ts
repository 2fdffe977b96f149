// Every command, in the order of the help.

import { CABINET, NEW_KEYS } from "./cabinet-table.ts";
import {
  type Command,
  type Doors,
  type Input,
  type LocalCommand,
  UsageFailure,
} from "./command.ts";
import { SAMPLE_ID as ID } from "./manual.ts";
import { PAYOUTS } from "./payout-table.ts";

type Works = Readonly<Record<string, Omit<LocalCommand, "words">>>;

const LOCAL: Works = {
  serve: {
    summary: "Run the gateway; what no command at all means, too",
    load: async () => (await import("./local/serve.ts")).serve,
  },
  migrate: {
    summary: "Bring the database to this version's tables",
    load: async () => (await import("./local/migrate.ts")).migrateDatabase,
  },
  init: {
    summary: "Make the first operator of a live gateway",
    load: async () => (await import("./local/init.ts")).init,
  },
  "person recover": {
    summary: "Make a link for a person who has lost every way in",
    load: async () => (await import("./local/init.ts")).recover,
  },
  verify: {
    summary: "Check that the books are right",
    load: async () => (await import("./local/verify.ts")).verify,
  },
  "secret rotate": {
    summary: "Put another secret key in the place of the present one",
    load: async () => (await import("./local/rotate-secret.ts")).rotateSecret,
  },
  openapi: {
    summary: "Print the API's description as OpenAPI",
    load: async () => (await import("./local/openapi.ts")).openapi,
  },
};

const BY_SEVERAL_CALLS: Works = {
  "transfer import": {
    summary: "Import a bank's statement",
    calls: ["POST /manage/imports"],
    load: async () => (await import("./bank-files.ts")).importStatement,
  },
  "payout-batch save": {
    summary: "Save a file of payouts for the bank",
    calls: ["POST /manage/payout-batches/{batch_id}/file"],
    load: async () => (await import("./bank-files.ts")).saveBatch,
  },
  "payout-batch settle": {
    summary: "Bring the bank's answer to a file of payouts",
    calls: ["POST /manage/payout-batches/{batch_id}/results"],
    load: async () => (await import("./bank-files.ts")).settleBatch,
  },
  listen: {
    summary: "Send a shop's events to a receiver on this machine",
    load: async () => (await import("./listen.ts")).listen,
  },
};

const OVERVIEW: Doors = {
  waiting: {
    call: "GET /manage/waiting",
    columns: "kind count capped amount currency oldest_at first_id",
  },
  find: {
    call: "GET /manage/find",
    places: ["q"],
    columns: "kind id title detail",
  },
  newest: { call: "GET /manage/newest" },
  health: { call: "GET /manage/health" },
  "books show": { call: "GET /manage/books" },
  "books check": { call: "POST /manage/books/check" },
  "tariff try": {
    call: "GET /manage/tariffs/try",
    places: ["service"],
    example: `--shop-id ${ID} --shop-percent 4 --user-percent 0`,
  },
  "requisite slots": {
    call: "GET /manage/requisites/{requisite_id}/slots",
    columns: "amount phase payment_id payment_state ends_at held_until",
    example: "--amount 1000",
  },
  statistics: {
    call: "GET /manage/statistics",
    columns:
      "key created converted expired paid paid_in_time received credited fee refunds refunded",
    example: "--from 2026-03-01 --to 2026-04-01 --by day",
  },
};

const PEOPLE: Doors = {
  "person list": {
    call: "GET /manage/people",
    columns: "person_id name email desk_role created_at disabled_at",
  },
  "person invite": {
    call: "POST /manage/people",
    places: ["email"],
    warning: "Whoever has the link of the answer comes in as this person, once.",
    example: "--name Boris --desk-role cashier",
  },
  "person change": {
    call: "POST /manage/people/{person_id}",
    example: "--desk-role none",
  },
  "person link": {
    call: "POST /manage/people/{person_id}/link",
    warning: "Whoever has the link of the answer comes in as this person, once.",
    example: "--resets",
  },
  "person end-sessions": {
    call: "POST /manage/people/{person_id}/end-sessions",
    warning: "They are signed out everywhere.",
  },
  "person show": { call: "GET /manage/people/{person_id}" },
  "member list": {
    call: "GET /manage/users/{user_id}/people",
    columns: "person_id name email role created_at ended_at",
  },
  "member invite": {
    call: "POST /manage/users/{user_id}/people",
    warning: "Whoever has the link of the answer comes in as this person, once.",
    example: "--email vera@example.com --name Vera --role accountant",
  },
  "member change": {
    call: "POST /manage/users/{user_id}/people/{person_id}",
    example: "--role none",
  },
};

const SECOND = "this amount needs a second approval, by another person with the same command.";

const SUSPENSE: Doors = {
  "suspense list": {
    call: "GET /manage/transfers",
    summary: "List transfers that wait in suspense",
    preset: { state: "suspense" },
    columns: "transfer_id suspense_reason amount payer received_at nearest_off nearest_payment_id",
  },
  "suspense candidates": {
    call: "GET /manage/transfers/{transfer_id}/candidates",
    columns: "payment_id off difference to_pay order_id state ends_at payer_said_amount",
  },
  "suspense assign": {
    call: "POST /manage/transfers/{transfer_id}/assign",
    warning: "The payment is credited with what arrived, and the shop is told.",
    warns: async (ask, { transfer_id }) => {
      const { needs_two, approvals } = await ask("/manage/transfers/{transfer_id}", {
        transfer_id,
      });
      const isFirst = needs_two === true && (approvals as Input[]).every(({ counts }) => !counts);
      return isFirst
        ? "This amount needs two people: nothing moves until another person approves it as well."
        : undefined;
    },
    example: `--payment-id ${ID} --reason "the payer sent a receipt"`,
    says: ({ state }) =>
      state === "matched" ? "It is assigned." : `Nothing has moved yet: ${SECOND}`,
  },
  "suspense return": {
    call: "POST /manage/transfers/{transfer_id}/return",
    warning: "The money is booked as sent back; the bank has to be told by hand.",
    example: '--reason "nobody knows it"',
  },
  "suspense withdraw": {
    call: "POST /manage/transfers/{transfer_id}/withdraw",
    warning: "The transfer stays in suspense, and needs its approvals anew.",
    example: '--reason "that is another payer"',
  },
  "approval list": {
    call: "GET /manage/approvals",
    columns: "subject_type subject_id action by_name at reason payment_id order_id",
    example: "--waiting",
  },
  "line list": {
    call: "GET /manage/lines",
    columns: "line_id day amount direction outcome kind approved_by_name party",
    example: "--waiting",
  },
  "line decide": {
    call: "POST /manage/lines/{line_id}/decide",
    warning: "Income that is booked cannot be undone.",
    example: '--decision exclude --reason "the bank has corrected it"',
    says: ({ outcome, approved_by }) =>
      approved_by === null ? `It is ${outcome}.` : `Nothing has moved yet: ${SECOND}`,
  },
  "line decide-several": {
    call: "POST /manage/lines/decide",
    columns: "line_id outcome settled_by code error",
    file: {
      field: "line_ids",
      description: "A line for each, with its id; up to 100.",
      item: (line) => line,
    },
    says: ({ items }) => {
      const { decided, open, all } = countsOf(items as Input[]);
      const told = `Decided: ${decided} of ${all}.`;
      return open === 0 ? told : `${told} Of ${open} nothing has moved yet: ${SECOND}`;
    },
    fails: ({ items }) => {
      const { decided, open, all } = countsOf(items as Input[]);
      const others = all - decided - open;
      if (others === 0) return undefined;
      return `${others} of ${all} were refused or got no answer; the same again decides none twice.`;
    },
    warning: "Income that is booked cannot be undone.",
    example: '--file ids.txt --decision exclude --reason "the bank renamed them"',
  },
};

function countsOf(lines: readonly Input[]) {
  const done = lines.filter(({ outcome }) => outcome !== undefined);
  const open = done.filter(({ approved_by }) => approved_by !== null).length;
  return { open, decided: done.length - open, all: lines.length };
}

/** Who manages the gateway, who sells, what it costs, where money arrives. */
const SETUP: Doors = {
  whoami: { call: "GET /manage/me" },
  "operator list": {
    call: "GET /manage/operators",
    columns: "operator_id name role created_at ends_at revoked_at",
  },
  "operator create": {
    call: "POST /manage/operators",
    places: ["name"],
    example: "--role viewer --expires-in-days 90",
  },
  "operator revoke": {
    call: "POST /manage/operators/{operator_id}/revoke",
    warning: "The token stops working at once and for ever.",
  },
  "audit list": {
    call: "GET /manage/audit",
    columns: "created_at operator_name act subject",
    example: "--act requisite.reveal --from 2026-01-01",
  },
  "user list": { call: "GET /manage/users", columns: "user_id name created_at" },
  "user show": { call: "GET /manage/users/{user_id}" },
  "user create": { call: "POST /manage/users", places: ["name"] },
  "user rename": { call: "POST /manage/users/{user_id}", places: ["name"] },
  "user rotate-webhook-keys": {
    call: "POST /manage/users/{user_id}/rotate-webhook-keys",
    warning: NEW_KEYS,
    example: "--overlap-hours 48",
  },
  "shop list": {
    call: "GET /manage/shops",
    columns: "shop_id name user_id h2h_enabled late_policy hook_url",
    example: `--user-id ${ID}`,
  },
  "shop show": { call: "GET /manage/shops/{shop_id}" },
  "shop create": {
    call: "POST /manage/shops",
    places: ["name"],
    example: `--user-id ${ID} --h2h-enabled --hook-url https://acme.example/hook`,
  },
  "shop update": {
    call: "POST /manage/shops/{shop_id}",
    example: "--no-h2h-enabled --late-policy hold --clear fail_url",
  },
  "shop rotate-webhook-keys": {
    call: "POST /manage/shops/{shop_id}/rotate-webhook-keys",
    warning: NEW_KEYS,
    example: "--overlap-hours 48",
  },
  "key list": {
    call: "GET /manage/keys",
    columns: "key_id shop_id user_id created_at ends_at",
    example: `--shop-id ${ID}`,
  },
  "key create": { call: "POST /manage/keys", example: `--shop-id ${ID}` },
  "key rotate": {
    call: "POST /manage/keys/rotate",
    warning: "Whoever uses the present keys is refused from now on.",
    asks: ({ overlap_hours }) => overlap_hours === 0,
    example: `--shop-id ${ID} --overlap-hours 48`,
  },
  "key revoke": {
    call: "POST /manage/keys/{key_id}/revoke",
    warning: "Whoever uses this key is refused from now on.",
  },
  "method list": { call: "GET /manage/services", columns: "service label freeze_seconds" },
  "method update": {
    call: "POST /manage/services/{service}",
    example: "--freeze-seconds 86400",
  },
  "tariff list": {
    call: "GET /manage/tariffs",
    columns: "service currency percent shop_percent user_percent fix min_sum max_sum enabled",
    example: `--shop-id ${ID}`,
  },
  "tariff set": {
    call: "POST /manage/tariffs",
    places: ["service"],
    example: "--shop-percent 4 --user-percent 2 --min-sum 100 --max-sum 100000",
  },
  "tariff remove": {
    call: "POST /manage/tariffs/remove",
    places: ["service"],
    warning: "Shops that have no other tariff for it cannot use this payment method any more.",
    example: `--shop-id ${ID}`,
  },
  "bank list": { call: "GET /manage/banks", columns: "bank name" },
  "requisite list": {
    call: "GET /manage/requisites",
    columns:
      "requisite_id bank receiver_name card phone enabled live_payments day day_payments day_sum",
    example: "--bank sber --enabled",
  },
  "requisite show": { call: "GET /manage/requisites/{requisite_id}" },
  "requisite add": {
    call: "POST /manage/requisites",
    example: '--bank sber --receiver-name "Иван И." --card - --phone -',
  },
  "requisite update": {
    call: "POST /manage/requisites/{requisite_id}",
    example: "--max-day-sum 500000 --card -",
  },
  "requisite enable": {
    call: "POST /manage/requisites/{requisite_id}",
    summary: "Give out a requisite again",
    preset: { enabled: true },
  },
  "requisite disable": {
    call: "POST /manage/requisites/{requisite_id}",
    summary: "Give out a requisite no more",
    preset: { enabled: false },
  },
  "requisite reveal": {
    call: "POST /manage/requisites/{requisite_id}/reveal",
    warning: "The audit log keeps that you looked.",
  },
  "source list": {
    call: "GET /manage/sources",
    columns: "source_id name adapter channel last_heard_at silent_since unread revoked_at",
  },
  "source add": {
    call: "POST /manage/sources",
    places: ["name"],
    example: `--adapter kopeck --banks sber --senders 900 --requisite-ids ${ID}`,
  },
  "source change": {
    call: "POST /manage/sources/{source_id}",
    example: "--senders 900 --senders SBERBANK --no-needs-statement",
  },
  "source revoke": {
    call: "POST /manage/sources/{source_id}/revoke",
    warning: "What this phone tells of is taken no more; its money comes with the statement.",
  },
  "template try": {
    call: "POST /manage/templates/try",
    places: ["text"],
    example: "--banks sber",
  },
  "sbp-bank list": { call: "GET /manage/sbp-banks", columns: "id name" },
  "sbp-bank replace": {
    call: "POST /manage/sbp-banks",
    file: {
      field: "banks",
      description: "A line for each bank: its id, a tab, its name.",
      item: readBank,
    },
    warning: "Banks that the file does not name are gone.",
    example: "--file banks.tsv",
  },
};

const MONEY: Doors = {
  "invoice list": {
    call: "GET /manage/invoices",
    columns: "invoice_id shop_id order_id state amount currency created_at",
    example: "--state paid --amount 1000 --from 2026-03-01",
  },
  "invoice show": { call: "GET /manage/invoices/{invoice_id}" },
  "invoice cancel": {
    call: "POST /manage/invoices/{invoice_id}/cancel",
    warning: "Nobody can pay it any more, and the shop is told.",
    example: '--reason "the shop has asked for it"',
  },
  "payment list": {
    call: "GET /manage/payments",
    columns: "payment_id invoice_id order_id state to_pay received created_at",
    example: "--amount 1020.37 --wallet 0007",
  },
  "transfer list": {
    call: "GET /manage/transfers",
    columns: "transfer_id state amount currency reference made_at received_at",
    example: "--state matched --wallet 0007",
  },
  "transfer add": {
    call: "POST /manage/transfers",
    summary: "Add a transfer",
    // One of them: lists are for programs.
    preset: { items: undefined },
    needs: ["amount", "reference"],
    example: `--requisite-id ${ID} --amount 1020 --reference 7712-A --made-at 2026-03-01`,
  },
  "transfer show": { call: "GET /manage/transfers/{transfer_id}" },
  "import list": {
    call: "GET /manage/imports",
    columns: "import_id filename format lines done_lines known_lines applied_at",
  },
  "import show": { call: "GET /manage/imports/{import_id}" },
  "import drop": {
    call: "POST /manage/imports/{import_id}/drop",
    warning: "What the file says is not applied; bring it again when it can be.",
  },
  "message list": {
    call: "GET /manage/messages",
    columns: "message_id fate kind amount balance made_at text",
    example: "--fate unclear",
  },
  reconcile: {
    call: "GET /manage/reconciliation",
    example: "--requisite-id 0007 --day 2026-03-01",
  },
  "refund list": {
    call: "GET /manage/refunds",
    columns: "refund_id invoice_id amount currency reference author created_at",
    example: `--shop-id ${ID}`,
  },
  "refund create": {
    call: "POST /manage/refunds",
    places: ["invoice_id", "amount"],
    warning: "The money leaves the user's balance, and the shop is told.",
    example: '--reason "sent twice" --reference ticket-17',
  },
  "own list": {
    call: "GET /manage/own-moves",
    columns: "own_move_id kind account amount currency requisite_id reference author created_at",
    example: "--kind withdrawal",
  },
  "own add": {
    call: "POST /manage/own-moves",
    places: ["kind", "amount"],
    warning: "It is booked in the ledger, and stays there.",
    example: '--requisite-id 0007 --reference opening-1 --reason "before the first day"',
  },
  "event list": {
    call: "GET /manage/events",
    columns: "created_at event_id invoice_id sequence state attempts next_attempt_at",
    example: "--state exhausted",
  },
  "event show": { call: "GET /manage/events/{event_id}" },
  "event send": { call: "POST /manage/events/{event_id}/send" },
  "account list": {
    call: "GET /manage/accounts",
    columns: "account_id kind currency user_id requisite_id balance",
    example: "--kind suspense",
  },
  "account show": { call: "GET /manage/accounts/{account_id}" },
  "account statement": {
    call: "GET /manage/accounts/{account_id}/entries",
    columns: "created_at kind amount source_id posting_id",
    example: "--from 2026-03-01 --all",
  },
};

export const COMMANDS: readonly Command[] = Object.entries({
  ...LOCAL,
  ...OVERVIEW,
  ...PEOPLE,
  ...SETUP,
  ...BY_SEVERAL_CALLS,
  ...MONEY,
  ...SUSPENSE,
  ...PAYOUTS,
  ...CABINET,
}).map(([words, command]) => ({ words, ...command }));

/** A line is a bank's id, a tab and its name. */
function readBank(line: string): unknown {
  const [id = "", name = "", ...more] = line.split("\t");
  if (id === "" || name === "" || more.length > 0) {
    throw new UsageFailure(`A line must be an id, a tab and a name, not "${line}".`);
  }
  return { id, name };
}
