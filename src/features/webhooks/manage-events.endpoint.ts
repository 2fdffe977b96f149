// /manage/events: what shops were told, every attempt to tell them, and telling them once more.

import Type from "typebox";
import { isoOrNull } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import { numberOrNull, oneOf, textOrNull, uuid } from "../../platform/field.ts";
import { pageFields, pageOf, periodFields, toPage } from "../../platform/page.ts";
import { change, view } from "../operators/doors.ts";
import {
  deliveriesOf,
  EVENT_STATES,
  type EventView,
  findEvent,
  listEvents,
} from "./event-queries.ts";
import { resendEvents } from "./events.ts";

const state = oneOf(EVENT_STATES, { description: "What became of it." });

const EventData = Type.Object({
  event_id: Type.String({ description: "The event; webhook-id of every attempt." }),
  shop_id: Type.String({ description: "The shop that is told." }),
  invoice_id: Type.String({ description: "The invoice that it is about." }),
  sequence: Type.Integer({ description: "1, 2, … for each invoice." }),
  state,
  hook_url: textOrNull({ description: "Where it goes." }),
  attempts: Type.Integer({ description: "How often it was tried." }),
  next_attempt_at: textOrNull({ description: "When it is tried next, or null." }),
  created_at: Type.String({ description: "When it happened." }),
});

const event_id = uuid({ description: "The event." });

export const readEvents = view({
  path: "/manage/events",
  summary: "List events",
  input: Type.Object({
    ...pageFields,
    ...periodFields,
    shop_id: Type.Optional(uuid({ description: "Events of this shop." })),
    invoice_id: Type.Optional(uuid({ description: "Events of this invoice." })),
    state: Type.Optional(state),
  }),
  data: pageOf(EventData),
  async read({ db }, { shop_id: shopId, invoice_id: invoiceId, state: wanted, ...wish }) {
    const filter = { shopId, invoiceId, state: wanted };
    return toPage(await listEvents(db, wish, filter), toWire);
  },
});

export const readEvent = view({
  path: "/manage/events/:event_id",
  summary: "Show an event with its deliveries",
  input: Type.Object({ event_id }),
  data: Type.Object({
    event: EventData,
    body: textOrNull({
      description: "Exactly what is signed and sent; null once it was removed, long after it was.",
    }),
    attempts_removed: Type.Integer({
      description: "The first so many attempts were removed, and are not among the deliveries.",
    }),
    deliveries: Type.Array(
      Type.Object({
        attempt: Type.Integer({ description: "Which attempt." }),
        started_at: Type.String({ description: "When it began." }),
        status: numberOrNull({ description: "The receiver's HTTP status." }),
        error: textOrNull({ description: "Or why there was none." }),
        duration_ms: numberOrNull({ description: "How long it took; null if nobody heard." }),
      }),
    ),
  }),
  notFound: "There is no such event.",
  async read({ db }, input) {
    const row = await findEvent(db, input.event_id);
    if (row === undefined) throw new Refusal("event_not_found");
    const deliveries = (await deliveriesOf(db, row.id)).map(({ started_at, ...delivery }) => ({
      ...delivery,
      started_at: started_at.toISOString(),
    }));
    const { body, attempts_removed } = row;
    return { event: toWire(row), body, attempts_removed, deliveries };
  },
});

export const sendEvent = change({
  path: "/manage/events/:event_id/send",
  summary: "Send an event once more",
  description: "A delivered or exhausted event is due again, with the whole schedule before it.",
  act: "event.send",
  input: Type.Object({ event_id }),
  data: EventData,
  notFound: "There is no such event.",
  async make(tx, app, input) {
    const before = await findEvent(tx, input.event_id);
    if (before === undefined) throw new Refusal("event_not_found");
    if (before.body === null) throw new Refusal("event_body_removed");
    const sent = await resendEvents(tx, app, [before.id]);
    const after = await findEvent(tx, before.id);
    if (sent.length === 0 || after === undefined) throw new Refusal("event_cannot_be_sent");
    const data = toWire(after);
    return { data, subject: before.id, before: toWire(before), after: data };
  },
});

function toWire(row: EventView): Type.Static<typeof EventData> {
  return {
    event_id: row.id,
    shop_id: row.shop_id,
    invoice_id: row.invoice_id,
    sequence: row.sequence,
    state: row.state,
    hook_url: row.hook_url,
    attempts: row.attempts,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    created_at: row.created_at.toISOString(),
  };
}
