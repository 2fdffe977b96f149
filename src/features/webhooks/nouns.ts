// Events and the attempts to tell them: as they are stored, and as whoever manages the gateway sees them.

import { numberOrNull, oneOf, yesNo } from "../../platform/field.ts";
import { column, noun, shape } from "../operators/noun.ts";

const EVENT_STATES = ["waiting", "delivered", "exhausted", "no_address"] as const;

export const eventState = oneOf(EVENT_STATES, { description: "What became of it." });

export const hadAddress = yesNo({
  description:
    "Those that had an address when they happened, as figures count them, or the others.",
});

const TOLD = "join event_states told on told.event_id = event.id";

export const Events = noun(
  {
    from: "events",
    join: `join events event on event.id = row.id ${TOLD}`,
    columns: `event.id, event.shop_id, event.invoice_id, event.user_id, event.payout_id,
            event.sequence, event.body, event.attempts_removed, event.created_at, told.state,
            told.attempts, told.next_attempt_at, told.hook_url`,
    missing: "event_not_found",
  },
  {
    event_id: column.id("The event; webhook-id of every attempt."),
    shop_id: column.uuidOrNull("The shop that is told of an invoice, or null."),
    invoice_id: column.uuidOrNull("The invoice that it is about, or null."),
    user_id: column.uuidOrNull("The user who is told of a payout, or null."),
    payout_id: column.uuidOrNull("The payout that it is about, or null."),
    sequence: column.integer("1, 2, … for each invoice and each payout."),
    state: column.as(eventState),
    hook_url: column.urlOrNull("Where it goes."),
    attempts: column.integer("How often it was tried."),
    next_attempt_at: column.momentOrNull("When it is tried next, or null."),
    created_at: column.moment("When it happened."),
    /** Null once it was removed. */
    body: column.unseen<string | null>(),
    attempts_removed: column.unseen<number>(),
  },
);

/** What is exhausted is little, and has an index of its own. */
export const EXHAUSTED = {
  from: "outbox",
  join: `join events event on event.id = row.event_id ${TOLD}`,
  by: { "next_attempt_at is null": true },
  key: ["event_id"],
};

export const Deliveries = shape({
  attempt: column.integer("Which attempt."),
  started_at: column.moment("When it began."),
  status: column.as(numberOrNull({ description: "The receiver's HTTP status." })),
  error: column.textOrNull("Or why there was none."),
  duration_ms: column.as(numberOrNull({ description: "How long it took; null if nobody heard." })),
});
