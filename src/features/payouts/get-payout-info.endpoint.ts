// /payoff/info, /payoff/list, /payoff/cancel: a user's payouts, in the form of existing clients. Of
// a cancel and a claim at once exactly one wins.

import type { Static } from "typebox";
import { readFamilyOrderId } from "../../domain/dialect.ts";
import { momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber, toDecimalText } from "../../domain/money.ts";
import { HELD_REASONS, PAYOUT_STATES, SUBTRACTS, wireState } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { exactNumbers } from "../../platform/body.ts";
import type { Tx } from "../../platform/db.ts";
import { endpoint, hotEndpoint } from "../../platform/endpoint.ts";
import { butErrors } from "../../platform/failure.ts";
import {
  oneOf,
  pageFields,
  pageOf,
  periodFields,
  Type,
  text,
  textOrNull,
  toPage,
  uuid,
} from "../../platform/field.ts";
import { userGate } from "../merchants/principal.ts";
import {
  findPayouts,
  lockPayouts,
  type Payout,
  type PayoutName,
  pageOfPayouts,
} from "./queries.ts";
import { movePayouts } from "./settle.ts";
import { refuseShown } from "./shown.ts";

const amount = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });

const PayoutWire = Type.Object({
  payoff_id: uuid({ description: "The payout." }),
  status: oneOf(["wait", "success", "fail"], {
    description: "wait while it is not known to have ended, success once the money has left.",
  }),
  order_id: Type.String({
    description: "The merchant's own id; empty where there is none.",
    examples: ["payout-1"],
  }),
  service: Type.String({ description: "card or sbp.", examples: ["card"] }),
  type: oneOf(["api", "payoff"], { description: "By a program, or by hand." }),
  subtract: oneOf(SUBTRACTS, { description: "Where the commission was taken from." }),
  wallet: Type.String({ description: "Where to, masked.", examples: ["220220******0007"] }),
  comment: textOrNull({ description: "The merchant's own words." }),
  amount: amount("As it was asked for.", 10),
  amount_withdraw_rub: amount("What left the balance.", 11),
  commission_rub: amount("The commission.", 1),
  receive_currency: Type.String({ description: "Currency code.", examples: ["RUB"] }),
  amount_receive: Type.String({ description: "What arrives.", examples: ["10.00"] }),
  created_at: Type.String({
    description: "When, in the service's time zone.",
    examples: ["2026-03-01 12:00:00"],
  }),
  paid_at: textOrNull({
    description: "When the money left, also where it came back since; null while it has not.",
  }),
  error_message: textOrNull({ description: "Why it failed." }),
  state: oneOf(PAYOUT_STATES, {
    description:
      "The state in detail: held for approval, queued, sending, unknown (it may have left), done, failed, canceled, returned.",
  }),
  held_reason: textOrNull({
    description: `Why a person looks at it: ${HELD_REASONS.join(", ")}.`,
    examples: [null],
  }),
  bank_reference: textOrNull({ description: "What the bank calls it." }),
  sequence: Type.Integer({ description: "Of its last event; 0 before the first.", examples: [0] }),
});

function toPayoutWire({ config }: App, payout: Payout): Static<typeof PayoutWire> {
  const moments = momentFormat(config.timeZone);
  return {
    payoff_id: payout.id,
    status: wireState(payout.state),
    order_id: payout.orderId ?? "",
    service: payout.service,
    type: payout.origin,
    subtract: payout.subtract,
    wallet: payout.masked,
    comment: payout.comment,
    amount: toDecimalNumber(payout.amountMinor),
    amount_withdraw_rub: toDecimalNumber(payout.withdrawMinor),
    commission_rub: toDecimalNumber(payout.feeMinor),
    receive_currency: payout.currency,
    amount_receive: toDecimalText(payout.receiveMinor),
    created_at: moments.text(payout.createdAt),
    paid_at: payout.doneAt === null ? null : moments.text(payout.doneAt),
    error_message: payout.error,
    state: payout.state,
    held_reason: payout.state === "held" ? payout.heldReason : null,
    bank_reference: payout.bankReference,
    sequence: payout.sequence,
  };
}

