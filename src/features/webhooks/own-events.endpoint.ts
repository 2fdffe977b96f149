// /cabinet/events: what a merchant's shops were told of invoices, and the merchant of payouts; and telling it once
// more. Guards that what is told of payouts is seen only by who may see payouts.

import type { Queryable } from "../../platform/db.ts";
import { oneOf, periodFields, Type, uuid } from "../../platform/field.ts";
import {
  type Member,
  ofMember,
  ownChange,
  ownList,
  ownShopIds,
  ownView,
  refuseWithout,
} from "../merchants/member.ts";
import { Shops } from "../merchants/nouns.ts";
import { changed } from "../operators/doors.ts";
import type { RowOf } from "../operators/noun.ts";
import { waysToOwnEvents } from "./event-queries.ts";
import { EventStory, sendAgain, storyOf } from "./manage-events.endpoint.ts";
import { Events, eventState, hadAddress } from "./nouns.ts";

const event_id = uuid({ description: "The event." });
const notFound = "The merchant has no such event.";

export const readOwnEvents = ownList({
  path: "/cabinet/events",
  summary: "List what the merchant's shops were told",
  description: "Of invoices, or of payouts where those are asked for; the newest first.",
  right: "look",
  noun: Events,
  filters: {
    ...periodFields,
    about: Type.Optional(
      oneOf(["invoices", "payouts"], { description: "What they are about; invoices." }),
    ),
    shop_id: Type.Optional(uuid({ description: "Events of this shop." })),
    invoice_id: Type.Optional(uuid({ description: "Events of this invoice." })),
    payout_id: Type.Optional(uuid({ description: "Events of this payout." })),
    state: Type.Optional(eventState),
    had_address: Type.Optional(hadAddress),
  },
  notFound: "The merchant has no such shop.",
  async ways({ db }, { about = "invoices", shop_id, ...filter }, member) {
    const isOfPayouts = about === "payouts" || filter.payout_id !== undefined;
    if (isOfPayouts) refuseWithout("balance", member);
    return waysToOwnEvents({
      ...filter,
      about: isOfPayouts ? "payouts" : about,
      userId: member.userId,
      shopIds: await ownShopIds(db, member, shop_id),
    });
  },
});

export const readOwnEvent = ownView({
  path: "/cabinet/events/:event_id",
  summary: "Show an event of the merchant's with its deliveries",
  description: "Its body is exactly what is signed and sent.",
  right: "look",
  input: Type.Object({ event_id }),
  data: EventStory,
  notFound,
  async read({ db }, input, member) {
    return storyOf(db, await findOwnEvent(db, input.event_id, member));
  },
});

export const sendOwnEvent = ownChange({
  path: "/cabinet/events/:event_id/send",
  summary: "Send an event of the merchant's once more",
  description: "A delivered or exhausted event is due again, with the whole schedule before it.",
  right: "resend",
  act: "event.send",
  input: Type.Object({ event_id }),
  data: Events.wire,
  notFound,
  async make(tx, app, input, member) {
    const before = await findOwnEvent(tx, input.event_id, member);
    return changed(Events, before, await sendAgain(tx, app, before));
  },
});

/** A shop's event is its merchant's. */
async function findOwnEvent(
  db: Queryable,
  id: string,
  member: Member,
): Promise<RowOf<typeof Events>> {
  const event = await Events.find(db, id);
  const { user_id, shop_id } = event;
  const owner = shop_id === null ? user_id : (await Shops.find(db, shop_id)).user_id;
  ofMember({ user_id: owner }, member, "event_not_found");
  if (shop_id === null) refuseWithout("balance", member);
  return event;
}
