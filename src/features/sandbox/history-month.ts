// The sandbox's example month: orders, payouts, settings and open questions. Nothing is random.

import { momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import type { BankCode, TransferService } from "../../domain/requisite.ts";
import type { StatementLine } from "../../domain/statement.ts";
import type { Endpoint } from "../../platform/endpoint.ts";
import { idMaker } from "../../platform/id.ts";
import { applyImportsJob } from "../intake/apply-imports.job.ts";
import { bringImport } from "../intake/manage-imports.endpoint.ts";
import { contentOf, draftInvoice, type OrderWish } from "../invoices/draft.ts";
import { addInvoices } from "../invoices/queries.ts";
import { changeShop } from "../merchants/manage-shops.endpoint.ts";
import type { Shop } from "../merchants/principal.ts";
import { issueDetails } from "../payments/details.ts";
import type { Details } from "../payments/issue.ts";
import { Payments } from "../payments/nouns.ts";
import { wishOf } from "../payouts/create-payout.endpoint.ts";
import { approvePayout, refusePayout } from "../payouts/decide-payouts.endpoint.ts";
import { sbpBanks } from "../payouts/queries.ts";
import { reservePayouts } from "../payouts/reserve.ts";
import { takePayout } from "../payouts/send-by-hand.endpoint.ts";
import { payoutTermsOfUsers } from "../payouts/tariff-queries.ts";
import { createRefund } from "../refunds/manage-refunds.endpoint.ts";
import { changeRequisite } from "../requisites/manage-requisites.endpoint.ts";
import { putTariff } from "../tariffs/manage-tariffs.endpoint.ts";
import { termsOf } from "../tariffs/queries.ts";
import { bookTold, type Told } from "../transfers/book-transfers.endpoint.ts";
import { PAGE_SHOP_ID, REQUISITES, requisiteIdAt, SANDBOX_SHOP, SANDBOX_USER } from "./cast.ts";
import { sectionOf } from "./download-statement.page.ts";
import { HOOKS, type Stage } from "./history-stage.ts";
import { writeStatement } from "./statement-writers.ts";

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Orders whose details are asked for together came so soon after one another. */
const ORDERS_WITHIN_MS = 50 * MINUTE_MS;

/** One letter an order: paid, nothing paid, left before details, late, refunded whole and in part. */
const GOINGS = "pppxpppppcppRpppplppppxpppPppxppppppcppLppppxppPp";

/** By the last figures of the shop's id: how it numbers its orders, and what its things cost. */
const SHELVES: Readonly<
  Record<string, readonly [number: (n: number) => string, prices: number[]]>
> = {
  "2": [(n) => `PI-${10_400 + n}`, [290, 490, 690, 990, 1_490, 2_190, 3_990]],
  "3": [(n) => `tea-${2_100 + n}`, [390, 590, 899, 1_190, 1_799, 2_499]],
  "4": [(n) => `NW-${51_200 + n}`, [1_990, 2_990, 3_490, 4_990, 7_990, 12_490]],
  "8": [(n) => `${880_100 + n}`, [450, 599, 780, 1_099, 1_390, 2_350]],
};

const PAYERS = [
  "Мария К.",
  "Алексей В.",
  "Ольга П.",
  "Дмитрий С.",
  "Екатерина Л.",
  "Сергей Н.",
  "Анна Ж.",
  "Павел Т.",
  "Наталья Р.",
  "Игорь М.",
  "Юлия Б.",
  "Константин Ф.",
  "Вера Ш.",
];
const BUYERS = ["m.kuznetsova", "alex.v", "o.petrova", "dsm", "kate.l", "nikitin.s", "a.zhukova"];
const AGENTS = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36",
];
const PART_REFUNDED = 150;
const REASONS = ["The size does not fit", "Sold out at the warehouse", "One cup came broken"];

function pick<Value>(values: readonly Value[], at: number): Value {
  const value = values[at % values.length];
  if (value === undefined) throw new Error("There is nothing to choose from.");
  return value;
}

/** Spreads numbers that follow each other; the same ones every time. */
function spread(number: number): number {
  return (Math.imul(number + 1, 2_654_435_761) >>> 0) % 1_009;
}

export interface Purchase {
  readonly number: number;
  readonly shop: Shop;
  readonly invoiceId: string;
  readonly service: TransferService;
  readonly bank: BankCode;
  readonly going: string;
  details?: Details;
}

