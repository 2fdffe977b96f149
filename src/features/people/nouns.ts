// People who sign in, their passkeys and sessions: as they are stored, and as they are shown.

import { oneOf } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

export const DESK_ROLES = ["viewer", "cashier", "operator"] as const;
export type DeskRole = (typeof DESK_ROLES)[number];

export const language = oneOf(["en", "ru"], {
  description: "What pages speak to them.",
  examples: ["ru"],
});

const deskRoleOrNull = oneOf(DESK_ROLES, { description: "What they are at the desk, or null." });

export const People = noun(
  { from: "people", missing: "person_not_found" },
  {
    person_id: column.id("The person."),
    email: column.text("What they sign in with; in lower case.", "anna@example.com"),
    name: column.text("What to call them.", "Anna"),
    language: column.as(language),
    desk_role: column.shown(
      { ...deskRoleOrNull, type: ["string", "null"], enum: [...DESK_ROLES, null] },
      undefined,
      (role: DeskRole | null) => role,
    ),
    created_at: column.moment("When they were added."),
    disabled_at: column.momentOrNull("Since when they cannot sign in, or null."),
    has_keys: column.unseen<boolean>(),
    password: column.unseen<string | null>(),
    totp_sealed: column.unseen<Buffer | null>(),
    totp_last_step: column.unseen<bigint>(),
    failures: column.unseen<number>(),
    blocked_until: column.unseen<Date | null>(),
  },
);

export type PersonRow = RowOf<typeof People>;

export interface PasskeyRow {
  readonly id: string;
  readonly person_id: string;
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  readonly algorithm: number;
  readonly sign_count: bigint;
  readonly name: string;
  readonly created_at: Date;
  readonly used_at: Date | null;
}

export interface SessionRow {
  readonly id: string;
  readonly person_id: string;
  readonly digest: Buffer;
  readonly user_id: string | null;
  /** The merchant whose cabinet an operator sees as its people do, and until when. */
  readonly looks_at: string | null;
  readonly looks_until: Date | null;
  readonly address: string;
  readonly agent: string;
  readonly created_at: Date;
  readonly seen_at: Date;
  readonly proven_at: Date;
  readonly ends_at: Date;
  readonly ended_at: Date | null;
}