export const userId = uuid({
  description: "The user; also used for authorization.",
  examples: ["00000000-0000-4000-8000-000000000001"],
});

const payoutName = {
  user_id: userId,
  id: Type.Optional(uuid({ description: "The payout." })),
  payoff_id: Type.Optional(uuid({ description: "The same, as it is called in answers." })),
  order_id: Type.Optional(
    text({ max: 255 }, { description: "Or the merchant's own id.", examples: ["payout-1"] }),
  ),
};

/** Whatever names it has to be of one payout. */
function readPayoutName(
  userId: string,
  names: { id?: string; payoff_id?: string; order_id?: string },
): PayoutName | Refusal {
  const { id = names.payoff_id, payoff_id: same = id, order_id: orderId } = names;
  if (id === undefined && orderId === undefined) return new Refusal("payout_id_required");
  if (id?.toLowerCase() !== same?.toLowerCase()) return new Refusal("payout_not_found");
  return { userId, id, orderId };
}

export const getPayoutInfo = hotEndpoint({
  method: "GET",
  path: "/payoff/info",
  summary: "How a payout stands",
  description: "By its id, or by the order id; several have to be of one payout.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object(payoutName),
  data: PayoutWire,
  notFound: "The user has no such payout.",
  problems: "first",
  async handleSet(app, calls) {
    const names = calls.map(({ principal, input }) => readPayoutName(principal.id, input));
    return butErrors(names, async (named) => {
      const found = await findPayouts(app.db, named);
      return found.map((payout) =>
        payout === undefined ? new Refusal("payout_not_found") : toPayoutWire(app, payout),
      );
    });
  },
});

export const listPayouts = endpoint({
  method: "GET",
  path: "/payoff/list",
  summary: "List payouts",
  description: "The newest first, page by page.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object({
    user_id: userId,
    ...pageFields,
    ...periodFields,
    state: Type.Optional(oneOf(PAYOUT_STATES, { description: "Those in this state." })),
  }),
  data: pageOf(PayoutWire),
  problems: "first",
  async handle(app, { principal, input: { state, ...wish } }) {
    const found = await pageOfPayouts(app.db, wish, { userId: principal.id, state });
    return toPage(found, (payout) => toPayoutWire(app, payout));
  },
});

export const cancelPayout = endpoint({
  method: "POST",
  path: "/payoff/cancel",
  summary: "Cancel a payout",
  description:
    "While it is held or queued: what somebody has begun to send cannot be taken back. Repeated, it changes nothing.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object(payoutName),
  translate(input, _user, source) {
    exactNumbers(input, ["order_id"], source);
    readFamilyOrderId(input);
  },
  data: PayoutWire,
  notFound: "The user has no such payout.",
  problems: "first",
  handle: (app, { principal, input }) =>
    app.db.transaction(async (tx) => {
      const wanted = readPayoutName(principal.id, input);
      if (wanted instanceof Refusal) throw wanted;
      const { after } = await takeBack(tx, app, wanted);
      return toPayoutWire(app, after);
    }),
});

/** How it was and how it is; the same where it had been taken back before. */
export async function takeBack(
  tx: Tx,
  app: App,
  wanted: PayoutName,
): Promise<{ before: Payout; after: Payout }> {
  const [found] = await findPayouts(tx, [wanted]);
  const [before] = found === undefined ? [] : await lockPayouts(tx, [found.id]);
  if (before === undefined) throw new Refusal("payout_not_found");
  if (before.state === "canceled") return { before, after: before };
  await refuseShown(tx, before);
  await movePayouts(tx, app, [{ payout: before, to: "canceled", error: CANCELED_BY_USER }]);
  const [after = before] = await lockPayouts(tx, [before.id]);
  return { before, after };
}

const CANCELED_BY_USER = "canceled_by_user";
