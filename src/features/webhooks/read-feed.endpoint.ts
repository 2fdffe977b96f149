// GET /shops/{shopId}/events and GET /account/users/{userId}/events: everything that webhooks tell, for whose
// receiver was away, or who rather asks. Guards that who goes on from `next` misses nothing and hears nothing
// twice, whatever was committed when.

import { hash } from "node:crypto";
import type { Static } from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import type { Queryable } from "../../platform/db.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { integer, moment, Type, text, textOrNull, uuid } from "../../platform/field.ts";
import { shopGate, userGate } from "../merchants/principal.ts";
import { endOfFeed, eventsAfter, type FeedOwner, placeBefore } from "./event-queries.ts";
import { waitingForEvents } from "./stamp-events.job.ts";

/** Signed, as the database's own: whoever makes a cursor up names no place that it could not read. */
const POSITION_BYTES = 8;
const DIGEST_BYTES = 6;

function cursorOf(owner: FeedOwner, position: bigint): string {
  const bytes = Buffer.alloc(POSITION_BYTES + DIGEST_BYTES);
  bytes.writeBigInt64BE(position);
  hash("sha256", `${owner.kind} ${owner.id} ${position}`, "buffer").copy(bytes, POSITION_BYTES);
  return bytes.toString("base64url");
}

function positionOf(owner: FeedOwner, cursor: string): bigint {
  const bytes = Buffer.from(cursor, "base64url");
  const position =
    bytes.length === POSITION_BYTES + DIGEST_BYTES ? bytes.readBigInt64BE() : undefined;
  if (position === undefined || cursorOf(owner, position) !== cursor) {
    throw new Refusal("not_a_cursor_of_this_feed");
  }
  return position;
}

export interface FeedWish {
  readonly after?: string | undefined;
  readonly since?: string | undefined;
  readonly limit?: number | undefined;
}

/** What `after` says to go on from the feed's present end. */
const END = "end";

const DEFAULT_LIMIT = 100;

export async function pageOfFeed(db: Queryable, owner: FeedOwner, wish: FeedWish) {
  const { limit = DEFAULT_LIMIT } = wish;
  const start = await startOf(db, owner, wish);
  // One more than is told: whether there is more.
  const rows = await eventsAfter(db, owner, start, limit + 1);
  const events = rows.slice(0, limit).map(({ position, id, created_at, ...row }) => ({
    event_id: id,
    shop_id: row.shop_id,
    invoice_id: row.invoice_id,
    payout_id: row.payout_id,
    sequence: row.sequence,
    created_at: created_at.toISOString(),
    body: row.body,
    cursor: cursorOf(owner, position),
  }));
  const next = events.at(-1)?.cursor ?? cursorOf(owner, start);
  return { events, next, more: rows.length > limit };
}

async function startOf(db: Queryable, owner: FeedOwner, { after, since }: FeedWish) {
  if (after !== undefined && after !== END) return positionOf(owner, after);
  if (after === undefined && since === undefined) return 0n;
  // Before the other look: what gets a position between the two is found there, or comes after this.
  const end = await endOfFeed(db, owner);
  if (after === END || since === undefined) return end;
  return (await placeBefore(db, owner, new Date(since))) ?? end;
}

const MAX_LIMIT = 500;
/** Shorter than what a proxy usually waits for an answer. */
const MAX_WAIT_SECONDS = 25;

const fields = {
  after: Type.Optional(
    text(
      { max: 64 },
      {
        description: `Go on after this: the \`next\` of the answer before, or an event's \`cursor\`. \`${END}\` leaves out everything that is there already; left out, the feed begins with its oldest event.`,
        examples: [END],
      },
    ),
  ),
  since: Type.Optional(
    moment({
      description: "Where to begin without `after`: with what happened at this moment (ISO 8601).",
    }),
  ),
  limit: Type.Optional(
    integer({ min: 1, max: MAX_LIMIT }, { description: "Events of an answer at most; 100." }),
  ),
  wait: Type.Optional(
    integer(
      { min: 0, max: MAX_WAIT_SECONDS },
      { description: "How many seconds to wait for an event where there is none yet; 0." },
    ),
  ),
};

