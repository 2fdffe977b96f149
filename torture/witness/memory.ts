// Whether the gateway remembers: what is stored of a life is asked for through the front door and
// compared with what the life was told.

import type { Answer } from "../../test/gateway.ts";
import type { Request } from "./ask.ts";
import {
  creditOf,
  dataOf,
  expectedOf,
  feesOf,
  invoiceIdOf,
  keyOf,
  type Life,
  minorOf,
  operator,
  payerOf,
  refundOf,
  requestOf,
  type Step,
  toPayMinor,
} from "./life.ts";

/** Asks until there is an answer. */
export type Insist = (request: Request) => Promise<Answer>;

/** The payer may have been told up to 99 kopecks more, so that the amount is nobody else's. */
const MOST_NUDGE_MINOR = 99;

/** What is wrong with an answer that was a success. */
export function wrongIn(life: Life, step: Step, text: string): string[] {
  const data = dataOf(text);
  const wrong = differences(expectedOf(life, step), data);
  if (step === "details") {
    const least = life.amountMinor + feesOf(life).payer;
    const told = minorOf(data.amount);
    if (!(told >= least && told <= least + MOST_NUDGE_MINOR)) wrong.push(`amount ${data.amount}`);
  }
  return wrong;
}

/** Whether what was asked for without an answer is there. */
export async function isStored(life: Life, step: Step, insist: Insist): Promise<boolean> {
  if (step === "create") return (await infoOf(life, insist)).status === 200;
  if (step === "transfer" || step === "extra") {
    const { body } = requestOf(life, step);
    const found = await insist({
      path: `/manage/transfers?${new URLSearchParams({ reference: String(body?.["reference"]) })}`,
      headers: operator,
    });
    return found.body.data.items.length > 0;
  }
  const whole = await wholeOf(life, insist);
  return (step === "details" ? whole.payments : whole.refunds).length > 0;
}

/** Everything that is not as the life was told. Asked of a gateway at rest, it moves nothing. */
export async function forgotten(life: Life, insist: Insist): Promise<string[]> {
  const wrong: string[] = [];
  const { heard } = life;
  if (life.ending !== "stray money") {
    const info = await infoOf(life, insist);
    if (heard.create === undefined) {
      if (info.status !== 404) wrong.push(`was never taken, yet there is ${info.text}`);
      return wrong;
    }
    if (info.status !== 200) return [`was taken, and info says ${info.status} ${info.text}`];
    wrong.push(...differences(infoExpected(life), info.body.data).map((one) => `info: ${one}`));
  }
  for (const step of ["create", "details", "transfer", "extra", "refund"] as const) {
    if (heard[step] === undefined) continue;
    const again = await insist(requestOf(life, step));
    // Details of what is paid are given out no more.
    if (step === "details" && heard.transfer !== undefined) {
      if (again.status !== 422) wrong.push(`details of what is paid: ${again.text}`);
    } else if (again.text !== repeatOf(step, heard[step])) {
      wrong.push(`${step} was answered ${heard[step]}, and now ${again.text}`);
    }
  }
  if (heard.transfer !== undefined) wrong.push(...(await wholeForgotten(life, insist)));
  return wrong;
}

/** The same answer again; of money that is told again it says that it is no longer new. */
function repeatOf(step: Step, heard: string): string {
  const isMoney = step === "transfer" || step === "extra";
  return isMoney ? heard.replace('"fresh":true', '"fresh":false') : heard;
}

async function wholeForgotten(life: Life, insist: Insist): Promise<string[]> {
  const { payments, transfers, refunds } = await wholeOf(life, insist);
  const { heard } = life;
  const wrong: string[] = [];
  const ids = transfers.map((one: { transfer_id: string }) => one.transfer_id);
  const told = [dataOf(heard.transfer).transfer_id];
  if (String(ids) !== String(told)) wrong.push(`paid by ${told}, and stored are ${ids}`);
  if (payments.length !== 1) wrong.push(`${payments.length} payments`);
  const refundIds = refunds.map((one: { refund_id: string }) => one.refund_id);
  const toldRefunds = heard.refund === undefined ? [] : [dataOf(heard.refund).refund_id];
  if (String(refundIds) !== String(toldRefunds)) {
    wrong.push(`refunds were [${toldRefunds}], and stored are [${refundIds}]`);
  }
  const sums = {
    received: toPayMinor(life) / 100,
    credited: creditOf(life) / 100,
    refunded: heard.refund === undefined ? 0 : refundOf(life) / 100,
  };
  return [...wrong, ...differences(sums, payments[0] ?? {})];
}

function infoExpected(life: Life): Record<string, unknown> {
  const { heard, name, shop, service, ending, amountMinor } = life;
  const always = {
    ...{ invoice_id: invoiceIdOf(life), order_id: name, shop_id: shop.id },
    ...{ invoice_amount: amountMinor / 100, currency: "RUB" },
    expired_at: dataOf(heard.create).expired,
  };
  if (heard.transfer === undefined) return { ...always, credited: null, paid_at: null };
  const wasRefunded = ending === "refunded" && heard.refund !== undefined;
  return {
    ...always,
    ...{ status: wasRefunded ? "refund" : "success", credited: creditOf(life) / 100 },
    ...{ pay_service: service, payer_details: payerOf(life) },
    commission_amount: feesOf(life).total / 100,
    user_commission_amount: feesOf(life).payer / 100,
  };
}

function infoOf(life: Life, insist: Insist): Promise<Answer> {
  const query = new URLSearchParams({ shop_id: life.shop.id, order_id: life.name });
  return insist({ path: `/invoice/info?${query}`, headers: keyOf(life) });
}

async function wholeOf(life: Life, insist: Insist) {
  const path = `/manage/invoices/${invoiceIdOf(life)}`;
  const { status, text, body } = await insist({ path, headers: operator });
  if (status !== 200) throw new Error(`${life.name} was taken, and is not there: ${text}`);
  return body.data;
}

function differences(
  expected: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => found[name] !== value)
    .map(([name, value]) => `${name} should be ${value} and is ${found[name]}`);
}
