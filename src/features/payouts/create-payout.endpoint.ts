// POST /payoff/create: a user asks for money to be sent. A retry with the same content gets the
// first answer again.

import type { Static } from "typebox";
import { readPayoutWish } from "../../domain/dialect.ts";
import { minorFromNumber, toDecimalText } from "../../domain/money.ts";
import { numberFor, PAYOUT_SERVICES, type PayoutTerms } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import { exactNumbers, lossesAsTexts } from "../../platform/body.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { checked, currencyCode, httpUrl, oneOf, Type, text } from "../../platform/field.ts";
import { remembering } from "../../platform/remember.ts";
import { userGate } from "../merchants/principal.ts";
import { userId } from "./get-payout-info.endpoint.ts";
import { sbpBanks } from "./queries.ts";
import { type PayoutWish, type Reserved, reservePayouts } from "./reserve.ts";
import { payoutTermsOf } from "./tariff-queries.ts";

const DEFAULT_CURRENCY = "RUB";
const FROM_BALANCE = 1;
const FROM_AMOUNT = 2;

export const PayoutInput = Type.Object({
  user_id: userId,
  service: oneOf(PAYOUT_SERVICES, { description: "How it is sent.", examples: ["card"] }),
  wallet_to: text(
    { max: 255 },
    {
      description: "The card's number, or for sbp a Russian mobile phone in any usual writing.",
      examples: ["2200000000000301"],
    },
  ),
  amount: checked(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1e12,
      description: "How much, at most two decimals; a decimal text is taken too.",
      examples: [100],
    }),
    "decimals",
    (value: number) => minorFromNumber(value) !== undefined,
  ),
  order_id: Type.Optional(
    text(
      { max: 255 },
      {
        description:
          "The merchant's own id; a number is taken too. The same one again is the same payout: send it, and a call without an answer can be repeated.",
        examples: ["payout-1"],
      },
    ),
  ),
  comment: Type.Optional(text({ max: 255 }, { description: "Free text." })),
  hook_url: Type.Optional(httpUrl({ description: "Where notifications go." })),
  subtract: Type.Optional(
    Type.Integer({
      enum: [FROM_BALANCE, FROM_AMOUNT],
      description:
        "Where the commission is taken from: 1 (balance), on top of the amount; 2 (amount), out of it. 2 when left out.",
    }),
  ),
  payoff_data: Type.Optional(
    Type.Object({
      sbp_bank_type: Type.Optional(
        text(
          { max: 32 },
          {
            description: "For sbp: the bank, by its id in the list of banks.",
            examples: ["100000000111"],
          },
        ),
      ),
    }),
  ),
  currency: Type.Optional(currencyCode({ description: "Currency code; RUB when left out." })),
});

const Data = Type.Object({
  payoff_id: Type.String({ format: "uuid", description: "The payout." }),
  amount_withdraw_rub: Type.String({
    description: "What leaves the balance.",
    examples: ["100.00"],
  }),
  balance: Type.String({
    description: "The balance after this payout was taken.",
    examples: ["900.00"],
  }),
});

const WHOLE_LIST = "all";
const recallBanks = remembering(
  async (db) => new Map([[WHOLE_LIST, new Set((await sbpBanks(db)).map(({ id }) => id))]]),
);

export const createPayout = hotEndpoint({
  method: "POST",
  path: "/payoff/create",
  summary: "Ask for a payout",
  description:
    "The same order id with the same content gives the first answer again. The money is set aside at once, and leaves as soon as a rail takes it; where the operator's policy asks for it, after a person has looked.",
  lanes: 2,
  gate: userGate,
  identifier: "user_id",
  input: PayoutInput,
  translate(input, _user, source) {
    exactNumbers(input, ["order_id", "wallet_to"], source);
    exactNumbers(input, ["amount"], source, lossesAsTexts);
    readPayoutWish(input);
  },
  data: Data,
  problems: "first",
  async handleSet(app, calls) {
    const users = calls.map(({ principal }) => principal);
    const [terms, banks] = await Promise.all([
      payoutTermsOf(app, users),
      recallBanks(app, users, [WHOLE_LIST]),
    ]);
    const wishes = calls.map(({ input, principal }) =>
      wishOf(input, {
        userId: principal.id,
        terms: terms.get(principal.id) ?? [],
        banks: banks.get(WHOLE_LIST) ?? new Set(),
      }),
    );
    const ready = wishes.filter((wish): wish is PayoutWish => !(wish instanceof Refusal));
    const outcomes =
      ready.length === 0
        ? []
        : await app.db.transaction((tx) => reservePayouts(tx, app, ready, tx.closing));
    const answers = new Map(ready.map((wish, place) => [wish, outcomes[place]]));
    return wishes.map((wish) => {
      if (wish instanceof Refusal) return wish;
      const outcome = answers.get(wish);
      if (outcome === undefined) throw new Error("A payout without an outcome.");
      return outcome instanceof Error ? outcome : toAnswer(outcome);
    });
  },
});

function toAnswer({ id, withdrawMinor, balanceAfterMinor }: Reserved): Static<typeof Data> {
  return {
    payoff_id: id,
    amount_withdraw_rub: toDecimalText(withdrawMinor),
    balance: toDecimalText(balanceAfterMinor),
  };
}

interface Asker extends Pick<PayoutWish, "byHand"> {
  readonly userId: string;
  readonly authorId?: string;
  readonly terms: readonly PayoutTerms[];
  readonly banks: ReadonlySet<string>;
}

/** From what was sent to what is asked for; also for who asks in a user's name. */
export function wishOf(
  input: Omit<Static<typeof PayoutInput>, "user_id">,
  { userId: id, authorId, byHand, terms, banks }: Asker,
): PayoutWish | Refusal {
  const { service, currency = DEFAULT_CURRENCY } = input;
  const number = numberFor(service, input.wallet_to);
  if (number === undefined) return new Refusal("wallet_invalid");
  const bankId = service === "sbp" ? (input.payoff_data?.sbp_bank_type ?? "") : null;
  if (bankId === "") return new Refusal("payout_bank_required");
  return {
    userId: id,
    orderId: input.order_id ?? null,
    destination: { service, currency, number, bankId },
    isBankKnown: bankId === null || banks.has(bankId),
    amountMinor: minorFromNumber(input.amount) ?? 0n,
    subtract: input.subtract === FROM_BALANCE ? "balance" : "amount",
    comment: input.comment ?? null,
    hookUrl: input.hook_url === undefined ? null : new URL(input.hook_url).href,
    authorId: authorId ?? null,
    ...(byHand === undefined ? {} : { byHand }),
    terms: terms.find((one) => one.service === service && one.currency === currency),
  };
}