interface Basket {
  readonly shopAt: number;
  readonly going: string;
  /** Where nothing may be told any more once the history has ended. */
  readonly isHushed?: boolean;
}

export function openCounter(stage: Stage) {
  const { app, tx } = stage;
  let count = 0;

  const orderOf = (shop: Shop, number: number, going: string, isHushed: boolean): OrderWish => {
    const [numbered, prices] =
      SHELVES[String(Number(shop.id.slice(-4)))] ?? pick(Object.values(SHELVES), 0);
    const things = 1 + (spread(number) % 5 === 0 ? 1 : 0);
    let amount = 0;
    for (let thing = 0; thing < things; thing += 1)
      amount += pick(prices, spread(number + thing * 31));
    const isLink = !shop.h2hEnabled;
    const isSbp = spread(number) % 3 === 0;
    const hook = isHushed ? undefined : hookOf(shop, number, going);
    return {
      amount,
      order_id: numbered(number),
      type: isLink ? "link" : "direct",
      include_service: isLink ? ["p2p_card", "p2p_sbp"] : [isSbp ? "p2p_sbp" : "p2p_card"],
      success_url: "https://shop.example/thanks",
      ...(spread(number) % 2 === 0
        ? { email: `${pick(BUYERS, spread(number))}@mail.example` }
        : {}),
      ...(hook === undefined ? {} : { hook_url: hook }),
    };
  };

  /** Orders of the last while, the newest now; nothing has happened to them yet. */
  const order = async (baskets: readonly Basket[], stepMs = 0): Promise<Purchase[]> => {
    const shops = baskets.map(({ shopAt }) => pick(stage.shops, shopAt));
    const tariffs = await termsOf(app, shops);
    const made = baskets.map(async ({ going, isHushed = false }, index): Promise<Purchase> => {
      const shop = pick(shops, index);
      count += 1;
      const [number, chance] = [count, spread(count)];
      const agoMs = (baskets.length - 1 - index) * stepMs + (stepMs * chance) / 1_300;
      const now = new Date(stage.now().getTime() - Math.round(agoMs));
      const wish = orderOf(shop, number, going, isHushed);
      const id = idMaker({ now: () => now })();
      const draft = draftInvoice({
        id,
        shop,
        wish,
        content: contentOf(wish),
        now,
        tariffs: tariffs.get(shop.id) ?? [],
      });
      if (draft instanceof Error) throw draft;
      await addInvoices(tx, [draft], now);
      return {
        number,
        shop,
        invoiceId: id,
        going,
        service: chance % 3 === 0 ? "p2p_sbp" : "p2p_card",
        bank: chance % 5 < 3 ? "sber" : "tinkoff",
      };
    });
    return Promise.all(made);
  };

  const askDetails = async (purchases: readonly Purchase[]): Promise<void> => {
    const outcomes = await issueDetails(
      app,
      purchases.map(({ shop, invoiceId, service, bank, number }) => ({
        shop,
        invoiceId,
        bank,
        payer: null,
        ...(shop.h2hEnabled ? {} : { service }),
        payerIp: `203.0.113.${1 + (spread(number) % 250)}`,
        payerUserAgent: pick(AGENTS, spread(number)),
      })),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome instanceof Error) throw outcome;
      pick(purchases, index).details = outcome;
    }
  };

  const pay = (purchases: readonly Purchase[]): Promise<void> =>
    tell(purchases.map((purchase) => moneyOf(purchase, stage.now())));

  const tell = async (money: readonly Told[]): Promise<void> => {
    const outcomes = await bookTold(tx, app, money);
    const failed = outcomes.find((one) => one instanceof Error);
    if (failed !== undefined) throw failed;
  };

  const refund = async ({ invoiceId, going, number }: Purchase): Promise<void> => {
    const payments = await Payments.all(app.db, { "row.invoice_id": invoiceId });
    const credited = payments.find(({ state }) => state === "paid")?.credited_minor ?? 0n;
    await stage.manage(createRefund, {
      invoice_id: invoiceId,
      reason: pick(REASONS, number),
      reference: `refund-${number}`,
      amount: going === "R" ? toDecimalNumber(credited) : PART_REFUNDED,
    });
  };

  /** A few orders, and all that comes of them. */
  const serve = (at: number, baskets: readonly Basket[]): void =>
    stage.at(at, async () => {
      const purchases = await order(baskets, ORDERS_WITHIN_MS / baskets.length);
      const asked = purchases.filter(({ going }) => going !== "c");
      if (asked.length === 0) return;
      await askDetails(asked);
      const paying = asked.filter(({ going }) => "pRP".includes(going));
      if (paying.length > 0) stage.at(at + 7 * MINUTE_MS, () => pay(paying));
      for (const purchase of asked) {
        const { going } = purchase;
        // The details hold for twenty minutes, the invoice for five hours.
        if (going === "l") stage.at(at + 64 * MINUTE_MS, () => pay([purchase]));
        if (going === "L") stage.at(at + 7 * HOUR_MS, () => pay([purchase]));
        if ("RP".includes(going)) stage.at(at + 51 * HOUR_MS, () => refund(purchase));
      }
    });

  return { order, askDetails, tell, serve };
}

