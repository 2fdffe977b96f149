// GET /manage/tariffs/try: what a tariff would have cost in the last 30 days. It changes nothing.

import { minorFromNumber, ppmFromPercent, toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { feeOf, leavesCredit, type Rates } from "../../domain/tariff.ts";
import { currencyCode, decimal, percentage, Type, text, uuid } from "../../platform/field.ts";
import { Shops } from "../merchants/nouns.ts";
import { view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { Services } from "../tariffs/nouns.ts";
import { MOST_TRIED, paidLately } from "./tried-queries.ts";

const DAYS = 30;
const DAY_MS = 24 * 3_600_000;

const amount = (description: string) => Type.Number({ description, examples: [60] });

export const tryTariff = view({
  path: "/manage/tariffs/try",
  summary: "What a tariff would have cost in the last 30 days",
  description:
    `Of the newest paid payments, at most ${MOST_TRIED}: what their fees were, and what they would ` +
    "have been. Payers might have done otherwise; nothing is changed.",
  input: Type.Object({
    shop_id: Type.Optional(uuid({ description: "The shop; left out for all shops." })),
    service: text({ max: 64 }, { description: "Payment method code.", examples: ["p2p_card"] }),
    currency: Type.Optional(currencyCode({ description: "Currency code; RUB." })),
    shop_percent: percentage({
      description: "Commission percentage charged to the shop.",
      examples: [4],
    }),
    user_percent: percentage({
      description: "Commission percentage charged to the client.",
      examples: [2],
    }),
    fix: Type.Optional(decimal({ min: 0 }, { description: "Fixed commission; 0." })),
  }),
  data: Type.Object({
    from: isoMoment("Payments since then."),
    count: Type.Integer({ description: "How many were looked at.", examples: [120] }),
    capped: Type.Boolean({ description: "Whether there were more: then only the newest count." }),
    amount: amount("What shops had asked for."),
    fee: amount("What the fees were."),
    payer_fee: amount("What of it the payers paid."),
    tried_fee: amount("What the fees would have been."),
    tried_payer_fee: amount("What of it the payers would have paid."),
    difference: Type.Number({ description: "tried_fee less fee.", examples: [-12.5] }),
    refused: Type.Integer({
      description: "Payments of which nothing would have been left to credit.",
      examples: [0],
    }),
  }),
  notFound: "There is no such shop or payment method.",
  async read({ db, clock }, { shop_id, service, currency = "RUB", fix = 0, ...percents }) {
    await Services.find(db, service);
    const shopId = shop_id === undefined ? null : (await Shops.find(db, shop_id)).id;
    const userPercentPpm = ppmFromPercent(percents.user_percent) ?? 0;
    const percentPpm = (ppmFromPercent(percents.shop_percent) ?? 0) + userPercentPpm;
    if (percentPpm > 1_000_000) throw new Refusal("percent_too_large");
    const rates: Rates = { percentPpm, userPercentPpm, fixMinor: minorFromNumber(fix) ?? 0n };
    const from = new Date(clock.now().getTime() - DAYS * DAY_MS);
    const { rows, capped } = await paidLately(db, { shopId, service, currency, from });
    const sums = { amount: 0n, fee: 0n, payer_fee: 0n, tried_fee: 0n, tried_payer_fee: 0n };
    let [count, refused] = [0, 0];
    for (const { times, ...row } of rows) {
      const tried = feeOf(row.amount_minor, rates);
      count += Number(times);
      if (!leavesCredit(row.amount_minor, tried)) refused += Number(times);
      sums.amount += row.amount_minor * times;
      sums.fee += row.fee_minor;
      sums.payer_fee += row.payer_fee_minor;
      sums.tried_fee += tried.totalMinor * times;
      sums.tried_payer_fee += tried.payerMinor * times;
    }
    return {
      from: from.toISOString(),
      count,
      capped,
      refused,
      amount: toDecimalNumber(sums.amount),
      fee: toDecimalNumber(sums.fee),
      payer_fee: toDecimalNumber(sums.payer_fee),
      tried_fee: toDecimalNumber(sums.tried_fee),
      tried_payer_fee: toDecimalNumber(sums.tried_payer_fee),
      difference: toDecimalNumber(sums.tried_fee - sums.fee),
    };
  },
});
