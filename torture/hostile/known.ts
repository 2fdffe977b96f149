// What the gateway's answers have told so far: ids to ask for again, money to send, links to open. This
// is how a request that nobody has harmed gets through to the depths.

import type { Random } from "../random.ts";
import type { Operation } from "./operations.ts";

export interface Details {
  readonly wallet: string;
  readonly amount: number;
}

export interface KnownInvoice {
  readonly id: string;
  readonly shopId: string;
}

/** The newest are kept: what was paid or closed long ago teaches nothing. */
const KEPT = 60;

/** What is made by these is the run's own, so a request may change or end it. */
const MAKERS: Readonly<Record<string, string>> = {
  "POST /manage/operators": "operator_id",
  "POST /manage/users": "user_id",
  "POST /manage/shops": "shop_id",
  "POST /manage/keys": "key_id",
  "POST /manage/requisites": "requisite_id",
};

type Data = Readonly<Record<string, unknown>>;

export class Known {
  readonly #ids = new Map<string, string[]>();
  readonly direct: KnownInvoice[] = [];
  readonly links: string[] = [];
  readonly details: Details[] = [];
  #next = 0;

  /** A number that no other request of this run has. */
  unique(): number {
    this.#next += 1;
    return this.#next;
  }

  /** A known id by its field's name; "own user_id" for what the run itself has made. */
  id(name: string, random: Random): string | undefined {
    const all = this.#ids.get(name) ?? [];
    return all.length === 0 ? undefined : random.pick(all);
  }

  /** Uses it up: suspense that is assigned, money that is sent. */
  take(name: string, random: Random): string | undefined {
    const all = this.#ids.get(name) ?? [];
    return all.splice(random.below(all.length), 1)[0];
  }

  add(name: string, id: string): void {
    const all = this.#ids.get(name) ?? [];
    this.#ids.set(name, all);
    if (!all.includes(id)) keep(all, id);
  }

  #forget(name: string, id: string): void {
    const all = this.#ids.get(name) ?? [];
    if (all.includes(id)) all.splice(all.indexOf(id), 1);
  }

  /** What a request that was answered 200 leaves behind. */
  learn({ name }: Operation, sent: Data, data: unknown): void {
    this.#walk(data);
    const record = isRecord(data) ? data : {};
    const own = MAKERS[name];
    const [maker] = own === undefined ? [] : findAll(data, own);
    if (own !== undefined && maker !== undefined) this.add(`own ${own}`, maker);
    if (name === "POST /manage/tariffs" && typeof sent["shop_id"] === "string") {
      this.add("own tariff", sent["shop_id"]);
    }
    if (typeof record["next"] === "string") this.add(`after ${name}`, record["next"]);
    if (name === "POST /invoice/create" && typeof record["id"] === "string") {
      const { id } = record;
      if (sent["type"] === "link") keep(this.links, id);
      else keep(this.direct, { id, shopId: String(sent["shop_id"]) });
    }
    if (name === "POST /invoice/h2h" && typeof record["wallet"] === "string") {
      keep(this.details, { wallet: record["wallet"], amount: Number(record["amount"]) });
    }
  }

  #walk(data: unknown): void {
    if (Array.isArray(data)) for (const one of data) this.#walk(one);
    if (!isRecord(data)) return;
    for (const [name, value] of Object.entries(data)) {
      if (typeof value === "string" && name.endsWith("_id")) this.add(name, value);
      else if (typeof value === "object") this.#walk(value);
    }
    const { transfer_id: transferId, state, invoice_id: invoiceId } = data;
    if (typeof transferId === "string" && state === "suspense") this.add("suspense", transferId);
    if (state === "matched" && typeof invoiceId === "string") this.add("paid", invoiceId);
    const { payment_id: paymentId } = data;
    if (typeof paymentId !== "string") return;
    if (state === "live" || state === "lapsed") this.add("payable", paymentId);
    if (state === "paid" || state === "matched") this.#forget("payable", paymentId);
  }
}

function keep<One>(all: One[], one: One): void {
  all.push(one);
  if (all.length > KEPT) all.shift();
}

function isRecord(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findAll(data: unknown, name: string): string[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) =>
    key === name && typeof value === "string" ? [value] : findAll(value, name),
  );
}
