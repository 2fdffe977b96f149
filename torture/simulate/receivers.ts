// The receivers of the shops' webhooks, without a socket: each answers as its mood is, and holds what it
// hears against what its shop must be told. Guards that every attempt goes where the shop is now, with one
// body for one event and the right signatures, that nobody is told again who has said yes, and nothing twice
// at once.

import { createHmac } from "node:crypto";
import type { Outgoing, PostOptions } from "../../src/platform/outgoing.ts";
import { decimal, type Invoice, type Model, mayHaveExpired, type Shop } from "./model.ts";

/** The first pause is five seconds, and two clocks may be nearly four apart. */
const SOONEST_AGAIN_MS = 1_000;

interface Heard {
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a shop hears is checked field by field.
  readonly told: any;
  lastAt: number;
  /** Whether the receiver has said yes. */
  isDone: boolean;
  /** What was said may not have been written down. */
  isUncertain: boolean;
}

export class Receivers {
  readonly heard = new Map<string, Heard>();
  readonly problems: string[] = [];
  /** By host: what it answers; nothing while it hangs. All others are well. */
  readonly moods = new Map<string, number | undefined>();
  readonly outgoing: Outgoing;
  repeated = 0;
  #hanging: ((status: number) => void)[] = [];

  constructor(model: Model, now: () => number) {
    this.outgoing = {
      post: async (url, sent) => {
        const heard = this.#hear(model, url, sent, now());
        const { host } = new URL(url);
        const mood = this.moods.has(host) ? this.moods.get(host) : 200;
        const hang = () => new Promise<number>((resolve) => this.#hanging.push(resolve));
        const status = mood ?? (await hang());
        if (status === 200) Object.assign(heard, { isDone: true, isUncertain: false });
        return { status, durationMs: 1 };
      },
      close() {},
    };
  }

  /** Answers everything that hangs. */
  release(status: number): number {
    const waiting = this.#hanging.splice(0);
    for (const resolve of waiting) resolve(status);
    return waiting.length;
  }

  #hear(model: Model, url: string, sent: PostOptions, now: number): Heard {
    const id = sent.headers["webhook-id"] ?? "";
    const known = this.heard.get(id);
    const told = JSON.parse(sent.body);
    const fresh = { body: sent.body, told, lastAt: 0, isDone: false, isUncertain: false };
    const heard = known ?? fresh;
    this.heard.set(id, heard);
    const invoice = model.invoices.find((one) => one.id === told.invoice_id);
    const right = invoice?.content["hook_url"] ?? invoice?.shop.hook_url;
    const isAgain = known !== undefined && now - heard.lastAt < SOONEST_AGAIN_MS;
    const wrong = [
      url !== right && `went to ${url.slice(0, 60)} instead of ${String(right).slice(0, 60)}`,
      invoice && !isSigned(sent, invoice.shop.webhookKeys) && "has a wrong signature",
      told.event_id !== id && "is told under another id",
      heard.body !== sent.body && "was told with another body",
      heard.isDone && !heard.isUncertain && "was told again though its receiver had said yes",
      isAgain && "was told twice at once",
    ];
    this.problems.push(...wrong.flatMap((one) => (one ? [`event ${id} ${one}`] : [])));
    if (known !== undefined) this.repeated += 1;
    heard.lastAt = now;
    return heard;
  }

  /** What a shop has heard of an invoice, in the order of its numbers: where it differs from its story. */
  storyProblem(invoice: Invoice, now: number, isOver: boolean): string | undefined {
    const { id, amount, content, mustExpire } = invoice;
    const heard = [...this.heard.values()]
      .map(({ told }) => told)
      .filter(({ invoice_id }) => invoice_id === id)
      .toSorted((left, right) => left.sequence - right.sequence);
    const hasExpired = heard.some(({ status, sequence }) => {
      return status === "expired" || (status === "success" && sequence === 2);
    });
    if (hasExpired && !mayHaveExpired(invoice, now)) return `${id} was told as expired`;
    const expired = { status: "expired", type: 1, code: 31 };
    const story = mustExpire || hasExpired ? [expired, ...invoice.story] : invoice.story;
    if (isOver && heard.length !== story.length) {
      return `${id} was told ${heard.length} facts instead of ${story.length}`;
    }
    for (const told of heard) {
      const { order_id } = content;
      const own = {
        amount: decimal(amount),
        currency: "RUB",
        order_id,
        ...story[told.sequence - 1],
      };
      const wrong = Object.entries(own).find(([name, value]) => told[name] !== value);
      if (!("status" in own) || wrong)
        return `${id} was told ${JSON.stringify(told)}, not ${wrong}`;
    }
    return undefined;
  }
}

function isSigned({ headers, body }: PostOptions, keys: Shop["webhookKeys"]): boolean {
  const own = createHmac("sha256", keys.webhook_key).update(body).digest("hex");
  const secret = Buffer.from(keys.webhook_secret.slice("whsec_".length), "base64");
  const standard = createHmac("sha256", secret)
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
    .digest("base64");
  return (
    headers["x-api-sha256-signature"] === own && headers["webhook-signature"] === `v1,${standard}`
  );
}
