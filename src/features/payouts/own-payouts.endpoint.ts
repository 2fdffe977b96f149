// /cabinet/payouts: a merchant's payouts, what became of one, asking for one, taking it back, and what they cost. Guards that what is
// asked for by who may not send money by themselves waits for somebody, and that no operator is named.

import { PAYOUT_STATES } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import { may } from "../../domain/role.ts";
import {
  currencyCode,
  oneOf,
  pageFields,
  pageOf,
  periodFields,
  Type,
  text,
  toPage,
} from "../../platform/field.ts";
import { Approvals } from "../approvals/approval-nouns.ts";
import { ownChange, ownView } from "../merchants/member.ts";
import { isoMoment } from "../operators/noun.ts";
import { attemptsOf } from "./attempt-queries.ts";
import { sbpBanks } from "./bank-queries.ts";
import { askByHand, askedByHand } from "./by-hand.ts";
import { takeBack } from "./cancel-payout.endpoint.ts";
import { PayoutTariff, payoutTariffWire } from "./list-payout-tariffs.endpoint.ts";
import { SbpBanks } from "./list-sbp-banks.endpoint.ts";
import { Payouts, payoutId } from "./nouns.ts";
import { findPayouts, type Payout, pageOfPayouts } from "./queries.ts";
import { postingsOf } from "./story-queries.ts";
import { payoutTermsOfUsers } from "./tariff-queries.ts";
import { timelineOf } from "./timeline.ts";

const { author_id: _author, ...shown } = Payouts.wire.properties;
const OwnPayout = Type.Object(shown);

function toWire(payout: Payout) {
  const { author_id: _operator, ...wire } = Payouts.toWire(payout);
  return wire;
}

export const readOwnPayouts = ownView({
  path: "/cabinet/payouts",
  summary: "List the merchant's payouts",
  description: "The newest first.",
  right: "balance",
  input: Type.Object({
    ...pageFields,
    ...periodFields,
    state: Type.Optional(oneOf(PAYOUT_STATES, { description: "Those in this state." })),
    order_id: Type.Optional(text({ max: 255 }, { description: "By the merchant's own id." })),
    currency: Type.Optional(currencyCode({ description: "Those in this currency." })),
  }),
  data: pageOf(OwnPayout),
  async read({ db }, { state, order_id: orderId, currency, ...wish }, { userId }) {
    return toPage(await pageOfPayouts(db, wish, { state, userId, orderId, currency }), toWire);
  },
});

/** Whoever of the operator's it was. */
const SOMEBODY = "the operator";

export const readOwnPayout = ownView({
  path: "/cabinet/payouts/:payout_id",
  summary: "Show a payout of the merchant's",
  description: "With its story.",
  right: "balance",
  input: Type.Object({ payout_id: payoutId }),
  data: Type.Object({
    payout: OwnPayout,
    timeline: Type.Array(
      Type.Object({
        at: isoMoment("When."),
        what: Type.String({ description: "What happened.", examples: ["asked for"] }),
        detail: Type.String({ description: "The rest of it.", examples: ["100.00 RUB"] }),
      }),
    ),
  }),
  notFound: "The merchant has no such payout.",
  async read({ db }, { payout_id: id }, { userId }) {
    const [payout] = await findPayouts(db, [{ userId, id }]);
    if (payout === undefined) throw new Refusal("payout_not_found");
    const [attempts, approvals, postings] = await Promise.all([
      attemptsOf(db, [payout.id]),
      Approvals.of(db, payout.id),
      postingsOf(db, payout.id),
    ]);
    const people = [payout.authorId, ...attempts.map(({ authorId }) => authorId)];
    const steps = timelineOf({
      payout,
      postings,
      names: new Map(people.map((one) => [one ?? "", SOMEBODY])),
      attempts: attempts.map((one) => ({ ...one, detail: null })),
      approvals: approvals.map((one) => ({
        ...one,
        by_name: SOMEBODY,
        reason: null,
        withdrawn_by_name: one.withdrawn_by === null ? null : SOMEBODY,
        withdrawn_reason: null,
      })),
    });
    return {
      payout: toWire(payout),
      timeline: steps.map(({ at, ...step }) => ({ at: at.toISOString(), ...step })),
    };
  },
});

export const askOwnPayout = ownChange({
  path: "/cabinet/payouts",
  summary: "Ask for a payout",
  description:
    "The money is set aside at once. An owner's leaves as soon as a rail takes it, unless the operator's policy wants a person to look; anybody else's always waits for one. The same order id with the same content gives the first one again.",
  right: "ask_payout",
  act: "payout.create",
  input: Type.Object(askedByHand),
  data: OwnPayout,
  make(tx, app, input, { userId, role }) {
    const byHand = may(role, "confirm_payout") ? "no look" : "look";
    return askByHand(tx, app, input, { userId, byHand }, toWire);
  },
});

export const cancelOwnPayout = ownChange({
  path: "/cabinet/payouts/:payout_id/cancel",
  summary: "Cancel a payout of the merchant's",
  description:
    "While it is held or queued: what somebody has begun to send cannot be taken back. Repeated, it changes nothing.",
  right: "ask_payout",
  act: "payout.cancel",
  input: Type.Object({ payout_id: payoutId }),
  data: OwnPayout,
  notFound: "The merchant has no such payout.",
  async make(tx, app, { payout_id: id }, { userId }) {
    const { before, after } = await takeBack(tx, app, { userId, id });
    const data = toWire(after);
    return { data, subject: after.id, before: toWire(before), after: data };
  },
});

export const readOwnPayoutTariffs = ownView({
  path: "/cabinet/payout-tariffs",
  summary: "What payouts cost the merchant",
  description:
    "Sorted by service and currency. The fee is rounded up to a kopeck. With the banks that one by SBP can go to.",
  right: "look",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(PayoutTariff), banks: SbpBanks }),
  async read({ db }, _input, { userId }) {
    const [terms, banks] = await Promise.all([payoutTermsOfUsers(db, [userId]), sbpBanks(db)]);
    return { items: (terms.get(userId) ?? []).map(payoutTariffWire), banks };
  },
});
