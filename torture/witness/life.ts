// One life: an order, where to pay it, the payer's money, sometimes more money than was asked for, and
// sometimes a refund. What is asked is the same at every retry, to the byte; what must be answered is
// worked out here by arithmetic of the witness's own.

import { type CastShop, OTHER_SHOP, OTHER_USER, SHOP, USER } from "../../test/cast.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Random } from "../random.ts";
import type { Request } from "./ask.ts";

export type Step = "create" | "details" | "transfer" | "extra" | "refund";

/** What becomes of an order, and how often in a hundred. */
const ENDINGS = {
  paid: [61, "create", "details", "transfer"],
  "paid twice": [4, "create", "details", "transfer", "extra"],
  refunded: [8, "create", "details", "transfer", "refund"],
  "refunded in part": [13, "create", "details", "transfer", "refund"],
  // Rare: a requisite has only so many details, and each that nobody pays holds one for a while.
  "never paid": [0.5, "create", "details"],
  "never looked at": [4, "create"],
  "too small": [3, "create"],
  "stray money": [6.5, "extra"],
} as const satisfies Record<string, readonly [number, ...Step[]]>;

type Ending = keyof typeof ENDINGS;
const WEIGHTS = Object.fromEntries(
  Object.entries(ENDINGS).map(([ending, [weight]]) => [ending, weight]),
) as Record<Ending, number>;

export interface Life {
  readonly name: string;
  readonly ending: Ending;
  readonly shop: CastShop;
  readonly userId: string;
  readonly service: "p2p_card" | "p2p_sbp";
  readonly bank: "sber" | "tinkoff";
  readonly amountMinor: number;
  /** The exact text of every answer that was a success. */
  readonly heard: Partial<Record<Step, string>>;
  /** Whether its end is reached. */
  over: boolean;
}

/** The sandbox's cards; stray money comes in amounts that no order can ask for. */
const STRAY_WALLETS = ["2202200000000007", "2202200000000015", "2200700000000008"];
const LEAST_MINOR = 10_000;
const STRAY_LEAST_MINOR = 20_000_000;

export function newLife(name: string, random: Random): Life {
  const ending = random.weighted(WEIGHTS);
  const isOther = random.chance(0.3);
  const amountMinor = random.between(LEAST_MINOR, 9_900_000);
  const odd: Partial<Record<Ending, number>> = {
    "too small": random.between(1, LEAST_MINOR - 1),
    "stray money": STRAY_LEAST_MINOR + amountMinor,
  };
  return {
    ...{ name, ending, shop: isOther ? OTHER_SHOP : SHOP },
    userId: isOther ? OTHER_USER.id : USER.id,
    // Only money that is not frozen can go back.
    service: ending.startsWith("refunded") || random.chance(0.3) ? "p2p_sbp" : "p2p_card",
    bank: random.pick(["sber", "tinkoff"] as const),
    amountMinor: odd[ending] ?? amountMinor,
    ...{ heard: {}, over: false },
  };
}

export function nextStep({ ending, heard, over }: Life): Step | undefined {
  const [, ...steps]: readonly [number, ...Step[]] = ENDINGS[ending];
  return over ? undefined : steps.find((step) => heard[step] === undefined);
}

// biome-ignore lint/suspicious/noExplicitAny: whoever reads an answer says what is in it.
export const dataOf = (text: string | undefined): any =>
  text === undefined ? undefined : JSON.parse(text).data;

export const invoiceIdOf = (life: Life): string => dataOf(life.heard.create)?.id ?? "";
export const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` };
export const keyOf = (life: Life) => ({ "x-api-key": life.shop.key });
export const payerOf = (life: Life): string => `Payer of ${life.name}`;

/** What the payer was told to send. */
export const toPayMinor = (life: Life): number => minorOf(dataOf(life.heard.details)?.amount);

/** Two decimals at most, so the nearest whole number is the one that was meant. */
export const minorOf = (amount: unknown): number => Math.round(Number(amount) * 100);

/** The sandbox's tariffs, as its documentation gives them. */
export function feesOf({ amountMinor, service }: Life): { total: number; payer: number } {
  const percent = (rate: number): number => Math.ceil((amountMinor * rate) / 100);
  return service === "p2p_card"
    ? { total: percent(6), payer: percent(2) }
    : { total: percent(4) + 1_000, payer: 0 };
}

export const creditOf = (life: Life): number => toPayMinor(life) - feesOf(life).total;

export const refundOf = (life: Life): number =>
  life.ending === "refunded" ? creditOf(life) : Math.ceil(creditOf(life) / 3);

const extraOf = (life: Life): number =>
  life.ending === "stray money" ? life.amountMinor : toPayMinor(life);

interface Rules {
  readonly request: Request;
  /** What an answer must say, whatever else it says. */
  readonly expected: Readonly<Record<string, unknown>>;
  /** What a success adds to the witness's own sums. */
  readonly promised: Readonly<Record<string, number>>;
}

export function rulesOf(life: Life, step: Step): Rules {
  const { name, shop, userId, service, bank, amountMinor, heard } = life;
  const invoice_id = invoiceIdOf(life);
  const money = (minor: number): Request => {
    const stray = STRAY_WALLETS[amountMinor % STRAY_WALLETS.length];
    const wallet = dataOf(heard.details)?.wallet ?? stray;
    const body = {
      wallet,
      amount: minor / 100,
      payer: payerOf(life),
      reference: `${name} ${step}`,
    };
    return { path: "/sandbox/transfers", body, headers: operator };
  };
  switch (step) {
    case "create": {
      const order = { amount: amountMinor / 100, order_id: name, shop_id: shop.id, type: "direct" };
      const body = { ...order, include_service: [service], success_url: "https://shop.example/ok" };
      return {
        request: { path: "/invoice/create", body, headers: keyOf(life) },
        expected: { amount: (amountMinor / 100).toFixed(2), currency: "RUB", url: null },
        promised: {},
      };
    }
    case "details": {
      const body = { invoice_id, shop_id: shop.id, payment_data: { bank } };
      return {
        request: { path: "/invoice/h2h", body, headers: keyOf(life) },
        expected: { step_two_type: "p2p_data", url: null },
        promised: { payments: 1 },
      };
    }
    case "transfer":
      return {
        request: money(toPayMinor(life)),
        expected: { state: "matched", invoice_id },
        promised: { transfers: 1, [`credited ${userId}`]: creditOf(life) },
      };
    case "extra":
      return {
        request: money(extraOf(life)),
        expected: { state: "suspense", invoice_id: null },
        promised: { transfers: 1, suspense: extraOf(life) },
      };
    case "refund": {
      const amount = refundOf(life) / 100;
      const body = { invoice_id, amount, reason: name, reference: name };
      return {
        request: { path: "/manage/refunds", body, headers: operator },
        expected: { invoice_id, amount },
        promised: { refunds: 1, [`refunded ${userId}`]: refundOf(life) },
      };
    }
  }
}
