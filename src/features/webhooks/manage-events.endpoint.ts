// /manage/events: what shops and users were told, every attempt to tell them, and telling them once more.

import Type from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { textOrNull, uuid } from "../../platform/field.ts";
import { periodFields } from "../../platform/page.ts";
import { change, changed, list, view } from "../operators/doors.ts";
import { deliveriesOf, waysToEvents } from "./event-queries.ts";
import { resendEvents } from "./events.ts";
import { Deliveries, Events, eventState } from "./nouns.ts";

const event_id = uuid({ description: "The event." });

export const readEvents = list({
  path: "/manage/events",
  summary: "List events",
  description:
    "What shops and users were told, or are to be told, of invoices and payouts; the newest first.",
  noun: Events,
  filters: {
    ...periodFields,
    shop_id: Type.Optional(uuid({ description: "Events of this shop." })),
    invoice_id: Type.Optional(uuid({ description: "Events of this invoice." })),
    payout_id: Type.Optional(uuid({ description: "Events of this payout." })),
    state: Type.Optional(eventState),
  },
  ways: (_app, filter) => waysToEvents(filter),
});

export const readEvent = view({
  path: "/manage/events/:event_id",
  summary: "Show an event with its deliveries",
  description: "Its body is exactly what is signed and sent.",
  input: Type.Object({ event_id }),
  data: Type.Object({
    event: Events.wire,
    body: textOrNull({
      description:
        "Exactly what is signed and sent; null once it was removed, long after it was sent.",
    }),
    attempts_removed: Type.Integer({
      description: "The first so many attempts were removed, and are not among the deliveries.",
    }),
    deliveries: Type.Array(Deliveries.wire),
  }),
  notFound: "There is no such event.",
  async read({ db }, input) {
    const row = await Events.find(db, input.event_id);
    const deliveries = (await deliveriesOf(db, row.id)).map(Deliveries.toWire);
    const { body, attempts_removed } = row;
    return { event: Events.toWire(row), body, attempts_removed, deliveries };
  },
});

export const sendEvent = change({
  path: "/manage/events/:event_id/send",
  summary: "Send an event once more",
  description: "A delivered or exhausted event is due again, with the whole schedule before it.",
  act: "event.send",
  by: "cashier",
  input: Type.Object({ event_id }),
  data: Events.wire,
  notFound: "There is no such event.",
  async make(tx, app, input) {
    const before = await Events.find(tx, input.event_id);
    if (before.body === null) throw new Refusal("event_body_removed");
    const sent = await resendEvents(tx, app, [before.id]);
    if (sent.length === 0) throw new Refusal("event_cannot_be_sent");
    return changed(Events, before, await Events.find(tx, before.id));
  },
});
