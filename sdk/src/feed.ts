// The feed as a loop: event after event, and then whatever happens next. Every event brings along where to
// go on after it, so that a program that was stopped anywhere goes on from there.

import type { Api } from "./api.ts";
import { KopeckError } from "./failure.ts";
import type { Wait } from "./retry.ts";
import type { PayoutEvent, WebhookEvent } from "./webhook-event.ts";

export type FeedPage = Api["GET /shops/{shopId}/events"]["data"];
type Query = Omit<Api["GET /shops/{shopId}/events"]["input"], "shopId">;

export interface FeedOptions extends Query {
  /** All shops of the user, and their payouts, instead of the client's one shop; needs userId and userSecret. */
  readonly allShops?: boolean | undefined;
}

/** As the gateway tells it, and what it tells: null where the body was removed. Of a payout its type is 3. */
export type FeedEvent = FeedPage["events"][number] & {
  readonly event: WebhookEvent | PayoutEvent | null;
};

/** As long as the gateway waits at most. */
const WAIT_SECONDS = 25;
/** Who is answered early with nothing, by a gateway that stops, does not ask again at once. */
const REST_MS = 1_000;

/** Without a wait it ends with the feed; else it goes on for ever. */
export async function* readFeed(
  ask: (query: FeedOptions) => Promise<FeedPage>,
  { after, wait = WAIT_SECONDS, ...which }: FeedOptions,
  rest: Wait,
  signal?: AbortSignal,
): AsyncGenerator<FeedEvent, void, undefined> {
  for (let place = after; ; ) {
    const askedAt = performance.now();
    // Asked for once more, because its answer was lost, the end would be a later one: it is not waited at.
    const isAtEnd = place === "end";
    const { events, next, more } = await ask({
      ...which,
      after: place,
      wait: isAtEnd ? 0 : wait,
    });
    for (const one of events) {
      yield { ...one, event: one.body === null ? null : eventIn(one.body) };
      signal?.throwIfAborted();
    }
    place = next;
    if (wait === 0 && !more) return;
    const isEarly = performance.now() - askedAt < (wait * 1000) / 2;
    if (events.length === 0 && isEarly && !isAtEnd) await rest(REST_MS, signal);
  }
}

function eventIn(body: string): WebhookEvent {
  try {
    return JSON.parse(body);
  } catch (cause) {
    const messages = ["An event of the feed cannot be read."];
    throw new KopeckError({ kind: "unreadable", messages, cause });
  }
}
