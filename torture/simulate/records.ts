// What the world knows of everybody and everything in a history: sums in whole kopecks, moments in
// milliseconds.

export type Service = "p2p_card" | "p2p_sbp";
export type Bank = "sber" | "tinkoff";

export interface Key {
  /** Unknown where the answer that held it was lost. */
  readonly secret: string | undefined;
  endsAt: number;
}

export interface User {
  readonly id: string;
  readonly secret: string;
  available: number;
  frozen: number;
}

export interface Terms {
  percentPpm: number;
  userPercentPpm: number;
  fix: number;
  enabled: boolean;
}

export interface Shop {
  readonly id: string;
  readonly user: User;
  readonly hookUrl: string | null;
  readonly nudgeMax: number;
  webhookKey: string;
  webhookSecret: string;
  latePolicy: "credit" | "hold";
  keys: Key[];
  readonly tariffs: Readonly<Record<Service, Terms>>;
}

export interface Requisite {
  readonly id: string;
  readonly bank: Bank;
  readonly card: string;
  readonly phone: string | null;
  enabled: boolean;
  readonly maxLive: number;
  readonly maxDay: number;
  readonly maxDaySum: number;
  live: number;
  day: string;
  dayCount: number;
  daySum: number;
  lastUsedMs: number;
  /** What the bank holds there, by the transfers that came and went. */
  held: number;
}

export interface Invoice {
  readonly id: string;
  readonly shop: Shop;
  readonly orderId: string;
  readonly content: string;
  readonly answer: string;
  readonly amount: number;
  readonly service: Service;
  /** Host to host, or on the gateway's own page. */
  readonly type: "direct" | "link";
  readonly expiresAt: number;
  state: "created" | "pending" | "paid" | "expired" | "refunded";
  readonly payments: Payment[];
  readonly events: Told[];
}

export interface Payment {
  /** Learned from the books: the payer is not told. */
  id: string;
  readonly invoice: Invoice;
  readonly requisite: Requisite;
  readonly toPay: number;
  readonly fee: number;
  readonly payerFee: number;
  readonly nudge: number;
  readonly day: string;
  readonly issuedAt: number;
  readonly endsAt: number;
  /** Until then nobody else is given its requisite and amount. */
  slotUntil: number;
  readonly answer: string;
  state: "live" | "paid" | "lapsed";
  late: boolean | null;
  received: number | null;
  credited: number | null;
  refunded: number;
}

export interface Transfer {
  readonly id: string;
  readonly requisite: Requisite;
  readonly reference: string;
  readonly amount: number;
  /** When the gateway heard of it: nothing else is told of its moment here. */
  readonly toldAt: number;
  state: "matched" | "suspense" | "returned";
  payment: Payment | null;
}

/** What a shop must have been told, with what the body must say. */
interface Told {
  readonly sequence: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Freeze {
  readonly payment: Payment;
  readonly until: number;
  releasedAt: number | null;
}

export interface Chosen {
  readonly requisite: Requisite;
  readonly toPay: number;
  readonly nudge: number;
  readonly fee: number;
  readonly payerFee: number;
}

export function isPayment(details: "refused" | Payment | Chosen): details is Payment {
  return details !== "refused" && "invoice" in details;
}

export interface Refund {
  readonly payment: Payment;
  readonly amount: number;
  /** By which it can be asked for again. */
  readonly reference: string | undefined;
  /** The first, and every later one. */
  readonly answer?: string;
}
