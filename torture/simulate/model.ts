// What the world itself knows, outside of the database: who was told what, and what must follow from it
// by the rules of docs/money.md. Written a second time on purpose, in whole kopecks and milliseconds, so
// that a mistake in the gateway's own arithmetic does not hide behind itself.

import type {
  Bank,
  Chosen,
  Freeze,
  Invoice,
  Payment,
  Refund,
  Requisite,
  Service,
  Shop,
  Terms,
  Transfer,
  User,
} from "./records.ts";

const FREEZE_MS: Readonly<Record<Service, number>> = {
  p2p_card: 24 * 3_600_000,
  p2p_sbp: 3_600_000,
};
const DETAILS_MS = 20 * 60_000;
const QUARANTINE_MS = 24 * 3_600_000;
/** Details that were replaced hold their slot for so many times what they lived; */
const QUARANTINE_FACTOR = QUARANTINE_MS / DETAILS_MS;
/** but at least so long after the end that the payer was told. */
const TELLING_MS = 2 * 3_600_000;
/** So many kopecks to either side of an amount a slip may go, and so far amounts are nudged. */
const NEAR = 99;
const part = (total: number, percent: number): number =>
  Math.max(1, Math.floor((total * percent) / 100));

/** Narrower than an operator's, so that histories meet them. */
export const SHARES = { shop: 10, user: 20, payer: 100 };
const MAX_DETAILS = { direct: 20, link: 6 } as const;

export class Model {
  readonly users: readonly User[];
  readonly shops: readonly Shop[];
  readonly requisites: readonly Requisite[];
  readonly invoices: Invoice[] = [];
  readonly transfers: Transfer[] = [];
  readonly freezes: Freeze[] = [];
  readonly refunds: Refund[] = [];
  fees = 0;
  out = 0;
  audits = 0;
  readonly #dayOf: (ms: number) => string;

  constructor(
    users: readonly User[],
    shops: readonly Shop[],
    requisites: readonly Requisite[],
    dayOf: (ms: number) => string,
  ) {
    this.users = users;
    this.shops = shops;
    this.requisites = requisites;
    this.#dayOf = dayOf;
  }

  get payments(): Payment[] {
    return this.invoices.flatMap(({ payments }) => payments);
  }

  orderOf(shop: Shop, orderId: string): Invoice | undefined {
    return this.invoices.find((one) => one.shop === shop && one.orderId === orderId);
  }

  feeOf(amount: number, { percentPpm, userPercentPpm, fix }: Terms) {
    const payer = share(amount, userPercentPpm);
    return { total: share(amount, percentPpm) + fix, payer };
  }

  /** The payment that a transfer of this amount belongs to, while its quarantine lasts. */
  holderOf(requisite: Requisite, amount: number, now: number): Payment | undefined {
    return this.payments.find(
      (one) => one.requisite === requisite && one.toPay === amount && one.slotUntil > now,
    );
  }

  /** Why no new details can be had, valid ones, or where new ones must be. */
  detailsFor(invoice: Invoice, bank: Bank, now: number): "refused" | Payment | Chosen {
    const { shop, service, amount } = invoice;
    const isOpen = invoice.state === "created" || invoice.state === "pending";
    if (!isOpen || invoice.expiresAt <= now) return "refused";
    const live = invoice.payments.find(({ state }) => state === "live");
    // A page shows no card that was switched off; a shop's repetition is answered alike.
    const isShown = live?.requisite.enabled || invoice.type === "direct";
    if (live?.requisite.bank === bank && live.endsAt > now && isShown) return live;
    if (invoice.payments.length >= MAX_DETAILS[invoice.type]) return "refused";
    const terms = shop.tariffs[service];
    if (!terms.enabled) return "refused";
    const fee = this.feeOf(amount, terms);
    const line = this.requisites
      .filter((one) => one.bank === bank && one.enabled && (service === "p2p_card" || one.phone))
      .toSorted((a, b) => a.lastUsedMs - b.lastUsedMs || (a.id < b.id ? -1 : 1));
    for (let nudge = 0; nudge <= shop.nudgeMax; nudge += 1) {
      const toPay = amount + fee.payer + nudge;
      const requisite = line.find(
        (one) =>
          this.hasRoom(one, toPay, now) &&
          !this.holderOf(one, toPay, now) &&
          this.isWithinShares(one, toPay, shop, now),
      );
      if (requisite !== undefined) {
        return { requisite, toPay, nudge, fee: fee.total, payerFee: fee.payer };
      }
    }
    return "refused";
  }

