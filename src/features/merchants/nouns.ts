// Users, shops and their keys, and the tokens of their people: as they are stored, and as whoever manages the gateway sees them.

import { DIALECTS } from "../../domain/dialect.ts";
import { MEMBER_ROLES } from "../../domain/role.ts";
import { LATE_POLICIES } from "../../domain/transfer.ts";
import { oneOf, Type } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

export const Users = noun(
  { from: "users", missing: "user_not_found" },
  {
    user_id: column.id("The user."),
    name: column.text("What the operator calls them.", "Acme"),
    created_at: column.moment("When it was made."),
  },
);

export const latePolicy = oneOf(LATE_POLICIES, {
  description: "Whether late money is credited or held in suspense for the operator to decide.",
});

export const dialect = oneOf(DIALECTS, {
  description:
    "Which requests it sends: strict is the specification to the letter, family what existing clients send.",
});

export const Shops = noun(
  { from: "shops", missing: "shop_not_found" },
  {
    shop_id: column.id("The shop."),
    user_id: column.uuid("The user whose balance its payments go to."),
    name: column.text("What the operator calls it.", "Acme store"),
    h2h_enabled: column.yesNo("Whether it may ask for details host-to-host."),
    late_policy: column.as(latePolicy),
    nudge_max_kopecks: column.shown(
      Type.Integer({
        description: "How far an amount may be raised to find a free slot; 0 turns it off.",
      }),
      "nudge_max_minor",
      (minor: bigint) => Number(minor),
    ),
    success_url: column.urlOrNull("Where the payer goes after a success."),
    fail_url: column.urlOrNull("Where the page's link back leads until the money came."),
    hook_url: column.urlOrNull("Where webhooks go."),
    title: column.textOrNull("What the payment page calls the shop; else its name."),
    logo_url: column.urlOrNull("The image on the payment page."),
    color: column.textOrNull("The colour of the payment page's buttons."),
    support: column.textOrNull("Whom a payer may ask; the payment page shows it."),
    dialect: column.as(dialect),
    created_at: column.moment("When it was made."),
  },
);

export type ShopRow = RowOf<typeof Shops>;

export const Keys = noun(
  { from: "api_keys", missing: "key_not_found" },
  {
    key_id: column.id("The key; not its secret."),
    shop_id: column.uuidOrNull("The shop that it is of."),
    user_id: column.uuidOrNull("Or the user."),
    created_at: column.moment("When it was made."),
    ends_at: column.momentOrNull("When it ends or ended, or null."),
  },
);

export type KeyRow = RowOf<typeof Keys>;

/** Whose key it is: a shop's or a user's. */
export type KeyOwner = Pick<KeyRow, "shop_id" | "user_id">;

export const memberRole = oneOf(MEMBER_ROLES, {
  description: "What they may do.",
  examples: ["owner"],
});

/** By which a program does what one person may do for one merchant. */
export const MemberTokens = noun(
  { from: "member_tokens", missing: "token_not_found" },
  {
    token_id: column.id("The token; not its secret."),
    person_id: column.unseen<string>(),
    user_id: column.unseen<string>(),
    name: column.text("What it is for.", "Export of the accountant's"),
    created_at: column.moment("When it was made."),
    ends_at: column.momentOrNull("When it runs out, or null."),
    revoked_at: column.momentOrNull("When it was revoked, or null."),
  },
);

export type MemberTokenRow = RowOf<typeof MemberTokens>;
