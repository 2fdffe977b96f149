// /cabinet/me and /cabinet/shops: whose token it is and what it may do, the merchant's shops, and what of a shop
// its merchant sets; /cabinet/audit: what the merchant's people have changed.

import { RIGHTS, type Right, rightsOf } from "../../domain/role.ts";
import { oneOf, periodFields, Type, text, uuid } from "../../platform/field.ts";
import { changed } from "../operators/doors.ts";
import { Audits } from "../operators/nouns.ts";
import { clear, ownSettings, withSettings } from "./manage-shops.endpoint.ts";
import { findOwnShop, lockOwnShop, ownChange, ownList, ownView } from "./member.ts";
import { memberRole, Shops, Users } from "./nouns.ts";
import { updateShop } from "./queries.ts";

export const readOwnMember = ownView({
  path: "/cabinet/me",
  summary: "Whose token this is",
  description: "The person and the merchant that the token belongs to, and what it may do.",
  right: "look",
  input: Type.Object({}),
  data: Type.Object({
    person: Type.Object({
      person_id: uuid({ description: "The person." }),
      name: Type.String({ description: "What they are called.", examples: ["Anna"] }),
    }),
    merchant: Users.wire,
    role: memberRole,
    rights: Type.Array(
      oneOf(Object.keys(RIGHTS) as Right[], { description: "One of them.", examples: ["look"] }),
      { description: "What the role may do." },
    ),
    time_zone: Type.String({
      description: "The service's time zone, for whoever shows moments.",
      examples: ["Europe/Moscow"],
    }),
  }),
  async read({ db, config }, _input, { personId, name, userId, role }) {
    return {
      person: { person_id: personId, name },
      merchant: Users.toWire(await Users.find(db, userId)),
      role,
      rights: rightsOf(role),
      time_zone: config.timeZone,
    };
  },
});

export const readOwnShops = ownList({
  path: "/cabinet/shops",
  summary: "List the merchant's shops",
  description: "The newest first.",
  right: "look",
  noun: Shops,
  filters: {},
  ways: (_app, _input, { userId }) => ({ leads: { user_id: userId } }),
});

const shop_id = uuid({
  description: "The shop.",
  examples: ["00000000-0000-4000-8000-000000000002"],
});

const notFound = "The merchant has no such shop.";

export const readOwnShop = ownView({
  path: "/cabinet/shops/:shop_id",
  summary: "Show one of the merchant's shops",
  description: "With all of its settings, and none of its secrets.",
  right: "look",
  input: Type.Object({ shop_id }),
  data: Shops.wire,
  notFound,
  async read({ db }, input, member) {
    return Shops.toWire(await findOwnShop(db, input.shop_id, member));
  },
});

export const changeOwnShop = ownChange({
  path: "/cabinet/shops/:shop_id",
  summary: "Change one of the merchant's shops",
  description:
    "What is left out stays as it is; `clear` names settings to forget. What the shop may do and what it costs is the operator's to set.",
  right: "settings",
  act: "shop.update",
  input: Type.Object({ shop_id, ...ownSettings, clear }),
  data: Shops.wire,
  notFound,
  async make(tx, _app, { shop_id: id, ...wanted }, member) {
    const row = await lockOwnShop(tx, id, member);
    const next = withSettings(row, wanted);
    await updateShop(tx, next);
    return changed(Shops, row, next);
  },
});

export const readOwnAuditLog = ownList({
  path: "/cabinet/audit",
  summary: "What the merchant's people have changed",
  description:
    "One row for each change, none for a refused one; and one for each time that an operator looked at the cabinet as its people see it. The newest first.",
  right: "people",
  noun: Audits,
  filters: {
    ...periodFields,
    subject: Type.Optional(text({ max: 255 }, { description: "The id of what was changed." })),
    act: Type.Optional(text({ max: 64 }, { description: "shop.update, for example." })),
  },
  ways: (_app, { subject, act }, { userId }) => ({
    leads: { user_id: userId },
    filters: { subject, act },
  }),
});
