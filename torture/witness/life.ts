// One life: an order, where to pay it, the payer's money, sometimes more money than was asked for, and
// sometimes a refund. What is asked is the same at every retry, to the byte; what must be answered is
// worked out here by arithmetic of the witness's own, and asked for again through the front door.

import { type CastShop, OTHER_SHOP, OTHER_USER, SHOP, USER } from "../../test/cast.ts";
import type { Answer } from "../../test/gateway.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Random } from "../random.ts";
import type { Insist, Request } from "./ask.ts";

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
    name,
    ending,
    shop: isOther ? OTHER_SHOP : SHOP,
    userId: isOther ? OTHER_USER.id : USER.id,
    // Only money that is not frozen can go back.
    service: ending.startsWith("refunded") || random.chance(0.3) ? "p2p_sbp" : "p2p_card",
    bank: random.pick(["sber", "tinkoff"] as const),
    amountMinor: odd[ending] ?? amountMinor,
    heard: {},
    over: false,
  };
}

export function nextStep({ ending, heard, over }: Life): Step | undefined {
  const [, ...steps]: readonly [number, ...Step[]] = ENDINGS[ending];
  return over ? undefined : steps.find((step) => heard[step] === undefined);
}

// biome-ignore lint/suspicious/noExplicitAny: whoever reads an answer says what is in it.
const dataOf = (text: string | undefined): any =>
  text === undefined ? undefined : JSON.parse(text).data;

export const invoiceIdOf = (life: Life): string => dataOf(life.heard.create)?.id ?? "";
export const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const keyOf = (life: Life) => ({ "x-api-key": life.shop.key });
const payerOf = (life: Life): string => `Payer of ${life.name}`;

/** What the payer was told to send. */
const toPayMinor = (life: Life): number => minorOf(dataOf(life.heard.details)?.amount);

/** Two decimals at most, so the nearest whole number is the one that was meant. */
export const minorOf = (amount: unknown): number => Math.round(Number(amount) * 100);

/** The sandbox's tariffs, as its documentation gives them. */
function feesOf({ amountMinor, service }: Life): { total: number; payer: number } {
  const percent = (rate: number): number => Math.ceil((amountMinor * rate) / 100);
  return service === "p2p_card"
    ? { total: percent(6), payer: percent(2) }
    : { total: percent(4) + 1_000, payer: 0 };
}

const creditOf = (life: Life): number => toPayMinor(life) - feesOf(life).total;

const refundOf = (life: Life): number =>
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

/** The payer may have been told up to 99 kopecks more, so that the amount is nobody else's. */
const MOST_NUDGE_MINOR = 99;

type Fields = Readonly<Record<string, unknown>>;

const differences = (expected: Fields, found: Fields): string[] =>
  Object.entries(expected)
    .filter(([name, value]) => found[name] !== value)
    .map(([name, value]) => `${name} should be ${value} and is ${found[name]}`);

/** What is wrong with an answer that was a success. */
export function wrongIn(life: Life, step: Step, text: string): string[] {
  const data = dataOf(text);
  const wrong = differences(rulesOf(life, step).expected, data);
  if (step !== "details") return wrong;
  const nudge = minorOf(data.amount) - life.amountMinor - feesOf(life).payer;
  return nudge >= 0 && nudge <= MOST_NUDGE_MINOR ? wrong : [...wrong, `amount ${data.amount}`];
}

/** Everything that is not as the life was told. Asked of a gateway at rest, it moves nothing. */
export async function forgotten(life: Life, insist: Insist): Promise<string[]> {
  const { heard, ending } = life;
  const wrong: string[] = [];
  if (ending !== "stray money") {
    const { status, text, body } = await infoOf(life, insist);
    if (heard.create === undefined) {
      return status === 404 ? [] : [`was never taken, yet there is ${text}`];
    }
    if (status !== 200) return [`was taken, and info says ${status} ${text}`];
    wrong.push(...differences(infoExpected(life), body.data).map((one) => `info: ${one}`));
  }
  for (const step of Object.keys(heard) as Step[]) {
    const { status, text } = await insist(rulesOf(life, step).request);
    // Of money that is told again it says that it is no longer new.
    const told = heard[step]?.replace('"fresh":true', '"fresh":false');
    // Details of what is paid are given out no more.
    const isOver = step === "details" && heard.transfer !== undefined;
    if (isOver ? status !== 422 : text !== told) wrong.push(`${step} was ${told}, and now ${text}`);
  }
  return wrong;
}

function infoExpected(life: Life): Fields {
  const { heard, name, shop, service, ending, amountMinor } = life;
  const always = {
    invoice_id: invoiceIdOf(life),
    order_id: name,
    shop_id: shop.id,
    invoice_amount: amountMinor / 100,
    currency: "RUB",
    expired_at: dataOf(heard.create).expired,
  };
  if (heard.transfer === undefined) return { ...always, credited: null, paid_at: null };
  const wasRefunded = ending === "refunded" && heard.refund !== undefined;
  return {
    ...always,
    status: wasRefunded ? "refund" : "success",
    credited: creditOf(life) / 100,
    pay_service: service,
    payer_details: payerOf(life),
    commission_amount: feesOf(life).total / 100,
    user_commission_amount: feesOf(life).payer / 100,
  };
}

function infoOf(life: Life, insist: Insist): Promise<Answer> {
  const query = new URLSearchParams({ shop_id: life.shop.id, order_id: life.name });
  return insist({ path: `/invoice/info?${query}`, headers: keyOf(life) });
}