  hasRoom(requisite: Requisite, toPay: number, now: number): boolean {
    const today = requisite.day >= this.#dayOf(now);
    return (
      requisite.live < requisite.maxLive &&
      (today ? requisite.dayCount : 0) < requisite.maxDay &&
      (today ? requisite.daySum : 0) + toPay <= requisite.maxDaySum
    );
  }

  /** Of the places and of the amounts around this one, neither shop nor user may have too many. */
  isWithinShares(requisite: Requisite, toPay: number, shop: Shop, now: number): boolean {
    const there = this.payments.filter((one) => one.requisite === requisite);
    return (
      [
        ["shop", shop],
        ["user", shop.user],
      ] as const
    ).every(([kind, owner]) => {
      const own = there.filter(
        ({ invoice }) => (kind === "shop" ? invoice.shop : invoice.shop.user) === owner,
      );
      // What should have lapsed long ago, and no job was there to end it, holds nobody up.
      const live = own.filter(
        ({ state, issuedAt }) => state === "live" && issuedAt >= now - 2 * DETAILS_MS,
      );
      const sum = live.reduce((total, one) => total + one.toPay, toPay);
      const near = own.filter(
        (one) => one.slotUntil > now && Math.abs(one.toPay - toPay) <= NEAR,
      ).length;
      const places = part(Math.min(requisite.maxLive, requisite.maxDay), SHARES[kind]);
      const isWithin =
        live.length < places && sum <= Math.floor((requisite.maxDaySum * SHARES[kind]) / 100);
      return (live.length === 0 || isWithin) && near < SHARES[kind];
    });
  }

  issue(invoice: Invoice, chosen: Chosen, answer: string, now: number): Payment {
    for (const old of invoice.payments) {
      if (old.state !== "live") continue;
      const earned = Math.min((now - old.issuedAt) * QUARANTINE_FACTOR, QUARANTINE_MS);
      old.slotUntil = Math.min(old.slotUntil, Math.max(old.endsAt + TELLING_MS, now + earned));
      this.lapse(old);
    }
    const { requisite, toPay, nudge, fee, payerFee } = chosen;
    const today = this.#dayOf(now);
    const day = requisite.day > today ? requisite.day : today;
    if (requisite.day !== day) Object.assign(requisite, { day, dayCount: 0, daySum: 0 });
    requisite.live += 1;
    requisite.dayCount += 1;
    requisite.daySum += toPay;
    requisite.lastUsedMs = now;
    if (invoice.state === "created") invoice.state = "pending";
    const endsAt = Math.min(now + DETAILS_MS, invoice.expiresAt);
    const payment: Payment = {
      ...{ id: "", invoice, requisite, toPay, fee, payerFee, nudge, day, answer },
      ...{ issuedAt: now, endsAt, slotUntil: endsAt + QUARANTINE_MS },
      ...{ state: "live", late: null, received: null, credited: null, refunded: 0 },
    };
    invoice.payments.push(payment);
    return payment;
  }

  lapse(payment: Payment): void {
    payment.state = "lapsed";
    this.#giveBack(payment, true);
  }

