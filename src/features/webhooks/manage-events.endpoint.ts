// /manage/events: what shops and users were told, every attempt to tell them, and telling them once more.

import { periodFields, Type, uuid } from "../../platform/field.ts";
import { change, changed, list, view } from "../operators/doors.ts";
import { waysToEvents } from "./event-queries.ts";
import { EventStory, sendAgain, storyOf } from "./event-story.ts";
import { Events, eventState, hadAddress } from "./nouns.ts";

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
    had_address: Type.Optional(hadAddress),
  },
  ways: (_app, filter) => waysToEvents(filter),
});

export const readEvent = view({
  path: "/manage/events/:event_id",
  summary: "Show an event with its deliveries",
  description: "Its body is exactly what is signed and sent.",
  input: Type.Object({ event_id }),
  data: EventStory,
  notFound: "There is no such event.",
  async read({ db }, input) {
    return storyOf(db, await Events.find(db, input.event_id));
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
    return changed(Events, before, await sendAgain(tx, app, before));
  },
});
