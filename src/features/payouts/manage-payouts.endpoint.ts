// /manage/payouts: every payout, one with all that became of it, and one that an operator asks for in a user's
// name. Guards that what one operator asks for waits for another.

import { PAYOUT_STATES } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
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
import { Users } from "../merchants/nouns.ts";
import { change, view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { attemptsOf } from "./attempt-queries.ts";
import { askByHand, askedByHand } from "./by-hand.ts";
import { Attempts, Payouts, Postings, payoutId } from "./nouns.ts";
import { pageOfPayouts, payoutsById } from "./queries.ts";
import { operatorNames, postingsOf } from "./story-queries.ts";
import { timelineOf } from "./timeline.ts";

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
    timeline: Type.Array(
      Type.Object({
        at: isoMoment("When."),
        what: Type.String({ description: "What happened.", examples: ["asked for"] }),
        detail: Type.String({ description: "The rest of it.", examples: ["100.00 RUB"] }),
      }),
    ),
  }),
  notFound: "There is no such payout.",
  async read(app, { payout_id: id }) {
    const { db } = app;
    const [payout] = await payoutsById(db, [id]);
    if (payout === undefined) throw new Refusal("payout_not_found");
    const [attempts, approvals, postings] = await Promise.all([
      attemptsOf(db, [payout.id]),
      Approvals.of(db, payout.id),
      postingsOf(db, payout.id),
    ]);
    const people = [payout.authorId, ...attempts.map(({ authorId }) => authorId)];
    const names = await operatorNames(
      db,
      people.filter((one) => one !== null),
    );
    const steps = timelineOf({ payout, attempts, approvals, postings, names });
    return {
      payout: Payouts.toWire(payout),
      attempts: attempts.map((one) =>
        Attempts.toWire({ ...one, author: names.get(one.authorId ?? "") ?? null }),
      ),
      approvals: approvals.map((one) => Approvals.toWire(one, app)),
      postings: postings.map(Postings.toWire),
      timeline: steps.map(({ at, ...step }) => ({ at: at.toISOString(), ...step })),
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