export type Counter = ReturnType<typeof openCounter>;

/** Where the shop has none of its own, or means another. */
function hookOf(shop: Shop, number: number, going: string): string | undefined {
  const isPaid = going === "p";
  // Long enough ago that nobody tries any more.
  const isOld = number > 60 && number < 140;
  if (shop.id.endsWith("4")) return isPaid && isOld && number % 8 === 0 ? HOOKS.silent : undefined;
  if (shop.id.endsWith("8")) return isPaid && number % 13 === 0 ? HOOKS.gone : undefined;
  return shop.id.endsWith("2") ? HOOKS.right : undefined;
}

/** What a purchase's payer sends, a while before the bank tells of it. */
function moneyOf({ number, details }: Purchase, toldAt: Date, moreMinor = 0n): Told {
  if (details === undefined) throw new Error("Nobody pays without details.");
  const madeAt = new Date(toldAt.getTime() - (20 + (spread(number) % 150)) * 1000);
  return {
    wallet: details.wallet,
    amount: toDecimalNumber(details.amountMinor + moreMinor),
    reference: `bank-${700_000 + number * 17}`,
    made_at: madeAt.toISOString(),
    payer: pick(PAYERS, spread(number)),
    channel: "api",
  };
}

/** Minutes of a day around which orders come, and how many: more in the evening, fewer on a weekend. */
const WEEKDAY = [
  [690, 4],
  [1_120, 8],
] as const;
const WEEKEND = [[960, 6]] as const;

const SHOP_TURNS = [2, 0, 1, 3, 2, 1, 0, 2, 1, 3, 2];

/** A month's orders; `days` are their first moments, the oldest first. */
export function orderMonth(counter: Counter, days: readonly Date[], end: Date): void {
  let number = 0;
  for (const [place, day] of days.entries()) {
    // Noon tells the day of the week in every zone.
    const weekday = new Date(day.getTime() + 12 * HOUR_MS).getUTCDay();
    const isWeekend = weekday === 0 || weekday === 6;
    for (const [minute, orders] of isWeekend ? WEEKEND : WEEKDAY) {
      const at =
        day.getTime() +
        (minute + (spread(place * 7 + minute) % 160)) * MINUTE_MS +
        spread(minute + place) * 31;
      const leftMs = end.getTime() - at;
      const baskets = Array.from({ length: orders }, (): Basket => {
        number += 1;
        const going = GOINGS[number % GOINGS.length] ?? "p";
        // What is left open here would be told to somebody once the history is over.
        return { shopAt: pick(SHOP_TURNS, number), going: leftMs < 8 * HOUR_MS ? "p" : going };
      });
      if (leftMs > 40 * MINUTE_MS && leftMs < 31 * DAY_MS) counter.serve(at, baskets);
    }
  }
}

export function deskMonth(stage: Stage, counter: Counter, end: Date): void {
  const before = (ago: number): number => end.getTime() - ago;
  changeSettings(stage, before);
  payOut(stage, before);
  leaveWaiting(stage, counter, before);
  stage.at(before(2 * HOUR_MS + 20 * MINUTE_MS), () => bringStatement(stage));
}

type Before = (agoMs: number) => number;