  #giveBack(payment: Payment, alsoOfTheDay: boolean): void {
    payment.requisite.live -= 1;
    if (alsoOfTheDay) this.#countOfTheDay(payment, -1);
  }

  #countOfTheDay({ requisite, day, toPay }: Payment, sign: 1 | -1): void {
    if (requisite.day !== day) return;
    requisite.dayCount += sign;
    requisite.daySum += sign * toPay;
  }

  isPayable({ state, invoice }: Payment): boolean {
    return state !== "paid" && (invoice.state === "pending" || invoice.state === "expired");
  }

  isLate({ endsAt }: Payment, madeAt: number): boolean {
    return endsAt <= madeAt;
  }

  /** Whom money on this requisite must be credited to; nobody means suspense. */
  creditedBy(requisite: Requisite, amount: number, now: number): Payment | undefined {
    const holder = this.holderOf(requisite, amount, now);
    if (holder === undefined || !this.isPayable(holder) || amount <= holder.fee) return undefined;
    const held = holder.invoice.shop.latePolicy === "hold" || this.isContested(holder, now);
    return held && this.isLate(holder, now) ? undefined : holder;
  }

  /** Whether somebody else was told details that are so near that late money may be their slip. */
  isContested({ requisite, toPay, invoice }: Payment, now: number): boolean {
    return this.payments.some(
      (one) =>
        one.requisite === requisite &&
        one.invoice !== invoice &&
        one.state !== "paid" &&
        one.endsAt > now &&
        Math.abs(one.toPay - toPay) <= NEAR,
    );
  }

  arrive(transfer: Transfer, now: number): void {
    this.transfers.push(transfer);
    transfer.requisite.held -= transfer.amount;
    const payment = this.creditedBy(transfer.requisite, transfer.amount, now);
    if (payment !== undefined) this.credit(transfer, payment, now);
  }

  credit(transfer: Transfer, payment: Payment, now: number): void {
    const { invoice } = payment;
    const { user } = invoice.shop;
    const late = this.isLate(payment, transfer.toldAt);
    const credited = transfer.amount - payment.fee;
    if (payment.state === "live") this.#giveBack(payment, late);
    else if (!late) this.#countOfTheDay(payment, 1);
    Object.assign(payment, { state: "paid", late, received: transfer.amount, credited });
    Object.assign(transfer, { state: "matched", payment });
    invoice.state = "paid";
    user.frozen += credited;
    this.fees += payment.fee;
    this.freezes.push({ payment, until: now + FREEZE_MS[invoice.service], releasedAt: null });
    this.#tell(invoice, "success", {
      credited: decimal(credited),
      amount_received: decimal(transfer.amount),
      late,
      pay_service: invoice.service,
    });
  }

  giveBackTransfer(transfer: Transfer): void {
    transfer.state = "returned";
    transfer.requisite.held += transfer.amount;
  }

  refund(refund: Refund): void {
    const { payment, amount } = refund;
    const { invoice } = payment;
    invoice.shop.user.available -= amount;
    this.out += amount;
    payment.refunded += amount;
    this.refunds.push(refund);
    if (payment.refunded === payment.credited) invoice.state = "refunded";
    this.#tell(invoice, "refund", { refund_amount: decimal(amount) });
  }

  lapseDue(now: number): number {
    const due = this.payments.filter(({ state, endsAt }) => state === "live" && endsAt <= now);
    for (const payment of due) this.lapse(payment);
    return due.length;
  }

  expireDue(now: number): number {
    const due = this.invoices.filter(
      ({ state, expiresAt }) => (state === "created" || state === "pending") && expiresAt <= now,
    );
    for (const invoice of due) {
      invoice.state = "expired";
      this.#tell(invoice, "expired", {});
    }
    return due.length;
  }

  releaseDue(now: number): number {
    const due = this.freezes.filter(({ until, releasedAt }) => releasedAt === null && until <= now);
    for (const freeze of due) {
      freeze.releasedAt = now;
      const { credited, invoice } = freeze.payment;
      invoice.shop.user.frozen -= credited ?? 0;
      invoice.shop.user.available += credited ?? 0;
    }
    return due.length;
  }

  #tell(invoice: Invoice, status: string, more: Record<string, unknown>): void {
    const fields = {
      ...{ invoice_id: invoice.id, order_id: invoice.orderId, status, currency: "RUB" },
      ...{ amount: decimal(invoice.amount), sequence: invoice.events.length + 1, ...more },
    };
    invoice.events.push({ sequence: invoice.events.length + 1, fields });
  }
}

/** Rounded up, in whole numbers. */
function share(amount: number, ratePpm: number): number {
  return Number((BigInt(amount) * BigInt(ratePpm) + 999_999n) / 1_000_000n);
}

export function decimal(kopecks: number): string {
  return `${Math.floor(kopecks / 100)}.${String(kopecks % 100).padStart(2, "0")}`;
}
