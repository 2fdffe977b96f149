// Ways to lose money where it is counted: transfers, slots, fees, freezes, refunds.

import { type Bug, drop } from "./bug.ts";

export const MONEY_BUGS: readonly Bug[] = [
  {
    name: "a transfer is booked before anybody looks whether it is known",
    rewrites: [
      {
        file: "features/transfers/queries.ts",
        from: "on conflict (requisite_id, reference) do nothing",
        to: "",
      },
      {
        file: "features/transfers/transfers.ts",
        from: "!held.has(one.id) && !stored.has(transferKey(one))",
        to: "!held.has(one.id) && (stored.has(transferKey(one)) || true)",
      },
    ],
    sql: drop("transfers", "transfers_requisite_id_reference_key"),
  },
  {
    name: "a paid payment takes a second transfer",
    rewrites: [
      {
        file: "domain/transfer.ts",
        from: 'return open && holder.paymentState !== "paid";',
        to: "return open || true;",
      },
    ],
    sql:
      drop("transfers", "transfers_payment_id_key") + drop("ledger_freezes", "ledger_freezes_pkey"),
  },
  {
    name: "late money is credited though the shop wants it held",
    rewrites: [
      {
        file: "domain/transfer.ts",
        from: 'if (late && holder.latePolicy === "hold") return',
        to: 'if (late && holder.latePolicy === "hold" && !late) return',
      },
    ],
  },
  {
    name: "a slot is free again as soon as its details end",
    rewrites: [
      {
        file: "domain/payment.ts",
        from: "return addSeconds(promisedEndAt, QUARANTINE_SECONDS);",
        to: "return addSeconds(promisedEndAt, 0 * QUARANTINE_SECONDS);",
      },
    ],
  },
  {
    name: "late money is credited though it may be somebody else's slip",
    rewrites: [
      {
        file: "domain/transfer.ts",
        from: "if (mayBeLate(holder, made) && holder.isContested) return",
        to: "if (mayBeLate(holder, made) && holder.isContested && !made) return",
      },
    ],
  },
  {
    name: "a shop may hold more than its share",
    rewrites: [
      {
        file: "domain/share.ts",
        from: "return live < placesOf(places, percent) && isWithinSum;",
        to: "return live <= placesOf(places, percent) && isWithinSum;",
      },
    ],
  },
  {
    name: "a slot that is held is taken over",
    rewrites: [
      {
        file: "features/requisites/queries.ts",
        from: "where slots.held_until <= $2\n",
        to: "where slots.held_until <= $2 or true\n",
      },
    ],
  },
  {
    name: "fees are computed in floating point",
    rewrites: [
      {
        file: "domain/tariff.ts",
        from: "return divCeil(amountMinor * BigInt(ratePpm), PARTS_PER_MILLION);",
        to: "return BigInt(Math.round(Number(amountMinor) * (ratePpm / Number(PARTS_PER_MILLION)))) + divCeil(0n, 1n);",
      },
    ],
  },
  {
    name: "the parts of a fee do not add up",
    rewrites: [
      {
        file: "features/payments/details.ts",
        from: "toPayMinor: invoice.amount_minor + fee.payerMinor,",
        to: "toPayMinor: invoice.amount_minor + fee.totalMinor,",
      },
    ],
    sql: drop("payments", "payments_add_up"),
  },
  {
    name: "a freeze is released an hour early",
    rewrites: [
      {
        file: "features/ledger/queries.ts",
        from: "frozen_until as due_at",
        to: "frozen_until - interval '1 hour' as due_at",
      },
      {
        file: "features/ledger/queries.ts",
        from: "and released_at is null and frozen_until <= $2\n",
        to: "and released_at is null and frozen_until <= $2::timestamptz + interval '1 hour'\n",
      },
    ],
    sql: drop("ledger_freezes", "ledger_freezes_check"),
  },
  {
    name: "a freeze is released twice",
    rewrites: [
      {
        file: "features/ledger/release-freezes.job.ts",
        from: "freezes.map((freeze) =>",
        to: "[...freezes, ...freezes].map((freeze) =>",
      },
    ],
    sql: drop("ledger_postings", "ledger_postings_pkey"),
  },
  {
    name: "a refund forgets what was refunded before",
    rewrites: [
      {
        file: "features/refunds/refund.ts",
        from: "const leftMinor = (payment.creditedMinor ?? 0n) - payment.refundedMinor;",
        to: "const leftMinor = payment.creditedMinor ?? 0n;",
      },
    ],
    sql: drop("payments", "payments_check4"),
  },
  {
    name: "a refund that is asked for again is made again",
    rewrites: [
      {
        file: "features/refunds/refund.ts",
        from: "if (reference === undefined) return undefined;",
        to: "if (reference !== null) return undefined;",
      },
    ],
    sql: drop("refunds", "refunds_payment_id_reference_key"),
  },
  {
    name: "a refund is paid out of frozen money",
    rewrites: [
      {
        file: "features/refunds/refund.ts",
        from: 'if (available < wish.amountMinor) throw new Refusal("balance_too_small");',
        to: "void available;",
      },
    ],
    sql: drop("ledger_balances", "ledger_balances_available_minor_check"),
  },
];
