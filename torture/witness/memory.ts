// Whether the gateway remembers: what is stored of a life is asked for through the front door and
// compared with what the life was told.

import type { Answer } from "../../test/gateway.ts";
import type { Insist } from "./ask.ts";
import {
  creditOf,
  dataOf,
  feesOf,
  invoiceIdOf,
  keyOf,
  type Life,
  minorOf,
  operator,
  payerOf,
  refundOf,
  rulesOf,
  type Step,
  toPayMinor,
} from "./life.ts";

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

/** Whether what was asked for without an answer is there. */
export async function isStored(life: Life, step: Step, insist: Insist): Promise<boolean> {
  if (step === "create") return (await infoOf(life, insist)).status === 200;
  if (step === "transfer" || step === "extra") {
    const query = new URLSearchParams({ reference: `${life.name} ${step}` });
    const { body } = await insist({ path: `/manage/transfers?${query}`, headers: operator });
    return body.data.items.length > 0;
  }
  const whole = await wholeOf(life, insist);
  return (step === "details" ? whole.payments : whole.refunds).length > 0;
}

/** Everything that is not as the life was told. Asked of a gateway at rest, it moves nothing. */
export async function forgotten(life: Life, insist: Insist): Promise<string[]> {
  const wrong: string[] = [];
  const { heard, ending } = life;
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
  return heard.transfer === undefined ? wrong : [...wrong, ...(await wholeForgotten(life, insist))];
}

async function wholeForgotten(life: Life, insist: Insist): Promise<string[]> {
  const { payments, transfers, refunds } = await wholeOf(life, insist);
  const { transfer, refund } = life.heard;
  const expected = {
    payments: 1,
    transfers: dataOf(transfer).transfer_id,
    refunds: dataOf(refund)?.refund_id ?? "",
    received: toPayMinor(life) / 100,
    credited: creditOf(life) / 100,
    refunded: refund === undefined ? 0 : refundOf(life) / 100,
  };
  return differences(expected, {
    ...payments[0],
    payments: payments.length,
    transfers: String(transfers.map((one: { transfer_id: string }) => one.transfer_id)),
    refunds: String(refunds.map((one: { refund_id: string }) => one.refund_id)),
  });
}

function infoExpected(life: Life): Fields {
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
