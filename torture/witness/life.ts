// One life: an order, where to pay it, the payer's money, sometimes more money than was asked for, and
// sometimes a refund. What is asked is the same at every retry, to the byte; what must be answered is
// worked out here by arithmetic of the witness's own.

import { type CastShop, OTHER_SHOP, OTHER_USER, SHOP, USER } from "../../test/cast.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Random } from "../random.ts";
import type { Request } from "./ask.ts";

export type Step = "create" | "details" | "transfer" | "extra" | "refund";

/** What becomes of an order. */
const ENDINGS = {
  paid: ["create", "details", "transfer"],
  "paid twice": ["create", "details", "transfer", "extra"],
  refunded: ["create", "details", "transfer", "refund"],
  "refunded in part": ["create", "details", "transfer", "refund"],
  "never paid": ["create", "details"],
  "never looked at": ["create"],
  "too small": ["create"],
  "stray money": ["extra"],
} as const satisfies Record<string, readonly Step[]>;

type Ending = keyof typeof ENDINGS;

/** Details that nobody pays are rare: a requisite has only so many, and each holds one for a while. */
const WEIGHTS: Readonly<Record<Ending, number>> = {
  paid: 61,
  "paid twice": 4,
  refunded: 8,
  "refunded in part": 13,
  "never paid": 0.5,
  "never looked at": 4,
  "too small": 3,
  "stray money": 6.5,
};

type Service = "p2p_card" | "p2p_sbp";

export interface Life {
  readonly name: string;
  readonly ending: Ending;
  readonly shop: CastShop;
  readonly userId: string;
  readonly service: Service;
  readonly bank: "sber" | "tinkoff";
  readonly amountMinor: number;
  /** The exact text of every answer that was a success. */
  readonly heard: Partial<Record<Step, string>>;
  /** Sent, and never answered. */
  doubt: Step | undefined;
  /** Whether its end is reached. */
  over: boolean;
}

export const USERS = [USER, OTHER_USER] as const;

/** The sandbox's cards; stray money comes in amounts that no order can ask for. */
const STRAY_WALLETS = ["2202200000000007", "2202200000000015", "2200700000000008"];
const [LEAST_MINOR, MOST_MINOR] = [10_000, 9_900_000];
const [STRAY_LEAST_MINOR, STRAY_MOST_MINOR] = [20_000_000, 90_000_000];

export function newLife(name: string, random: Random): Life {
  const ending = random.weighted(WEIGHTS);
  const isOther = random.chance(0.3);
  return {
    ...{ name, ending, shop: isOther ? OTHER_SHOP : SHOP },
    userId: isOther ? OTHER_USER.id : USER.id,
    // Only money that is not frozen can go back.
    service: ending.startsWith("refunded") || random.chance(0.3) ? "p2p_sbp" : "p2p_card",
    bank: random.pick(["sber", "tinkoff"] as const),
    amountMinor:
      ending === "too small"
        ? random.between(1, LEAST_MINOR - 1)
        : ending === "stray money"
          ? random.between(STRAY_LEAST_MINOR, STRAY_MOST_MINOR)
          : random.between(LEAST_MINOR, MOST_MINOR),
    ...{ heard: {}, doubt: undefined, over: false },
  };
}

export function nextStep({ ending, heard, over }: Life): Step | undefined {
  const steps: readonly Step[] = ENDINGS[ending];
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
const rubles = (minor: number): number => minor / 100;

/** The sandbox's tariffs, as its documentation gives them. */
export function feesOf({ amountMinor, service }: Life): { total: number; payer: number } {
  return service === "p2p_card"
    ? { total: percent(amountMinor, 6), payer: percent(amountMinor, 2) }
    : { total: percent(amountMinor, 4) + 1_000, payer: 0 };
}

const percent = (minor: number, rate: number): number => Math.ceil((minor * rate) / 100);

export const creditOf = (life: Life): number => toPayMinor(life) - feesOf(life).total;

export const refundOf = (life: Life): number =>
  life.ending === "refunded" ? creditOf(life) : Math.ceil(creditOf(life) / 3);

export const extraAmountOf = (life: Life): number =>
  life.ending === "stray money" ? life.amountMinor : toPayMinor(life);

export function requestOf(life: Life, step: Step): Request {
  const { name, shop, service, bank, amountMinor } = life;
  const reported = (wallet: string, minor: number): Request => ({
    path: "/sandbox/transfers",
    body: {
      ...{ wallet, amount: rubles(minor), payer: payerOf(life) },
      reference: `${name} ${step}`,
    },
    headers: operator,
  });
  const wallet = (): string =>
    dataOf(life.heard.details)?.wallet ?? STRAY_WALLETS[amountMinor % STRAY_WALLETS.length];
  switch (step) {
    case "create":
      return {
        path: "/invoice/create",
        body: {
          ...{ amount: rubles(amountMinor), order_id: name, shop_id: shop.id, type: "direct" },
          ...{ include_service: [service], success_url: "https://shop.example/ok" },
        },
        headers: keyOf(life),
      };
    case "details":
      return {
        path: "/invoice/h2h",
        body: { invoice_id: invoiceIdOf(life), shop_id: shop.id, payment_data: { bank } },
        headers: keyOf(life),
      };
    case "transfer":
      return reported(wallet(), toPayMinor(life));
    case "extra":
      return reported(wallet(), extraAmountOf(life));
    case "refund":
      return {
        path: "/manage/refunds",
        body: {
          ...{ invoice_id: invoiceIdOf(life), amount: rubles(refundOf(life)) },
          ...{ reason: name, reference: name },
        },
        headers: operator,
      };
  }
}

/** What an answer must say, whatever else it says. */
export function expectedOf(life: Life, step: Step): Readonly<Record<string, unknown>> {
  const invoice_id = invoiceIdOf(life);
  switch (step) {
    case "create":
      return { amount: rubles(life.amountMinor).toFixed(2), currency: "RUB", url: null };
    case "details":
      return { step_two_type: "p2p_data", url: null };
    case "transfer":
      return { state: "matched", invoice_id };
    case "extra":
      return { state: "suspense", invoice_id: null };
    case "refund":
      return { invoice_id, amount: rubles(refundOf(life)) };
  }
}
