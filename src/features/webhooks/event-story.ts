// One event with every attempt to tell it, and telling it once more: the same for whoever asks.

import type { Static } from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { Type, textOrNull } from "../../platform/field.ts";
import type { RowOf } from "../operators/noun.ts";
import { deliveriesOf } from "./event-queries.ts";
import { resendEvents } from "./events.ts";
import { Deliveries, Events } from "./nouns.ts";

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
