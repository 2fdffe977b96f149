// What the world itself knows, outside of the database: who was told which details, which money was paid
// when, and what must follow from it by the rules of docs/money.md. In whole kopecks and milliseconds;
// settings as the operator's doors name them. Where only a job's run or two clocks within their tolerance
// decide, it says what surely and what perhaps holds.

export type Service = "p2p_card" | "p2p_sbp";

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const DETAILS_MS = 20 * 60_000;
/** Moscow's, all year round. */
const ZONE_MS = 3 * HOUR_MS;
/** A machine's clock may be two seconds off; so far two of them can be apart. */
export const CLOCKS_MS = 4_000;
/** A bank's clock may be so far off. */
const BANKS_CLOCK_MS = 5 * 60_000;
/** So many kopecks to either side a slip may go, and so far amounts are raised. */
export const NEAR = 99;
const MAX_DETAILS = { direct: 20, link: 6 } as const;
/** In percent, narrower than an operator's, so that histories meet them. */
export const SHARES = { shop: 6, user: 9, payer: 3 };

export interface User {
  readonly id: string;
  readonly secret: string;
}

export interface Terms {
  readonly shop_percent: number;
  readonly user_percent: number;
  readonly fix: number;
  readonly min_sum: number;
  readonly max_sum: number;
  readonly enabled: boolean;
}

export interface Shop {
  readonly id: string;
  readonly user: User;
  readonly tariffs: Record<string, Terms>;
  readonly keys: { readonly id: string; readonly secret: string; endsAt: number }[];
  webhookKeys: { readonly webhook_key: string; readonly webhook_secret: string };
  readonly hook_url: string;
  readonly nudge_max_kopecks: number;
  readonly late_policy: "credit" | "hold";
  readonly h2h_enabled: boolean;
}

export interface Requisite {
  readonly id: string;
  readonly bank: string;
  readonly card: string;
  readonly phone: string | undefined;
  readonly enabled: boolean;
  readonly max_sum: number;
  readonly max_live_payments: number;
  readonly max_day_payments: number;
  readonly max_day_sum: number;
}

export interface Invoice {
  readonly id: string;
  readonly shop: Shop;
  readonly content: Readonly<Record<string, unknown>>;
  readonly answer: string;
  readonly amount: number;
  readonly service: Service;
  /** Host to host, or on the gateway's own page. */
  readonly type: "direct" | "link";
  readonly expiresAt: number;
  readonly payments: Payment[];
  /** What its shop must be told, beside that it has expired. */
  readonly story: Readonly<Record<string, unknown>>[];
  /** The jobs have run after its end, and nobody had paid. */
  mustExpire: boolean;
  isCanceled: boolean;
  paid?: Payment;
}

export interface Payment {
  readonly id: string;
  readonly invoice: Invoice;
  readonly requisite: Requisite;
  readonly toPay: number;
  readonly fee: number;
  /** Whose share of the page it counts for. */
  readonly payer: string | undefined;
  readonly issuedAt: number;
  readonly endsAt: number;
  readonly answer: string;
  /** Until then nobody else is given its requisite and amount. */
  slotUntil: number;
  isReplaced: boolean;
  hasLapsed: boolean;
  credit?: { readonly at: number; readonly net: number; readonly late: boolean; freeAt: number };
  refunded: number;
}

/** Money that somebody sent: when it was really paid and for what, and what the bank says of it. */
export interface Money {
  readonly requisite: Requisite;
  readonly amount: number;
  readonly reference: string;
  readonly paidAt: number;
  readonly meant: Payment;
  readonly madeAt: string | undefined;
}

interface Made {
  readonly from: number;
  readonly to: number;
}

export interface Transfer {
  readonly id: string;
  readonly money: Money;
  readonly made: Made;
  state: "matched" | "suspense" | "returned";
  payment?: Payment;
}

export interface Ask {
  readonly invoice: Invoice;
  readonly bank: string;
  readonly payer: string | undefined;
  readonly now: number;
}

export class Model {
  readonly users: User[] = [];
  readonly shops: Shop[] = [];
  readonly requisites: Requisite[] = [];
  readonly invoices: Invoice[] = [];
  readonly transfers: Transfer[] = [];
  readonly refunds = new Map<string, string>();
  readonly services: Readonly<Record<Service, { freeze_seconds: number }>> = {
    p2p_card: { freeze_seconds: 0 },
    p2p_sbp: { freeze_seconds: 0 },
  };
  audits = 0;
  jobsDoneAt = Number.NEGATIVE_INFINITY;

  get payments(): Payment[] {
    return this.invoices.flatMap(({ payments }) => payments);
  }

