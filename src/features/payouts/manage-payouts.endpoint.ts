// Payouts as operators and the merchant's people see them, and ask for them by hand. The same order
// id is one payout; one that an operator asks for waits for another.

import type { Static, TObject } from "typebox";
import { PAYOUT_STATES } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import { may } from "../../domain/role.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import {
  currencyCode,
  oneOf,
  pageFields,
  pageOf,
  periodFields,
  Type,
  text,
  toPage,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { Approvals } from "../approvals/approval-nouns.ts";
import { lockBalances } from "../ledger/queries.ts";
import { ownChange, ownView } from "../merchants/member.ts";
import { Users } from "../merchants/nouns.ts";
import { change, type Done, view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { attemptsOf } from "./attempt-queries.ts";
import { PayoutInput, wishOf } from "./create-payout.endpoint.ts";
import { takeBack } from "./get-payout-info.endpoint.ts";
import { PayoutTariff, payoutTariffWire } from "./manage-payout-tariffs.endpoint.ts";
import { SbpBanks } from "./manage-sbp-banks.endpoint.ts";
import { Attempts, lockPayout, Payouts, Postings, payoutId } from "./nouns.ts";
import {
  findPayouts,
  operatorNames,
  type Payout,
  pageOfPayouts,
  payoutsById,
  payoutsOfOrders,
  postingsOf,
  sbpBanks,
} from "./queries.ts";
import { type PayoutWish, reservePayouts } from "./reserve.ts";
import { payoutTermsOfUsers } from "./tariff-queries.ts";
import { type PayoutWhole, timelineOf } from "./timeline.ts";

const { payoff_data: _ofMerchants, user_id: _user, ...fields } = PayoutInput.properties;

const askedByHand = {
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

async function askByHand<Data extends { readonly payout_id: string }>(
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

const Timeline = Type.Array(
  Type.Object({
    at: isoMoment("When."),
    what: Type.String({ description: "What happened.", examples: ["asked for"] }),
    detail: Type.String({ description: "The rest of it.", examples: ["100.00 RUB"] }),
  }),
);

async function storyOf(db: Queryable, { id, authorId }: Payout) {
  const [attempts, approvals, postings] = await Promise.all([
    attemptsOf(db, [id]),
    Approvals.of(db, id),
    postingsOf(db, id),
  ]);
  const people = [authorId, ...attempts.map((one) => one.authorId)];
  return { attempts, approvals, postings, people: people.filter((one) => one !== null) };
}

function timelineWire(whole: PayoutWhole) {
  return timelineOf(whole).map(({ at, ...step }) => ({ at: at.toISOString(), ...step }));
}

export const readPayouts = view({
  path: "/manage/payouts",
  summary: "List payouts",
  description:
    "The newest first. Those in the state unknown wait for somebody to say what became of them.",
  input: Type.Object({
    ...pageFields,
    ...periodFields,
    state: Type.Optional(oneOf(PAYOUT_STATES, { description: "Those in this state." })),
    user_id: Type.Optional(uuid({ description: "Payouts of this user." })),
    order_id: Type.Optional(text({ max: 255 }, { description: "By the merchant's own id." })),
    currency: Type.Optional(currencyCode({ description: "Those in this currency." })),
    by_hand: Type.Optional(
      yesNo({
        description: "Those that are due and that no program takes: somebody has to send them.",
      }),
    ),
  }),
  data: pageOf(Payouts.wire),
  async read({ db, clock }, { state, user_id: userId, order_id: orderId, ...more }) {
    const { currency, by_hand, ...wish } = more;
    const byHandAt = by_hand === true ? clock.now() : undefined;
    const ofState = byHandAt && state === undefined ? "queued" : state;
    const filter = { state: ofState, userId, orderId, currency, byHandAt };
    return toPage(await pageOfPayouts(db, wish, filter), Payouts.toWire);
  },
});

export const readPayout = view({
  path: "/manage/payouts/:payout_id",
  summary: "Show a payout",
  description: "With its attempts, approvals, postings and story.",
  input: Type.Object({ payout_id: payoutId }),
  data: Type.Object({
    payout: Payouts.wire,
    attempts: Type.Array(Attempts.wire),
    approvals: Type.Array(Approvals.wire),
    postings: Type.Array(Postings.wire),
    timeline: Timeline,
  }),
  notFound: "There is no such payout.",
  async read(app, { payout_id: id }) {
    const { db } = app;
    const [payout] = await payoutsById(db, [id]);
    if (payout === undefined) throw new Refusal("payout_not_found");
    const { attempts, approvals, postings, people } = await storyOf(db, payout);
    const names = await operatorNames(db, people);
    return {
      payout: Payouts.toWire(payout),
      attempts: attempts.map((one) =>
        Attempts.toWire({ ...one, author: names.get(one.authorId ?? "") ?? null }),
      ),
      approvals: approvals.map((one) => Approvals.toWire(one, app)),
      postings: postings.map(Postings.toWire),
      timeline: timelineWire({ payout, attempts, approvals, postings, names }),
    };
  },
});

export const addPayout = change({
  path: "/manage/payouts",
  summary: "Ask for a payout in a user's name",
  description:
    "It waits until another operator approves it, whatever the amount. The same order id with the same content gives the first one again.",
  act: "payout.create",
  input: Type.Object({
    ...askedByHand,
    user_id: uuid({ description: "The user." }),
  }),
  data: Payouts.wire,
  notFound: "There is no such user.",
  async make(tx, app, { user_id, ...input }, operator) {
    const { id: userId } = await Users.find(tx, user_id);
    const wish = { userId, authorId: operator.id, byHand: "look" } as const;
    return askByHand(tx, app, input, wish, Payouts.toWire);
  },
});

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
    timeline: Timeline,
  }),
  notFound: "The merchant has no such payout.",
  async read({ db }, { payout_id: id }, { userId }) {
    const [payout] = await findPayouts(db, [{ userId, id }]);
    if (payout === undefined) throw new Refusal("payout_not_found");
    const { attempts, approvals, postings, people } = await storyOf(db, payout);
    const timeline = timelineWire({
      payout,
      postings,
      names: new Map(people.map((one) => [one, SOMEBODY])),
      attempts: attempts.map((one) => ({ ...one, detail: null })),
      approvals: approvals.map((one) => ({
        ...one,
        by_name: SOMEBODY,
        reason: null,
        withdrawn_by_name: one.withdrawn_by === null ? null : SOMEBODY,
        withdrawn_reason: null,
      })),
    });
    return { payout: toWire(payout), timeline };
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
