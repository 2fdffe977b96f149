// Ways to lose money that only two at once can show: locks that are not taken.

import { type Bug, drop } from "./bug.ts";

/** Neither an invoice nor its payment is locked by whoever is about to decide on them. */
const UNLOCKED: Bug["rewrites"] = [
  {
    file: "features/invoices/queries.ts",
    from: "where invoice.id = any($1::uuid[])\n     order by invoice.id\n     for no key update of invoice",
    to: "where invoice.id = any($1::uuid[])\n     order by invoice.id",
  },
  {
    file: "features/payments/queries.ts",
    from: "order by payment.id\n     for no key update of payment`,\n    [ids],",
    to: "order by payment.id`,\n    [ids],",
  },
];

export const RACE_BUGS: readonly Bug[] = [
  {
    name: "two refunds at once both pass the check",
    rewrites: [
      ...UNLOCKED,
      {
        file: "features/ledger/queries.ts",
        from: "where user_id = $1 and currency = $2 for no key update",
        to: "where user_id = $1 and currency = $2",
      },
    ],
    sql:
      drop("payments", "payments_check4") +
      drop("ledger_balances", "ledger_balances_available_minor_check"),
    race: "refunds",
  },
  {
    name: "two transfers at once both credit one payment",
    rewrites: UNLOCKED,
    sql:
      drop("transfers", "transfers_payment_id_key") +
      drop("ledger_freezes", "ledger_freezes_pkey") +
      drop("events", "events_invoice_id_sequence_key") +
      drop("dues", "dues_pkey") +
      drop("requisite_usage", "requisite_usage_live_payments_check"),
    race: "transfers",
  },
  {
    name: "two jobs at once release one freeze",
    rewrites: [
      {
        file: "platform/db-held.ts",
        from: " for no key update skip locked`,\n    [ids],",
        to: "`,\n    [ids],",
      },
      {
        file: "features/ledger/queries.ts",
        from: "and released_at is null and frozen_until <= $2\n",
        to: "and frozen_until <= $2\n",
      },
    ],
    sql:
      drop("ledger_postings", "ledger_postings_pkey") +
      drop("ledger_balances", "ledger_balances_frozen_minor_check"),
    race: "releases",
  },
];
