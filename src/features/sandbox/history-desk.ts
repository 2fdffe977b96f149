// What people do in the sandbox's history: settings changed, payouts asked for and decided on, a statement brought,
// and money that waits beside the payments that it may have been meant for.

import { momentFormat } from "../../domain/moment.ts";
import type { StatementLine } from "../../domain/statement.ts";
import type { Endpoint } from "../../platform/endpoint.ts";
import { applyImportsJob } from "../intake/apply-imports.job.ts";
import { bringImport } from "../intake/manage-imports.endpoint.ts";
import { changeShop } from "../merchants/manage-shops.endpoint.ts";
import { sbpBanks } from "../payouts/bank-queries.ts";
import { wishOf } from "../payouts/create-payout.endpoint.ts";
import { approvePayout, refusePayout } from "../payouts/decide-payouts.endpoint.ts";
import { reservePayouts } from "../payouts/reserve.ts";
import { takePayout } from "../payouts/send-by-hand.endpoint.ts";
import { payoutTermsOfUsers } from "../payouts/tariff-queries.ts";
import { changeRequisite } from "../requisites/manage-requisites.endpoint.ts";
import { putTariff } from "../tariffs/manage-tariffs.endpoint.ts";
import { PAGE_SHOP_ID, REQUISITES, requisiteIdAt, SANDBOX_SHOP, SANDBOX_USER } from "./cast.ts";
import { sectionOf } from "./download-statement.page.ts";
import { type Counter, DAY_MS, HOUR_MS, MINUTE_MS, moneyOf } from "./history-orders.ts";
import type { Stage } from "./history-stage.ts";
import { writeStatement } from "./statement-writers.ts";

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
