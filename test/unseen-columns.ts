// What the check of the books does not compare: columns that may change unseen, each with the reason.

/** Of each table the rows of which one is changed, a column at a time. */
export const CHANGED_ROWS: Readonly<Record<string, readonly string[]>> = {
  invoices: ["state = 'paid'"],
  payments: ["state = 'paid'"],
  transfers: ["state = 'matched'", "state = 'cleared'"],
  ledger_postings: [
    "transfer_matched",
    "suspense_owned",
    "suspense_cleared",
    "freeze_over",
    "refund",
    "outflow_seen",
    "own_opening",
    "payout_done",
    "payout_returned",
  ].map((kind) => `kind = '${kind}'`),
  ledger_balances: ["available_minor > 0"],
  ledger_freezes: ["released_at is not null", "released_at is null"],
  refunds: ["true"],
  payouts: ["state = 'done'", "state = 'returned'"],
  payout_attempts: ["state = 'sent'"],
  payout_destinations: ["first_done_at is not null"],
  payout_days: ["true"],
  requisite_usage: ["day_payments > 0"],
  slots: ["true"],
  own_moves: ["kind = 'opening'", "kind = 'deposit'", "kind = 'withdrawal'"],
  statement_lines: ["outcome = 'outflow'"],
  movements: ["kind = 'outflow'"],
};

/** By the reason. No sum, currency or owner of money that has moved is among them. */
export const UNSEEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a moment: no sum depends on it, or only within a range that is checked": {
    invoices: "expires_at paid_at",
    ledger_freezes: "frozen_until released_at",
    ledger_postings: "created_at",
    own_moves: "created_at",
    payments: "paid_at",
    payout_attempts: "claimed_at dispatched_at lease_until",
    payout_destinations: "created_at first_done_at",
    payouts: "created_at done_at settled_at",
    refunds: "created_at",
    requisite_usage: "last_used_at",
    slots: "held_until",
    statement_lines: "made_at",
    transfers: "received_at settled_at",
  },
  "words and names from outside: the books have no second copy": {
    invoices: "order_id success_url",
    own_moves: "author reason reference",
    payout_attempts: "rail",
    payout_destinations: "masked",
    payouts: "bank_reference error order_id",
    refunds: "author reason",
    statement_lines: "identity import_id key number ordinal purpose row_number",
    transfers: "reference settled_by settled_reason teller",
  },
  "terms of that moment: the sums that they made are compared": {
    payments: "percent_ppm service user_percent_ppm",
    payouts: "balance_after_minor refunds_fee",
  },
  "a setting, which an operator changes": {
    requisite_usage: "enabled max_day_payments max_day_sum_minor max_live_payments",
  },
  "what was judged once: the day and the freeze that it decides are compared while they count": {
    payments: "created_on late",
    payout_attempts: "looks",
    transfers: "needs_proof",
  },
  "a number among equal rows: it is unique, and no sum depends on it": {
    movements: "place",
  },
  "the row's own id: its source is compared": {
    ledger_postings: "id",
    own_moves: "id",
    statement_lines: "id",
  },
};
