// A payout that a person asks for: an operator in a user's name, or one of the merchant's own people. Guards that the
// same order id is one payout, whoever asks, and that a repeated call leaves no second row in the log.

import type { Static, TObject } from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { Type, text } from "../../platform/field.ts";
import { lockBalances } from "../ledger/queries.ts";
import type { Done } from "../operators/doors.ts";
import { sbpBanks } from "./bank-queries.ts";
import { PayoutInput, wishOf } from "./create-payout.endpoint.ts";
import { lockPayout } from "./nouns.ts";
import { type Payout, payoutsOfOrders } from "./queries.ts";
import { type PayoutWish, reservePayouts } from "./reserve.ts";
import { payoutTermsOfUsers } from "./tariff-queries.ts";

const { payoff_data: _ofMerchants, user_id: _user, ...fields } = PayoutInput.properties;

export const askedByHand = {
  ...fields,
  bank_id: Type.Optional(
    text(
      { max: 32 },
      {
        description: "For sbp: the bank, by its id in the list of banks.",
        examples: ["100000000111"],
      },
    ),
  ),
};

interface Asker extends Pick<PayoutWish, "byHand"> {
  readonly userId: string;
  readonly authorId?: string;
}

export async function askByHand<Data extends { readonly payout_id: string }>(
  tx: Tx,
  app: App,
  { bank_id: bankId = "", ...input }: Static<TObject<typeof askedByHand>>,
  asker: Asker,
  toWire: (payout: Payout) => Data,
): Promise<Done<Data>> {
  const { userId } = asker;
  const [terms, banks] = await Promise.all([payoutTermsOfUsers(tx, [userId]), sbpBanks(tx)]);
  const isWithoutBank = input.service === "sbp" && bankId === "";
  if (isWithoutBank) throw new Refusal("payout_bank_id_required");
  const wish = wishOf(
    { ...input, payoff_data: { sbp_bank_type: bankId } },
    { ...asker, terms: terms.get(userId) ?? [], banks: new Set(banks.map(({ id }) => id)) },
  );
  if (wish instanceof Refusal) throw wish;
  // Whoever has the balances knows that nobody else makes one of this order meanwhile.
  await lockBalances(tx, [userId]);
  const { orderId } = wish;
  const [known] = orderId === null ? [] : await payoutsOfOrders(tx, [{ userId, orderId }]);
  // Of what was asked for before it is no matter whether its bank is still in the directory.
  if (known === undefined && !wish.isBankKnown) throw new Refusal("payout_bank_id_required");
  const [outcome] = await reservePayouts(tx, app, [wish]);
  if (outcome === undefined) throw new Error("A payout without an outcome.");
  if (outcome instanceof Error) throw outcome;
  const after = toWire(await lockPayout(tx, outcome.id));
  // A repeated call has changed nothing.
  return {
    data: after,
    subject: after.payout_id,
    before: known === undefined ? null : after,
    after,
  };
}
