// What the shops were told: by the books, by the receivers, and by what the model says must have
// happened. Guards that no event is lost, changed, numbered wrongly, sent too early or settled by an
// attempt that is not its newest (invariants 18 to 21).

import { createHmac } from "node:crypto";
import type { Books, EventRow } from "./books.ts";
import type { Model } from "./model.ts";
import type { Network, Post } from "./network.ts";
import type { Invoice, Shop } from "./records.ts";

const LONGEST_ROUND = 10;
const SOONEST_RETRY_MS = 5_000;

interface Known {
  readonly body: string;
  state: EventRow["state"];
  attempts: number;
  /** Attempts before it was last sent again. */
  before: number;
  /** Posts of this round, the newest last. */
  posts: Post[];
  /** Whether the newest answer must have been written down. */
  counts: boolean;
}

export class ToldShops {
  readonly #known = new Map<string, Known>();
  #seenPosts = 0;

  /** The operator had it sent again. */
  sentAgain(id: string): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    known.before = known.attempts;
    known.posts = [];
    known.counts = true;
    known.state = "waiting";
  }

  idsIn(state: EventRow["state"]): string[] {
    return [...this.#known].filter(([, known]) => known.state === state).map(([id]) => id);
  }

  /** Uncertain: a process died or a statement failed while events were on their way. */
  problems(model: Model, books: Books, network: Network, uncertain: boolean): string[] {
    const problems = model.invoices.flatMap((invoice) => missing(invoice, books));
    const invoices = new Map(model.invoices.map((invoice) => [invoice.id, invoice]));
    const fresh = network.posts.slice(this.#seenPosts);
    this.#seenPosts = network.posts.length;
    for (const event of books.events) {
      const invoice = invoices.get(event.invoice);
      if (invoice === undefined) problems.push(`event ${event.id} is of no invoice that exists`);
      else if (!this.#known.has(event.id)) problems.push(...contentProblems(event, invoice));
      problems.push(...this.#follow(event, invoice?.shop, fresh, uncertain));
    }
    const stored = new Set(books.events.map(({ id }) => id));
    for (const id of this.#known.keys()) {
      if (!stored.has(id)) problems.push(`event ${id} has disappeared`);
    }
    for (const { eventId } of fresh) {
      if (!stored.has(eventId)) problems.push(`a shop was told of ${eventId}, which is not there`);
    }
    return problems;
  }

  #follow(
    event: EventRow,
    shop: Shop | undefined,
    fresh: readonly Post[],
    uncertain: boolean,
  ): string[] {
    const { id, body, state, attempts } = event;
    const known = this.#known.get(id) ?? newlyKnown(event);
    this.#known.set(id, known);
    const problems: string[] = [];
    if (known.body !== body) problems.push(`the body of event ${id} has changed`);
    const own = fresh.filter(({ eventId }) => eventId === id);
    for (const post of own) {
      const last = known.posts.at(-1);
      problems.push(...postProblems(post, body, shop));
      if (known.state !== "waiting" && known.posts.length > 0) {
        problems.push(`event ${id} was sent though it was ${known.state}`);
      }
      if (last !== undefined && post.atMs - last.atMs < SOONEST_RETRY_MS) {
        problems.push(`event ${id} was sent twice within ${post.atMs - last.atMs} ms`);
      }
      known.posts.push(post);
      known.counts = true;
    }
    const tries = attempts - known.attempts;
    if (uncertain ? tries < own.length : tries !== own.length) {
      problems.push(`event ${id}: ${own.length} attempts went out, ${tries} were written down`);
    }
    known.attempts = attempts;
    problems.push(...stateProblems(event, known, uncertain));
    known.state = state;
    return problems;
  }
}

function newlyKnown({ body, state }: EventRow): Known {
  return { body, state, attempts: 0, before: 0, posts: [], counts: true };
}

/** Every change of state has its event, numbered in their order. */
function missing(invoice: Invoice, books: Books): string[] {
  const sequences = books.events
    .filter((event) => event.invoice === invoice.id)
    .map(({ sequence }) => sequence);
  const wanted = invoice.events.map(({ sequence }) => sequence);
  return String(sequences) === String(wanted)
    ? []
    : [`invoice ${invoice.id} has the events ${sequences} instead of ${wanted}`];
}

function contentProblems(event: EventRow, invoice: Invoice): string[] {
  const told = invoice.events.find(({ sequence }) => sequence === event.sequence);
  const body: Record<string, unknown> = JSON.parse(event.body);
  const wrong = Object.entries({ ...told?.fields, event_id: event.id }).filter(
    ([name, value]) => body[name] !== value,
  );
  return wrong.map(
    ([name, value]) => `event ${event.id} says ${name} ${body[name]} instead of ${value}`,
  );
}

function postProblems({ eventId, sent }: Post, body: string, shop: Shop | undefined): string[] {
  const { webhookKey = "", webhookSecret = "" } = shop ?? {};
  const signed = createHmac("sha256", webhookKey).update(sent.body).digest("hex");
  const standard = createHmac("sha256", Buffer.from(webhookSecret.slice("whsec_".length), "base64"))
    .update(`${sent.headers["webhook-id"]}.${sent.headers["webhook-timestamp"]}.${sent.body}`)
    .digest("base64");
  const isSigned =
    sent.headers["x-api-sha256-signature"] === signed &&
    sent.headers["webhook-signature"] === `v1,${standard}`;
  return [
    ...(sent.body === body ? [] : [`event ${eventId} was sent with another body`]),
    ...(isSigned ? [] : [`event ${eventId} was sent with a wrong signature`]),
  ];
}

/** Only the newest attempt's answer counts, and it does unless it could not be written. */
function stateProblems({ id, state }: EventRow, known: Known, uncertain: boolean): string[] {
  if (state === "no_address") return [];
  const due = known.counts ? dueState(known) : known.state;
  if (state === due) return [];
  known.counts = false;
  return uncertain && state === known.state ? [] : [`event ${id} is ${state} instead of ${due}`];
}

function dueState({ posts, attempts, before }: Known): EventRow["state"] {
  const newest = posts.at(-1)?.answer;
  if (newest === undefined) return "waiting";
  if (newest === 200) return "delivered";
  return newest === 410 || attempts - before >= LONGEST_ROUND ? "exhausted" : "waiting";
}
