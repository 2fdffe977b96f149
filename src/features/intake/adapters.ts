// What forwarder apps send, each in its own form, as reports.

import { Refusal } from "../../domain/refusal.ts";
import { isJsonObject, type JsonObject } from "../../platform/body.ts";

export const CHANNELS = ["sms", "push"] as const;
export type Channel = (typeof CHANNELS)[number];

/** One message, as a phone has reported it. */
export interface Report {
  readonly sender: string;
  readonly text: string;
  /** Of a notification; some banks begin in it what the text goes on with. */
  readonly title: string | null;
  /** By the phone's clock. */
  readonly sentAt: Date | null;
  /** Where the report says it; else the source does. */
  readonly channel: Channel | null;
}

interface Adapter {
  readonly channel: Channel;
  /** Whether requests are signed; else they bring a token. */
  readonly signs: boolean;
  /** The messages of a body, and what each of them is; what is no message is undefined. */
  readonly items: (body: JsonObject) => readonly unknown[];
  readonly read: (item: JsonObject) => Report | undefined;
}

const MOST_REPORTS = 200;

/** A list under a name, or the body itself where it is one message; neither is a heartbeat. */
function listOr(body: JsonObject, ...marks: readonly string[]): readonly unknown[] {
  const { messages } = body;
  if (Array.isArray(messages)) return messages;
  return marks.some((mark) => body[mark] !== undefined) ? [body] : [];
}

const ADAPTERS = {
  kopeck: {
    channel: "sms",
    signs: false,
    items: (body) => listOr(body, "sender", "text"),
    read: (item) =>
      report(item["sender"], item["text"], item["sent_at"] ?? item["received_at"], {
        title: item["title"],
        channel: item["channel"],
      }),
  },
  "p2p-processing": {
    channel: "sms",
    signs: false,
    items: (body) => listOr(body, "sender", "message"),
    read: (item) => report(item["sender"], item["message"], item["timestamp"]),
  },
  // Encrypted payloads are not read: the body is what counts.
  ownpay: {
    channel: "sms",
    signs: false,
    items: (body) => listOr(body),
    read: (item) => report(item["sender"], item["body"], item["received_at"]),
  },
  device: {
    channel: "push",
    signs: false,
    items: (body) => listOr(body, "packageName", "content"),
    read: (item) =>
      report(item["packageName"], item["content"], item["timestamp"], { title: item["title"] }),
  },
  "sms-gateway": {
    channel: "sms",
    signs: true,
    // Its pings and whatever else it tells are heartbeats.
    items: (body) => (body["event"] === "sms:received" ? [body["payload"]] : []),
    read: (item) =>
      report(item["sender"] ?? item["phoneNumber"], item["message"], item["receivedAt"]),
  },
  "income-sms-webhook": {
    channel: "sms",
    signs: false,
    items: (body) => listOr(body, "from", "text"),
    read: (item) => report(item["from"], item["text"], item["sentStamp"] ?? item["receivedStamp"]),
  },
  "sms-forwarder": {
    channel: "sms",
    signs: false,
    items: (body) => listOr(body, "from", "content"),
    read: (item) => report(item["from"], item["content"], item["timestamp"]),
  },
} as const satisfies Readonly<Record<string, Adapter>>;

type AdapterName = keyof typeof ADAPTERS;

export const ADAPTER_NAMES = Object.keys(ADAPTERS) as AdapterName[];

export function adapterOf(name: AdapterName): Adapter {
  return ADAPTERS[name];
}

/** In the order of the body; undefined for what is no message. */
export function readReports(name: AdapterName, body: JsonObject): (Report | undefined)[] {
  const { items, read } = adapterOf(name);
  const found = items(body);
  if (found.length > MOST_REPORTS) throw new Refusal("too_many_messages");
  return found.map((item) => (isJsonObject(item) ? read(item) : undefined));
}

const LONGEST_SENDER = 255;
/** No bank's is longer, nor is its whole message: nothing of such a one is read or kept. */
const LONGEST_TITLE = 1_000;

function report(
  sender: unknown,
  text: unknown,
  stamp: unknown,
  more: { readonly title?: unknown; readonly channel?: unknown } = {},
): Report | undefined {
  const { channel } = more;
  const [words, heading] = [wordsOf(text), wordsOf(more.title)];
  if (!isCleanText(sender) || words === undefined) return undefined;
  if (sender.trim() === "" || sender.length > LONGEST_SENDER) return undefined;
  const said = CHANNELS.find((one) => one === channel) ?? null;
  const title = heading && heading.length <= LONGEST_TITLE ? heading : null;
  return { sender: sender.trim(), text: words, title, sentAt: momentOf(stamp), channel: said };
}

function isCleanText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0") && value.isWellFormed();
}

/** A phone that cuts a payer's emoji in two, or that has a sign it cannot write, has read the bank's words all the same. */
function wordsOf(value: unknown): string | undefined {
  return typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : undefined;
}

/** Below this a number counts seconds: in milliseconds it would be 1973. */
const FIRST_MILLISECONDS = 1e11;
const FARTHEST = Date.parse("9999-12-31T00:00:00Z");

/** ISO 8601, seconds or milliseconds since 1970, also as a text; null for anything else. */
function momentOf(stamp: unknown): Date | null {
  const isCount = typeof stamp === "number" || /^\d{9,16}$/.test(String(stamp));
  const count = Number(stamp);
  const time = isCount
    ? count * (count < FIRST_MILLISECONDS ? 1000 : 1)
    : typeof stamp === "string"
      ? Date.parse(stamp)
      : Number.NaN;
  return Math.abs(time) < FARTHEST ? new Date(time) : null;
}