const INVOICE = "019ca8a0-4268-7000-b8ee-e80d5af1fef1";
const EVENT = "019ca8a0-4a38-7000-a9d1-6c2f0b7de311";
const CURSOR = "AAAAAAAAAAK5hU-vv6c";

const data = Type.Object({
  events: Type.Array(
    Type.Object({
      event_id: uuid({ description: "The event; webhook-id of its webhook.", examples: [EVENT] }),
      shop_id: textOrNull(
        {
          description: "The shop that is told; null where the user is told of a payout.",
          examples: ["00000000-0000-4000-8000-000000000002"],
        },
        "uuid",
      ),
      invoice_id: textOrNull(
        { description: "The invoice that it is about, or null.", examples: [INVOICE] },
        "uuid",
      ),
      payout_id: textOrNull(
        { description: "The payout that it is about, or null.", examples: [null] },
        "uuid",
      ),
      sequence: Type.Integer({
        description: "1, 2, … for each invoice and each payout.",
        examples: [1],
      }),
      created_at: Type.String({
        format: "date-time",
        description: "When it happened.",
        examples: ["2026-03-01T09:00:04.000Z"],
      }),
      body: textOrNull({
        description:
          "Exactly what the webhook says: a JSON text. Null once it was removed, long after it was delivered.",
        examples: [`{"amount":"1000.00","event_id":"${EVENT}","invoice_id":"${INVOICE}"}`],
      }),
      cursor: Type.String({
        description: "What `after` takes to go on after this event.",
        examples: [CURSOR],
      }),
    }),
    {
      description:
        "The oldest first; those of an invoice or a payout in the order of their sequence.",
    },
  ),
  next: Type.String({
    description: "What `after` takes to go on; there is always one.",
    examples: [CURSOR],
  }),
  more: Type.Boolean({ description: "Whether there is more already.", examples: [false] }),
});

/** Where nothing is there yet and the caller has time, it is asked again from the same place. */
async function askAgain<Input extends { readonly wait?: number | undefined }>(
  app: Parameters<typeof waitingForEvents>[0],
  owner: FeedOwner,
  input: Input,
  { events, next }: Static<typeof data>,
  gone: AbortSignal,
): Promise<Input | undefined> {
  const { wait = 0 } = input;
  if (wait === 0 || events.length > 0) return undefined;
  await waitingForEvents(app).until(owner, positionOf(owner, next), wait, gone);
  return { ...input, after: next };
}

const DESCRIPTION =
  "Everything that webhooks tell, the oldest first, also what had no address to go to. Keep `next`, and go on from there: nothing is skipped and nothing comes twice.";

const shopOwner = ({ id }: { id: string }): FeedOwner => ({ kind: "shop", id });
const userOwner = ({ id }: { id: string }): FeedOwner => ({ kind: "user", id });

export const readShopEvents = endpoint({
  method: "GET",
  path: "/shops/:shopId/events",
  summary: "Events of a shop",
  description: DESCRIPTION,
  gate: shopGate,
  identifier: "shopId",
  input: Type.Object({
    shopId: uuid({
      description: "The shop; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000002"],
    }),
    ...fields,
  }),
  data,
  problems: "first",
  handle: ({ db }, { principal, input }) => pageOfFeed(db, shopOwner(principal), input),
  askAgain: (app, { principal, input }, answer, gone) =>
    askAgain(app, shopOwner(principal), input, answer, gone),
});

export const readUserEvents = endpoint({
  method: "GET",
  path: "/account/users/:userId/events",
  summary: "Events of a user",
  description: `Of all their shops and of their payouts. ${DESCRIPTION}`,
  gate: userGate,
  identifier: "userId",
  input: Type.Object({
    userId: uuid({
      description: "The user; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000001"],
    }),
    ...fields,
  }),
  data,
  problems: "first",
  handle: ({ db }, { principal, input }) => pageOfFeed(db, userOwner(principal), input),
  askAgain: (app, { principal, input }, answer, gone) =>
    askAgain(app, userOwner(principal), input, answer, gone),
});