  /** Every job has run through by this moment. */
  jobsDone(now: number): void {
    this.jobsDoneAt = now;
    const isOver = (end: number): boolean => end + CLOCKS_MS <= now;
    for (const one of this.invoices) {
      one.mustExpire ||= !one.paid && !one.isCanceled && isOver(one.expiresAt);
    }
    for (const one of this.payments) one.hasLapsed ||= !one.credit && isOver(one.endsAt);
  }

  /** Why none can be had, the details that hold still, or nothing: new ones are due, where there are any. */
  standing({ invoice, bank, now }: Ask): "refused" | Payment | undefined {
    const { shop, type, amount, paid, isCanceled, expiresAt, payments } = invoice;
    if (paid !== undefined || isCanceled || expiresAt <= now) return "refused";
    const last = payments.at(-1);
    const isShown = type === "direct" || last?.requisite.enabled;
    const isSame = last?.requisite.bank === bank && isShown;
    if (isSame && last.endsAt > now && !last.hasLapsed) return last;
    const terms = shop.tariffs[invoice.service] as Terms;
    const { total, payer } = feeOf(amount, terms);
    const isOff = !terms.enabled || (type === "direct" && !shop.h2h_enabled);
    const isTooMuch = total - payer >= amount || payments.length >= MAX_DETAILS[type];
    return isOff || isTooMuch ? "refused" : undefined;
  }

  /**
   * Whether this requisite may take this amount for this invoice: surely, so that a refusal is wrong, or
   * perhaps, so that a grant is right.
   */
  canTake(requisite: Requisite, toPay: number, ask: Ask, surely: boolean): boolean {
    const { invoice, payer, bank, now } = ask;
    const { shop, service } = invoice;
    const { max_live_payments: maxLive, max_day_payments: maxDay } = requisite;
    const maxDaySum = kopecks(requisite.max_day_sum);
    const hasWallet = service === "p2p_card" || requisite.phone !== undefined;
    if (requisite.bank !== bank || !requisite.enabled || !hasWallet) return false;
    if (toPay > kopecks(requisite.max_sum)) return false;
    const edge = surely ? -CLOCKS_MS : CLOCKS_MS;
    const there = this.payments.filter((one) => one.requisite === requisite);
    const slots = there.filter(({ slotUntil }) => slotUntil > now + edge);
    if (slots.some((one) => one.toPay === toPay)) return false;
    const isLive = (one: Payment): boolean =>
      !one.credit && !one.isReplaced && (surely ? !one.hasLapsed : one.endsAt > now + edge);
    const live = there.filter(isLive);
    // Near midnight either day may be meant.
    const edgesOf = (ms: number): string[] => [dayOf(ms - CLOCKS_MS), dayOf(ms + CLOCKS_MS)];
    const days = edgesOf(now).map((day) =>
      there.filter((one) => {
        const edges = edgesOf(one.issuedAt);
        const isThen = surely ? edges.includes(day) : edges.every((own) => own === day);
        return isThen && (isLive(one) || one.credit?.late === false);
      }),
    );
    const choose = surely ? Math.max : Math.min;
    const isFull = live.length >= maxLive || choose(...days.map((day) => day.length)) >= maxDay;
    if (isFull || choose(...days.map(sumOf)) + toPay > maxDaySum) return false;
    const holders: [number, (one: Payment) => boolean][] = [
      [SHARES.shop, (one) => one.invoice.shop === shop],
      [SHARES.user, (one) => one.invoice.shop.user === shop.user],
      [SHARES.payer, (one) => payer !== undefined && one.payer === payer],
    ];
    return holders.every(([percent, isOwn]) => {
      const own = live.filter(isOwn);
      const near = slots.filter((one) => isOwn(one) && Math.abs(one.toPay - toPay) <= NEAR);
      const places = Math.max(1, Math.floor((Math.min(maxLive, maxDay) * percent) / 100));
      const isWithinSum = sumOf(own) + toPay <= Math.floor((maxDaySum * percent) / 100);
      return near.length < percent && (own.length === 0 || (own.length < places && isWithinSum));
    });
  }

  issue(payment: Payment): void {
    const { invoice, issuedAt } = payment;
    this.#endEarly(invoice, issuedAt);
    invoice.payments.push(payment);
  }

  cancel(invoice: Invoice, now: number): void {
    this.#endEarly(invoice, now);
    invoice.isCanceled = true;
    invoice.story.push({ status: "fail", type: 1, code: 32 });
  }