/** What is changed for a while is as the documentation has it in the end. */
function changeSettings(stage: Stage, before: Before): void {
  const change = (ago: number, door: Endpoint, input: Record<string, unknown>): void =>
    stage.at(before(ago), async () => {
      await stage.manage(door, input);
      await stage.readSettings();
    });
  const sbp = {
    shop_id: PAGE_SHOP_ID,
    service: "p2p_sbp",
    user_percent: 0,
    fix: 10,
    min_sum: 100,
    max_sum: 100_000,
  };
  const card = { requisite_id: requisiteIdAt(4) };
  const support = { shop_id: PAGE_SHOP_ID, support: "help@tea-and-spoon.example" };
  change(27 * DAY_MS, changeShop, support);
  change(20 * DAY_MS, putTariff, { ...sbp, shop_percent: 3 });
  change(16.4 * DAY_MS, changeRequisite, { ...card, enabled: false });
  change(14.7 * DAY_MS, changeRequisite, { ...card, enabled: true });
  change(13 * DAY_MS, putTariff, { ...sbp, shop_percent: 4 });
  change(6 * DAY_MS, changeShop, { shop_id: SANDBOX_SHOP.shop.id, color: "#2f6f4f" });
}

interface Payment {
  readonly order: string;
  readonly to: string;
  readonly amount: number;
  readonly comment: string;
}

const SUPPLIER = "2200000000000517";
const PRINTER = "2200000000000731";
const HOOK = "https://shop.example/payouts";

function payOut(stage: Stage, before: Before): void {
  const { app, tx } = stage;
  const ask = async ({ order, to, amount, comment }: Payment, hook = true): Promise<string> => {
    const terms = await payoutTermsOfUsers(tx, [SANDBOX_USER.id]);
    const banks = new Set((await sbpBanks(tx)).map(({ id }) => id));
    const isCard = to.length === 16;
    const wish = wishOf(
      {
        service: isCard ? "card" : "sbp",
        wallet_to: to,
        amount,
        order_id: order,
        comment,
        ...(isCard ? {} : { payoff_data: { sbp_bank_type: [...banks][0] ?? "" } }),
        ...(hook ? { hook_url: HOOK } : {}),
      },
      { userId: SANDBOX_USER.id, terms: terms.get(SANDBOX_USER.id) ?? [], banks },
    );
    if (wish instanceof Error) throw wish;
    const [outcome] = await reservePayouts(tx, app, [wish]);
    if (outcome === undefined || outcome instanceof Error) throw outcome;
    return outcome.id;
  };
  const send = (ago: number, payment: Payment): void =>
    stage.at(before(ago), async () => {
      await ask(payment);
      await stage.settle("send-payouts");
    });

  const pay = (order: string, to: string, amount: number, comment: string): Payment => ({
    order,
    to,
    amount,
    comment,
  });
  send(25.3 * DAY_MS, pay("salary-1", "+79161110011", 18_000, "Packing, first half"));
  send(24.1 * DAY_MS, pay("supplier-41", SUPPLIER, 24_500, "Yarn, invoice 41"));
  send(18.2 * DAY_MS, pay("print-7", PRINTER, 12_990, "Boxes"));
  // What the last two digits of a number make of a payout is told in docs/rails.md.
  send(17.4 * DAY_MS, pay("supplier-42", "2200000000000202", 9_400, "Tea, invoice 42"));
  send(17.3 * DAY_MS, pay("supplier-42a", SUPPLIER, 9_400, "Tea, invoice 42, other card"));
  send(12.2 * DAY_MS, pay("salary-2", "+79161110011", 21_000, "Packing, second half"));
  send(11.1 * DAY_MS, pay("courier-3", "2200000000000806", 6_300, "Courier"));
  send(8.3 * DAY_MS, pay("supplier-43", SUPPLIER, 38_700, "Yarn, invoice 43"));
  send(4.2 * DAY_MS, pay("rent-11", "+79161110099", 45_000, "Rent"));
  send(5 * HOUR_MS, pay("courier-4", "2200000000000608", 7_150, "Courier"));

  stage.at(before(6.2 * DAY_MS), async () => {
    const id = await ask(pay("loan-1", "2200000000001119", 60_000, "Loan"));
    await stage.manage(refusePayout, { payout_id: id, reason: "The receiver is not known to us" });
  });
  stage.at(before(3 * HOUR_MS), () =>
    ask(pay("supplier-44", SUPPLIER, 64_000, "Yarn, invoice 44"), false),
  );
  stage.at(before(70 * MINUTE_MS), () =>
    ask(pay("machine-1", PRINTER, 85_000, "Label printer"), false),
  );
  // Whoever sends it by hand has twenty minutes left to say what came of it.
  stage.at(before(10 * MINUTE_MS), async () => {
    const id = await ask(pay("salary-3", "+79161110012", 52_000, "Packing, November"), false);
    await stage.manage(approvePayout, { payout_id: id });
    await stage.manage(takePayout, { payout_id: id });
  });
}

