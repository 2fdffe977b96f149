// Requisites: as they are stored, and as whoever manages the gateway sees them.

import { BANK_CODES } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import { oneOf } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";
import { maskedWallets } from "./wallet.ts";
import { currentNumbers } from "./wallet-queries.ts";

export const bank = oneOf(BANK_CODES, { description: "Bank code." });

export const Requisites = noun(
  {
    from: "requisites",
    join: "join requisite_usage usage on usage.requisite_id = row.id",
    columns: `row.*, usage.*, ${currentNumbers("row.id")}`,
    missing: "requisite_not_found",
  },
  {
    requisite_id: column.id("The requisite."),
    bank: column.as(bank),
    currency: column.text("Currency code.", "RUB"),
    receiver_name: column.text("Whom the payer sees.", "Иван И."),
    card: column.textOrNull("The card's number, masked."),
    card_sealed: column.unseen<Buffer | null>(),
    phone: column.textOrNull("The phone's number, masked."),
    phone_sealed: column.unseen<Buffer | null>(),
    account: column.textOrNull("The account's number, masked: whose statements are its own."),
    account_sealed: column.unseen<Buffer | null>(),
    enabled: column.yesNo("Whether it is given out."),
    resting_since: column.momentOrNull(
      "Since when it is not given out because the phones that tell of it are silent, or null.",
    ),
    min_sum: column.amount("min_minor", "Smallest payment.", 100),
    max_sum: column.amount("max_minor", "Largest payment.", 100000),
    max_live_payments: column.integer("Payments under way at once.", 30),
    max_day_payments: column.integer("Payments a day.", 300),
    max_day_sum: column.amount("max_day_sum_minor", "Sum of a day.", 1000000),
    live_payments: column.integer("Payments under way now."),
    day: column.textOrNull("The last day that it was used on."),
    day_payments: column.integer("Payments of that day."),
    day_sum: column.amount("day_sum_minor", "Sum of that day.", 1020),
    last_used_at: column.momentOrNull("When it was last given out."),
    created_at: column.moment("When it was added."),
  },
);

/** Its numbers are sealed; what may be shown of them is no column. */
export type RequisiteRow = Omit<RowOf<typeof Requisites>, "card" | "phone" | "account">;

export function requisiteToWire(row: RequisiteRow, app: App) {
  return Requisites.toWire({ ...row, ...maskedWallets(app, row) });
}
