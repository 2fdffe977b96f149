// GET /manage/requisites/:requisite_id/slots: which amounts of a card are held, by which payment and until
// when, and when an amount is free again.

import { minorFromNumber, toDecimalNumber } from "../../domain/money.ts";
import { decimal, numberOrNull, oneOf, Type, textOrNull, uuid } from "../../platform/field.ts";
import { view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { Requisites } from "../requisites/nouns.ts";
import { paymentState } from "./nouns.ts";
import { MOST_SLOTS, pageOfSlots, type SlotRow, slotAt } from "./queries.ts";

const Slot = Type.Object({
  amount: Type.Number({ description: "The exact amount that is held.", examples: [1020.37] }),
  phase: oneOf(["live", "quarantine"], {
    description: "Whether the details can still be paid, or only late money is waited for.",
  }),
  payment_id: uuid({ description: "Who holds it." }),
  payment_state: paymentState,
  invoice_id: uuid({ description: "Of which invoice." }),
  shop_id: uuid({ description: "Of which shop." }),
  ends_at: isoMoment("When the payment's details end, or ended."),
  held_until: isoMoment("When the amount is free again."),
});

export const showSlots = view({
  path: "/manage/requisites/:requisite_id/slots",
  summary: "Which amounts of a requisite are held, and until when",
  description:
    `In the order of the amounts, at most ${MOST_SLOTS} at once; those that are free are not told. ` +
    "A page may hold fewer, or none, and still have a next.",
  input: Type.Object({
    requisite_id: uuid({ description: "The requisite." }),
    amount: Type.Optional(
      decimal({ min: 0.01 }, { description: "Say when this exact amount is free." }),
    ),
    after: Type.Optional(decimal({ min: 0 }, { description: "The `next` of the page before." })),
  }),
  data: Type.Object({
    items: Type.Array(Slot),
    next: numberOrNull({ description: "Where the next page begins; null at the end." }),
    asked: Type.Object({
      amount: numberOrNull({ description: "The amount that was asked about, or null." }),
      free_at: textOrNull({ description: "When it is free; null while it is." }, "date-time"),
      payment_id: textOrNull({ description: "Who holds it, or null." }, "uuid"),
    }),
  }),
  notFound: "There is no such requisite.",
  async read({ db, clock }, { requisite_id, amount, after = 0 }) {
    const { id } = await Requisites.find(db, requisite_id);
    const now = clock.now();
    const { rows, next } = await pageOfSlots(db, id, minorFromNumber(after) ?? 0n, now);
    const held =
      amount === undefined ? undefined : await slotAt(db, id, minorFromNumber(amount) ?? 0n, now);
    return {
      items: rows.map((row) => wireOf(row, now)),
      next: next === null ? null : toDecimalNumber(next),
      asked: {
        amount: amount ?? null,
        free_at: held?.held_until.toISOString() ?? null,
        payment_id: held?.payment_id ?? null,
      },
    };
  },
});

function wireOf(slot: SlotRow, now: Date) {
  const { payment_id, state, invoice_id, shop_id, ends_at, held_until } = slot;
  const isLive = state === "live" && ends_at > now;
  return {
    amount: toDecimalNumber(slot.amount_minor),
    phase: isLive ? ("live" as const) : ("quarantine" as const),
    payment_id,
    payment_state: state,
    invoice_id,
    shop_id,
    ends_at: ends_at.toISOString(),
    held_until: held_until.toISOString(),
  };
}