/** Of the shop without webhooks: what becomes of these is told to nobody. */
const TEA_SHOP_AT = 1;

function leaveWaiting(stage: Stage, counter: Counter, before: Before): void {
  const buy = (ago: number, then: (bought: Awaited<ReturnType<Counter["order"]>>) => void): void =>
    stage.at(before(ago), async () => {
      const bought = await counter.order([{ shopAt: TEA_SHOP_AT, going: "x" }]);
      stage.at(before(ago - MINUTE_MS), () => counter.askDetails(bought));
      then(bought);
    });
  const later = (ago: number, act: () => Promise<unknown>): void => stage.at(before(ago), act);

  // The kopecks were left out.
  buy(7 * HOUR_MS, ([order]) =>
    later(7 * HOUR_MS - 9 * MINUTE_MS, async () => {
      if (order === undefined) return;
      const money = moneyOf(order, stage.now());
      await counter.tell([{ ...money, amount: Math.floor(money.amount) - 1 }]);
    }),
  );
  // A day and more after the details had ended.
  buy(29 * HOUR_MS, ([order]) =>
    later(3.5 * HOUR_MS, async () => {
      if (order !== undefined) await counter.tell([moneyOf(order, stage.now())]);
    }),
  );
  // The amount of one card, sent to another.
  buy(5.2 * HOUR_MS, ([order]) =>
    later(5 * HOUR_MS, async () => {
      if (order === undefined) return;
      const money = moneyOf(order, stage.now());
      const other = REQUISITES.find(
        ({ card, phone }) => card !== money.wallet && phone !== money.wallet,
      );
      await counter.tell([{ ...money, wallet: other?.card }]);
    }),
  );
  // Paid twice.
  buy(20 * HOUR_MS, ([order]) => {
    for (const [place, minutes] of [6, 9].entries()) {
      later(20 * HOUR_MS - minutes * MINUTE_MS, async () => {
        if (order === undefined) return;
        const money = moneyOf(order, stage.now());
        await counter.tell([{ ...money, reference: `${money.reference}-${place + 1}` }]);
      });
    }
  });
  // What is open at this very moment: three with details, two without.
  later(14 * MINUTE_MS, async () => {
    const going = "x";
    const isHushed = true;
    const baskets = [0, 1, 3].map((shopAt) => ({ shopAt, going, isHushed }));
    const open = await counter.order(baskets, 3 * MINUTE_MS);
    later(12 * MINUTE_MS, () => counter.askDetails(open));
  });
  later(4 * MINUTE_MS, () =>
    counter.order(
      [1, 3].map((shopAt) => ({ shopAt, going: "c", isHushed: true })),
      2 * MINUTE_MS,
    ),
  );
}

/** Of the day before: what the bank told of, and a fee that it took and gave back, which a person has to decide on. */
async function bringStatement(stage: Stage): Promise<void> {
  const { app } = stage;
  const day = momentFormat(app.config.timeZone).day(new Date(stage.now().getTime() - DAY_MS));
  const ids = REQUISITES.map((_, index) => requisiteIdAt(index));
  const sections = await Promise.all(ids.map((id) => sectionOf(app, id, day)));
  const [busiest] = sections
    .filter((one) => one !== undefined)
    .toSorted((one, other) => other.lines.length - one.lines.length);
  if (busiest === undefined) throw new Error("The cast has no account.");
  const rows = busiest.lines.length;
  const fee = (row: number, direction: "in" | "out", purpose: string): StatementLine => ({
    row,
    direction,
    status: "booked",
    day,
    time: "23:10:00",
    amountMinor: 9_900n,
    purpose,
    number: String(row),
    bankId: `FEE${day.replaceAll("-", "")}${row}`,
    isReversal: direction === "in",
    isCharge: direction === "out",
    party: { account: null, name: null, inn: null },
  });
  const fees = [
    fee(rows + 1, "out", "Комиссия за обслуживание"),
    fee(rows + 2, "in", "Возврат ошибочно удержанной комиссии"),
  ];
  const section = { ...busiest, lines: [...busiest.lines, ...fees] };
  const file = writeStatement({ format: "camt053", sections: [section] });
  await stage.manage(bringImport, {
    filename: `statement-${day}.xml`,
    content: Buffer.from(file).toString("base64"),
  });
  await applyImportsJob.due?.settle(app);
}
