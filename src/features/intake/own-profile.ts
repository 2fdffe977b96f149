// How an operator's own CSV is read: columns by their names, as whoever brings the file says.

import type { Static } from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { type CsvProfile, type CsvSums, DATE_FORMS } from "../../domain/statement-csv.ts";
import { oneOf, Type, text } from "../../platform/field.ts";

const named = (description: string) => text({ max: 100 }, { description });

const words = (description: string) =>
  Type.Optional(Type.Array(named("A word."), { minItems: 1, maxItems: 20, description }));

export const csvProfile = Type.Object(
  {
    delimiter: oneOf([",", ";", "\t", "|"], { description: "What stands between columns." }),
    date_form: oneOf(DATE_FORMS, { description: "How days are written." }),
    date: named("The column of the day, and of the time where that stands behind it."),
    amount: Type.Optional(named("One column of sums: what left has a minus.")),
    amount_in: Type.Optional(named("Or two: what came,")),
    amount_out: Type.Optional(named("and what left.")),
    status: Type.Optional(named("The column that says whether it is booked; with booked.")),
    booked: words("Its words for booked: only that is money."),
    pending: words("Its words for what is not booked yet."),
    failed: words("Its words for what will never be."),
    id: Type.Optional(named("The bank's own id of a line, if it has one.")),
    number: Type.Optional(named("The document's number.")),
    account: Type.Optional(named("The account.")),
    currency: Type.Optional(named("The currency; without it roubles.")),
    party_name: Type.Optional(named("Who the other side is.")),
    party_account: Type.Optional(named("The other side's account.")),
    party_inn: Type.Optional(named("The other side's taxpayer number.")),
    purpose: Type.Optional(
      Type.Array(named("A column."), { maxItems: 5, description: "What it was for." }),
    ),
  },
  { description: "How the columns of a CSV of your own are called." },
);

type Given = Static<typeof csvProfile>;

export function profileOf(given: Given): CsvProfile {
  const { date_form: dateForm, party_name: partyName, party_account: partyAccount } = given;
  const { amount, amount_in, amount_out, party_inn: partyInn, ...same } = given;
  const status = statusOf(given);
  return {
    delimiter: same.delimiter,
    dateForm,
    date: same.date,
    sums: sumsOf(amount, amount_in, amount_out),
    ...(status !== undefined && { status }),
    ...(same.id !== undefined && { id: same.id }),
    ...(same.number !== undefined && { number: same.number }),
    ...(same.account !== undefined && { account: same.account }),
    ...(same.currency !== undefined && { currency: same.currency }),
    ...(partyName !== undefined && { partyName }),
    ...(partyAccount !== undefined && { partyAccount }),
    ...(partyInn !== undefined && { partyInn }),
    ...(same.purpose !== undefined && { purpose: same.purpose }),
  };
}

/** A word that stands in no list refuses the file: nobody knows whether it is money. */
function statusOf({ status: column, booked, pending = [], failed = [] }: Given) {
  if (column !== undefined && booked !== undefined) return { column, booked, pending, failed };
  if (column === undefined && !booked && pending.length + failed.length === 0) return undefined;
  throw new Refusal("statement_profile_status");
}

function sumsOf(
  signed: string | undefined,
  came: string | undefined,
  went: string | undefined,
): CsvSums {
  if (signed !== undefined && came === undefined && went === undefined) return { signed };
  if (signed === undefined && came !== undefined && went !== undefined) {
    return { in: came, out: went };
  }
  throw new Refusal("statement_profile_sums");
}