  #endEarly({ payments }: Invoice, now: number): void {
    const old = payments.at(-1);
    if (old !== undefined && !old.hasLapsed) {
      old.isReplaced = true;
      // 72 minutes for each that they lived, and two hours after the end that the payer was told.
      const earned = now + Math.min((now - old.issuedAt) * (DAY_MS / DETAILS_MS), DAY_MS);
      old.slotUntil = Math.min(old.slotUntil, Math.max(old.endsAt + 2 * HOUR_MS, earned));
    }
  }

  /** Whose money it is, by its own moment, or why nobody can say; as it was before these were paid. */
  fateOf({ requisite, amount }: Money, made: Made, alreadyPaid: Set<Payment>): Payment | string {
    const there = this.payments.filter((one) => one.requisite === requisite);
    const [payment, ...others] = there.filter(
      (one) => one.toPay === amount && one.issuedAt <= made.to + 5_000 && made.from < one.slotUntil,
    );
    if (payment === undefined) return "nobody_expected";
    if (others.length > 0) return "several_expected";
    const { invoice, endsAt, fee } = payment;
    if (invoice.paid && alreadyPaid.has(invoice.paid)) return "paid_already";
    if (invoice.isCanceled) return "invoice_closed";
    const isContested = there.some(
      (one) =>
        one.invoice !== invoice &&
        Math.abs(one.toPay - amount) <= NEAR &&
        one.issuedAt <= made.to + BANKS_CLOCK_MS &&
        one.endsAt > made.from &&
        !(one.credit && alreadyPaid.has(one) && one.credit.at <= made.from),
    );
    if (endsAt <= made.to && isContested) return "contested";
    if (endsAt <= made.from && invoice.shop.late_policy === "hold") return "late_held";
    if (invoice.paid) return "paid_already";
    return amount <= fee ? "below_commission" : payment;
  }

  credit(transfer: Transfer, payment: Payment, now: number): void {
    const { invoice, fee, endsAt } = payment;
    const { amount } = transfer.money;
    const late = endsAt <= transfer.made.from;
    const freeAt = now + this.services[invoice.service].freeze_seconds * 1000;
    transfer.state = "matched";
    transfer.payment = payment;
    payment.credit = { at: now, net: amount - fee, late, freeAt };
    invoice.paid = payment;
    invoice.story.push({
      status: "success",
      type: 1,
      code: 1,
      pay_service: invoice.service,
      late,
      credited: decimal(amount - fee),
      amount_received: decimal(amount),
    });
  }

  /** Of a user, what was credited and not refunded; and of that what surely and perhaps is free. */
  balanceOf(user: User, now: number) {
    const paid = this.invoices.flatMap((one) => (one.shop.user === user ? (one.paid ?? []) : []));
    const sum = (by: number): number =>
      paid.reduce((total, { credit, refunded }) => {
        return total - refunded + (credit && credit.freeAt <= by ? credit.net : 0);
      }, 0);
    const least = sum(this.jobsDoneAt - CLOCKS_MS);
    return { all: sum(Number.POSITIVE_INFINITY), least, most: sum(now + CLOCKS_MS) };
  }
}

/** One that holds by whatever clock; after a rotation there may be several. */
export function keyOf({ keys }: Shop, now: number): string {
  return keys.findLast(({ endsAt }) => endsAt > now + CLOCKS_MS)?.secret ?? "";
}

/** Whether its end can have come before whoever paid it. */
export function mayHaveExpired({ expiresAt, paid }: Invoice, now: number): boolean {
  return expiresAt - CLOCKS_MS <= (paid?.credit?.at ?? now);
}

/** Both parts rounded up, in whole numbers. */
export function feeOf(amount: number, { shop_percent, user_percent, fix }: Terms) {
  const share = (percent: number): number => {
    return Number((BigInt(amount) * BigInt(Math.round(percent * 1e4)) + 999_999n) / 1_000_000n);
  };
  return { total: share(shop_percent + user_percent) + kopecks(fix), payer: share(user_percent) };
}

/** From the first to the last moment that a bank's word can mean; nothing is later than its telling. */
export function madeWithin(madeAt: string | undefined, now: number): Made | undefined {
  if (madeAt === undefined) return { from: now, to: now };
  const isDay = !madeAt.includes("T");
  const from = isDay ? Date.parse(`${madeAt}T00:00:00Z`) - ZONE_MS : Date.parse(madeAt);
  const lengths: Readonly<Record<number, number>> = { 10: DAY_MS, 17: 60_000, 20: 1_000 };
  const to = from + (lengths[madeAt.length] ?? 1) - 1;
  if (from > now + BANKS_CLOCK_MS) return undefined;
  return { from: Math.min(from, now), to: Math.min(to, now) };
}

export function dayOf(ms: number): string {
  return new Date(ms + ZONE_MS).toISOString().slice(0, 10);
}

function sumOf(payments: readonly Payment[]): number {
  return payments.reduce((sum, { toPay }) => sum + toPay, 0);
}

export const kopecks = (roubles: number): number => Math.round(roubles * 100);

export function decimal(sum: number): string {
  return `${Math.floor(sum / 100)}.${String(sum % 100).padStart(2, "0")}`;
}
