// What payouts cost, their limits, and when a person looks at one, as users and operators see it.

import type { Static } from "typebox";
import { minorFromNumber, ppmFromPercent, toDecimalNumber, toPercent } from "../../domain/money.ts";
import { PAYOUT_SERVICES, type PayoutTerms, partsOf } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import {
  currencyCode,
  decimal,
  integer,
  numberOrNull,
  oneOf,
  percentage,
  Type,
  textOrNull,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { Users } from "../merchants/nouns.ts";
import { userGate } from "../merchants/principal.ts";
import { change, view } from "../operators/doors.ts";
import { column, shape } from "../operators/noun.ts";
import { userId } from "./get-payout-info.endpoint.ts";
import {
  lockPayoutTariff,
  ownPayoutTariffs,
  payoutTermsOf,
  removePayoutTariff,
  setPayoutTariff,
} from "./tariff-queries.ts";

const same = <Value>(value: Value): Value => value;
const countIn = <Name extends string>(name: Name, description: string) =>
  column.shown(numberOrNull({ description }), name, same<number | null>);
const yesNoIn = <Name extends string>(name: Name, description: string) =>
  column.shown(Type.Boolean({ description }), name, same<boolean>);

const PayoutTariffs = shape({
  user_id: column.shown(
    textOrNull({ description: "The user; null for all who have none of their own." }, "uuid"),
    "userId",
    same<string | null>,
  ),
  service: column.as(oneOf(PAYOUT_SERVICES, { description: "How it is sent." })),
  currency: column.text("Currency code.", "RUB"),
  percent: column.shown(
    Type.Number({ description: "Commission percentage of the amount.", examples: [1.5] }),
    "percentPpm",
    toPercent,
  ),
  fix: column.amount("fixMinor", "Fixed commission.", 0),
  min_sum: column.amount("minMinor", "Smallest amount.", 100),
  max_sum: column.amount("maxMinor", "Largest amount.", 100000),
  day_sum: column.amountOrNull("daySumMinor", "All payouts of a user in a day together."),
  day_count: countIn("dayCount", "Payouts of a user in a day."),
  destination_day_sum: column.amountOrNull(
    "destinationDaySumMinor",
    "All payouts to one destination in a day together.",
  ),
  destination_day_count: countIn("destinationDayCount", "Payouts to one destination in a day."),
  hold_over: column.amountOrNull("holdOverMinor", "What is larger waits for an operator."),
  hold_first: yesNoIn("holdFirst", "Whether the first one to a destination waits for an operator."),
  hold_day_sum: column.amountOrNull(
    "holdDaySumMinor",
    "What goes beyond this in a day waits for an operator.",
  ),
  four_eyes_over: column.amountOrNull("fourEyesOverMinor", "What is larger waits for two."),
  hold_seconds: column.shown(
    Type.Integer({ description: "How long it waits, and is canceled then.", examples: [259200] }),
    "holdSeconds",
    same<number>,
  ),
  refunds_fee: yesNoIn("refundsFee", "Whether the commission goes back with returned money."),
  enabled: column.yesNo("Whether payouts can be made."),
});

export const PayoutTariff = Type.Object({
  service: Type.String({ description: "card or sbp.", examples: ["card"] }),
  currency: Type.String({ description: "Currency code.", examples: ["RUB"] }),
  percent: Type.Number({ description: "Of the amount.", examples: [1] }),
  fix: Type.Number({ description: "On top of it.", examples: [10] }),
  min_sum: Type.Number({ description: "Smallest amount.", examples: [1] }),
  max_sum: Type.Number({ description: "Largest amount.", examples: [100_000] }),
  day_sum: numberOrNull({ description: "All payouts of a day together; null for no limit." }),
  day_count: numberOrNull({ description: "How many payouts of a day; null for no limit." }),
  enabled: Type.Boolean({ description: "Whether it can be used.", examples: [true] }),
});

export function payoutTariffWire(terms: PayoutTerms) {
  const { daySumMinor: daySum } = terms;
  return {
    service: terms.service,
    currency: terms.currency,
    percent: toPercent(terms.percentPpm),
    fix: toDecimalNumber(terms.fixMinor),
    min_sum: toDecimalNumber(terms.minMinor),
    max_sum: toDecimalNumber(terms.maxMinor),
    day_sum: daySum === null ? null : toDecimalNumber(daySum),
    day_count: terms.dayCount,
    enabled: terms.enabled,
  };
}

export const listPayoutTariffs = hotEndpoint({
  method: "GET",
  path: "/payoff/tariffs",
  summary: "What payouts cost",
  description: "Sorted by service and currency. The fee is rounded up to a kopeck.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object({ user_id: userId }),
  data: Type.Object({ tariffs: Type.Array(PayoutTariff) }),
  problems: "first",
  async handleSet(app, calls) {
    const users = calls.map(({ principal }) => principal);
    const terms = await payoutTermsOf(app, users);
    return calls.map(({ principal }) => ({
      tariffs: (terms.get(principal.id) ?? []).map(payoutTariffWire),
    }));
  },
});

const place = {
  user_id: Type.Optional(
    uuid({
      description: "The user; left out for all who have none of their own.",
      examples: ["00000000-0000-4000-8000-000000000001"],
    }),
  ),
  service: oneOf(PAYOUT_SERVICES, { description: "How it is sent.", examples: ["card"] }),
  currency: Type.Optional(currencyCode({ description: "Currency code; RUB." })),
};

export const readPayoutTariffs = view({
  path: "/manage/payout-tariffs",
  summary: "List the payout tariffs of a user, or those for all",
  description: "Those that were set for exactly this user, or for none.",
  input: Type.Object({ user_id: place.user_id }),
  data: Type.Object({ items: Type.Array(PayoutTariffs.wire) }),
  async read({ db }, { user_id }) {
    const userId = user_id?.toLowerCase() ?? null;
    const tariffs = await ownPayoutTariffs(db, userId);
    return { items: tariffs.map((tariff) => PayoutTariffs.toWire({ ...tariff, userId })) };
  },
});

const sum = (description: string, min = 0.01) =>
  Type.Optional(decimal({ min }, { description: `${description}; no limit without.` }));
const count = (description: string) =>
  Type.Optional(
    integer({ min: 1, max: 1_000_000 }, { description: `${description}; no limit without.` }),
  );

const MOST_HOLD_SECONDS = 30 * 24 * 60 * 60;
const HOLD_SECONDS = 3 * 24 * 60 * 60;

const Input = Type.Object({
  ...place,
  percent: percentage({ description: "Commission percentage of the amount.", examples: [1.5] }),
  fix: Type.Optional(decimal({ min: 0 }, { description: "Fixed commission; 0." })),
  min_sum: decimal({ min: 0.01 }, { description: "Smallest amount.", examples: [100] }),
  max_sum: decimal({ min: 0.01 }, { description: "Largest amount.", examples: [100000] }),
  day_sum: sum("All payouts of a user in a day together"),
  day_count: count("Payouts of a user in a day"),
  destination_day_sum: sum("All payouts to one destination in a day together"),
  destination_day_count: count("Payouts to one destination in a day"),
  hold_over: sum("What is larger waits for an operator", 0),
  hold_first: Type.Optional(
    yesNo({
      description: "Whether the first payout to a destination waits for an operator; true.",
    }),
  ),
  hold_day_sum: sum("What goes beyond this in a day waits for an operator", 0),
  four_eyes_over: sum("What is larger waits for two operators", 0),
  hold_seconds: Type.Optional(
    integer(
      { min: 60, max: MOST_HOLD_SECONDS },
      {
        description: "How long it waits for a person, and is canceled then; three days.",
      },
    ),
  ),
  refunds_fee: Type.Optional(
    yesNo({ description: "Whether the commission goes back with returned money; false." }),
  ),
  enabled: Type.Optional(yesNo({ description: "Whether payouts can be made; true." })),
});

function termsOf(input: Static<typeof Input>): PayoutTerms {
  const minor = (value: number | undefined): bigint | null =>
    value === undefined ? null : (minorFromNumber(value) ?? null);
  return {
    service: input.service,
    currency: input.currency ?? "RUB",
    percentPpm: ppmFromPercent(input.percent) ?? 0,
    fixMinor: minor(input.fix) ?? 0n,
    minMinor: minor(input.min_sum) ?? 0n,
    maxMinor: minor(input.max_sum) ?? 0n,
    daySumMinor: minor(input.day_sum),
    dayCount: input.day_count ?? null,
    destinationDaySumMinor: minor(input.destination_day_sum),
    destinationDayCount: input.destination_day_count ?? null,
    holdOverMinor: minor(input.hold_over),
    holdFirst: input.hold_first ?? true,
    holdDaySumMinor: minor(input.hold_day_sum),
    fourEyesOverMinor: minor(input.four_eyes_over),
    holdSeconds: input.hold_seconds ?? HOLD_SECONDS,
    refundsFee: input.refunds_fee ?? false,
    enabled: input.enabled ?? true,
  };
}

export const putPayoutTariff = change({
  path: "/manage/payout-tariffs",
  summary: "Set a payout tariff",
  description:
    "All of it: what is left out has no limit, or what its description says. It holds for payouts that are asked for from now on.",
  act: "payout_tariff.set",
  input: Input,
  data: PayoutTariffs.wire,
  notFound: "There is no such user.",
  async make(tx, app, input) {
    const userId = input.user_id?.toLowerCase() ?? null;
    if (userId !== null) await Users.find(tx, userId);
    const terms = termsOf(input);
    if (terms.minMinor > terms.maxMinor) throw new Refusal("limits_crossed");
    // What is asked for out of the amount would be refused at the smallest one.
    if (partsOf(terms.minMinor, "amount", terms) === undefined) throw new Refusal("fee_too_large");
    const old = await lockPayoutTariff(tx, { userId, ...terms });
    await setPayoutTariff(tx, { ...terms, id: app.newId(), userId });
    const after = PayoutTariffs.toWire({ ...terms, userId });
    const before = old === undefined ? null : PayoutTariffs.toWire({ ...old, userId });
    return { data: after, subject: userId ?? "default", before, after };
  },
});

export const deletePayoutTariff = change({
  path: "/manage/payout-tariffs/remove",
  summary: "Remove a payout tariff",
  description: "A user without one of their own has the one for all; without that, no payouts.",
  act: "payout_tariff.remove",
  // What was set in a currency that is no longer taken can still be removed.
  input: Type.Object({
    ...place,
    currency: Type.Optional(
      Type.String({ pattern: "^[A-Z]{3}$", description: "Currency code; RUB." }),
    ),
  }),
  data: PayoutTariffs.wire,
  notFound: "There is no such tariff.",
  async make(tx, _app, { user_id, service, currency = "RUB" }) {
    const userId = user_id?.toLowerCase() ?? null;
    const key = { userId, service, currency };
    const old = await lockPayoutTariff(tx, key);
    if (old === undefined) throw new Refusal("tariff_not_found");
    await removePayoutTariff(tx, key);
    const before = PayoutTariffs.toWire({ ...old, userId });
    return { data: before, subject: userId ?? "default", before, after: null };
  },
});
