// /manage/events: what shops and users were told, every attempt to tell them, and telling them once more.

import type { Static } from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { periodFields, Type, textOrNull, uuid } from "../../platform/field.ts";
import { change, changed, list, view } from "../operators/doors.ts";
import type { RowOf } from "../operators/noun.ts";
import { deliveriesOf, waysToEvents } from "./event-queries.ts";
import { resendEvents } from "./events.ts";
import { Deliveries, Events, eventState, hadAddress } from "./nouns.ts";

export const EventStory = Type.Object({
  event: Events.wire,
  body: textOrNull({
    description:
      "Exactly what is signed and sent; null once it was removed, long after it was sent.",
  }),
  attempts_removed: Type.Integer({
    description: "The first so many attempts were removed, and are not among the deliveries.",
  }),
  deliveries: Type.Array(Deliveries.wire),
});

export async function storyOf(
  db: Queryable,
  row: RowOf<typeof Events>,
): Promise<Static<typeof EventStory>> {
  const deliveries = (await deliveriesOf(db, row.id)).map(Deliveries.toWire);
  const { body, attempts_removed } = row;
  return { event: Events.toWire(row), body, attempts_removed, deliveries };
}

/** As it stands afterwards. */
export async function sendAgain(
  tx: Tx,
  app: App,
  { id, body, state }: RowOf<typeof Events>,
): Promise<RowOf<typeof Events>> {
  if (body === null) throw new Refusal("event_body_removed");
  const sent = await resendEvents(tx, app, [id]);
  if (sent.length === 0)
    throw new Refusal(state === "waiting" ? "event_cannot_be_sent" : "event_without_address");
  return Events.find(tx, id);
}

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
