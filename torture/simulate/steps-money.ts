// Money that is told of, late and out of order, by banks whose clocks are off; assigned, returned, refunded.
// Beside the rule that each must follow there is the truth, which only the world knows: who paid for what.

import { WRITINGS } from "../../test/card-writings.ts";
import type { Random } from "../random.ts";
import {
  dayOf,
  decimal,
  type Money,
  madeWithin,
  NEAR,
  type Payment,
  type Transfer,
} from "./model.ts";
import { withCheckDigit } from "./settings.ts";
import { details } from "./steps-orders.ts";
import { operatorRequest, type World } from "./world.ts";

const PAYERS_CARD = withCheckDigit("427600001234567");
const WRITTEN = Object.values(WRITINGS).map((write) => write(PAYERS_CARD));

/** In the life of the details, in their quarantine, after it, or right now; never later than now. */
function drawMoment(random: Random, { issuedAt, endsAt, slotUntil }: Payment, now: number): number {
  const kinds = { life: 45, edge: 8, soon: 15, late: 10, after: 4, now: 18 };
  const within = (from: number, to: number): number =>
    Math.floor(from + random.next() * (to - from));
  const ms = {
    life: within(issuedAt, endsAt),
    edge: random.pick([issuedAt, endsAt - 1, endsAt, slotUntil - 1, slotUntil]),
    soon: within(endsAt, endsAt + 1_800_000),
    late: within(endsAt, slotUntil),
    after: within(slotUntil, slotUntil + 86_400_000),
    now,
  }[random.weighted(kinds)];
  return Math.min(Math.max(ms, issuedAt), now);
}

/** Somebody else's details on the same card, so near in amount that a slip reaches them. */
function nearTo(world: World, { requisite, toPay, invoice }: Payment): Payment[] {
  return world.model.payments.filter((one) => {
    const isNear = one.requisite === requisite && Math.abs(one.toPay - toPay) <= NEAR;
    return isNear && one.invoice !== invoice && one.toPay !== toPay;
  });
}

function drawMoney(world: World, random: Random): Money[] {
  const { payments } = world.model;
  const unpaid = payments.filter(({ invoice }) => !invoice.paid);
  const from = unpaid.length > 0 && random.chance(0.93) ? unpaid : payments;
  const meant = from[Math.max(random.below(from.length), random.below(from.length))];
  if (meant === undefined) return [];
  const near = random.chance(0.45) ? nearTo(world, meant) : [];
  const slip = near.toSorted((left, right) => left.endsAt - right.endsAt)[0];
  const amount = slip?.toPay ?? meant.toPay + (random.chance(0.1) ? random.pick([-1, 1, 37]) : 0);
  // A slip is told apart from money for the other by nothing but its moment: when only these were live.
  const isAlone = slip !== undefined && slip.endsAt < Math.min(meant.endsAt, world.now);
  const own = isAlone ? { ...meant, issuedAt: Math.max(meant.issuedAt, slip.endsAt) } : meant;
  // By a bank's clock that is behind it seems to have been paid before the details were issued.
  const isBehind = isAlone && random.chance(0.5);
  const drawn = drawMoment(random, own, world.now);
  const paidAt = isBehind ? Math.min(own.issuedAt + random.below(60_000), world.now) : drawn;
  const bankAheadMs = isBehind
    ? -240_000
    : random.weighted({ 0: 9, [-240_000]: 1, 240000: 1, 900000: 0.3 });
  const text = new Date(paidAt + Number(bankAheadMs)).toISOString();
  // As exact as the bank says it: to the millisecond, second, minute or day, or not at all.
  const [second, minute] = [`${text.slice(0, 19)}Z`, `${text.slice(0, 16)}Z`];
  const day = dayOf(paidAt + Number(bankAheadMs));
  const madeAt = random.pick([text, text, text, second, minute, day, ""]) || undefined;
  const reference = `ref ${random.below(2 ** 31)}`;
  return [{ requisite: meant.requisite, amount, reference, paidAt, meant, madeAt }];
}

function itemOf(random: Random, { requisite, amount, reference, madeAt }: Money) {
  return {
    wallet: requisite.card,
    amount: amount / 100,
    reference,
    ...(madeAt === undefined ? {} : { made_at: madeAt }),
    ...(random.chance(0.5) ? { payer: `P. Payer ${random.pick(WRITTEN)} x` } : {}),
  };
}

export async function tell(world: World, random: Random): Promise<string> {
  const { model } = world;
  if (model.transfers.length > 0 && random.chance(0.15)) return tellAgain(world, random);
  const wanted = random.chance(0.3) ? random.between(2, 4) : 1;
  const monies = Array.from({ length: wanted }, () => drawMoney(world, random)).flat();
  const items = monies.map((money) => itemOf(random, money));
  const [first] = items;
  if (first === undefined) return details(world, random);
  const isList = items.length > 1 || random.chance(0.2);
  if (isList) world.count("list of transfers");
  const request = operatorRequest("transfers", isList ? { items } : first);
  const { data, status, text, at, wasDone } = await world.ask(random, request);
  const alreadyPaid = new Set(model.payments.filter(({ credit }) => credit));
  const told = monies.map((money, index) => {
    const one = isList ? data?.items?.[index] : { status, ...data };
    const { amount, madeAt, requisite } = money;
    const said = `${amount} to ${requisite.card} made at ${madeAt ?? "?"} (${money.reference})`;
    const made = madeWithin(madeAt, at);
    if (made === undefined) {
      world.expect(one?.status === 422, `${said}, ahead, got ${text}`);
      return `${said}: ahead`;
    }
    const fate = model.fateOf(money, made, alreadyPaid);
    const right = typeof fate === "string" ? fate : fate.invoice.id;
    const got = one?.state === "matched" ? one.invoice_id : one?.suspense_reason;
    world.expect(got === right, `${said} is ${got} instead of ${right}: ${text}`);
    world.expect(wasDone || one.fresh !== undefined, `${said} got ${text}`);
    world.expect(!/\d{12}/.test(digitsIn(one.payer)), `a payer's card is kept: ${one.payer}`);
    const paid = typeof fate === "string" ? undefined : fate;
    checkTruth(world, money, paid, said);
    const transfer: Transfer = { id: one.transfer_id, money, made, state: "suspense" };
    model.transfers.push(transfer);
    if (paid !== undefined) model.credit(transfer, paid, at);
    countFate(world, right, paid, at);
    return `${said}: ${right}`;
  });
  return `tell ${told.join("; ")}`;
}

function countFate(world: World, right: string, paid: Payment | undefined, at: number): void {
  if (right === "contested") world.count("late contested");
  else if (right === "invoice_closed") world.count("money for a canceled order");
  else if (paid?.credit?.late) world.count("late credited");
  else if (paid && paid.endsAt < at) world.count("told after the details' end, paid in time");
  else if (paid) world.count("transfer matched");
}

/** Every script's digits, with nothing in between: as a reader would put them together. */
function digitsIn(text: string | null): string {
  const kept = [...(text ?? "")].filter((one) => /\p{Nd}|\*/u.test(one));
  return kept.map((one) => (one === "*" ? one : "0")).join("");
}

/**
 * What is true whatever rule there is. A bank that says the moment rightly: while nobody else can have been
 * given the card and the amount, money goes to nobody but whom it was paid for, unless by a slip; by a slip
 * never to details that had ended while the payer's own were live; and what was paid in time, to the kopeck,
 * is paid.
 */
function checkTruth(world: World, money: Money, paid: Payment | undefined, said: string): void {
  const { meant, paidAt, madeAt, amount } = money;
  if (madeAt === undefined || Date.parse(madeAt) !== paidAt) return;
  const isSlip = amount !== meant.toPay;
  const isInTime = paidAt < meant.endsAt && !meant.invoice.paid;
  const isStranger = paid !== undefined && paid.invoice !== meant.invoice;
  const isTaken = isStranger && !isSlip && paidAt < meant.slotUntil;
  world.expect(!isTaken, `${said} was for ${meant.id} and paid ${paid?.id}`);
  const isSquatter = isStranger && paid.endsAt <= paidAt && isInTime;
  world.expect(!isSquatter, `${said}, a slip of ${meant.id}, paid ended details of ${paid?.id}`);
  const isDue = !isSlip && isInTime && !meant.invoice.isCanceled && amount > meant.fee;
  world.expect(!isDue || paid === meant, `${said}, paid in time, did not pay ${meant.id}`);
}

/** The same once more, whatever moment it says; another amount under its reference; a card as one. */
async function tellAgain(world: World, random: Random): Promise<string> {
  const { money, id, state } = random.pick(world.model.transfers);
  const kind = random.pick(["same", "same", "amount", "card"] as const);
  const amount = kind === "amount" ? money.amount + 100 : money.amount;
  const reference =
    kind === "card"
      ? `no ${PAYERS_CARD.slice(0, 8)}\u00a0${PAYERS_CARD.slice(8)}`
      : money.reference;
  const madeAt = new Date(world.now - random.below(1e8)).toISOString();
  const item = itemOf(random, { ...money, amount, reference, madeAt });
  const { status, text, data } = await world.ask(random, operatorRequest("transfers", item));
  const isSame = data?.transfer_id === id && data.state === state && data.fresh === false;
  const isRight = kind === "same" ? isSame : status === 422;
  world.expect(isRight, `${kind} ${money.reference} again got ${text}, first ${id} ${state}`);
  world.count(`reference again: ${kind}`);
  return `${kind} ${money.reference} again`;
}

/** By hand: to whoever the operator says, or back. */
export async function settle(world: World, random: Random): Promise<string> {
  const { model } = world;
  const waiting = model.transfers.filter(({ state }) => state === "suspense");
  if (waiting.length === 0) return tell(world, random);
  const transfer = random.pick(random.chance(0.9) ? waiting : model.transfers);
  const open = model.payments.filter(({ invoice }) => !invoice.paid);
  const payment = random.pick(open.length > 0 && random.chance(0.8) ? open : model.payments);
  const isReturn = random.chance(0.35);
  const { paid, isCanceled } = payment.invoice;
  const isPayable = !paid && !isCanceled && transfer.money.amount > payment.fee;
  const isRight = transfer.state === "suspense" && (isReturn || isPayable);
  const act = isReturn ? "return" : "assign";
  const body = isReturn ? { reason: "r" } : { reason: "r", payment_id: payment.id };
  const request = operatorRequest(`transfers/${transfer.id}/${act}`, body);
  const { status, text, wasDone, at } = await world.ask(random, request, false);
  const said = `${act} ${transfer.id} ${isReturn ? "" : payment.id}`;
  world.expect((status === 200) === (isRight && !wasDone), `${said} got ${text}`);
  if (!isRight) return `${said}: refused`;
  if (isReturn) transfer.state = "returned";
  else model.credit(transfer, payment, at);
  world.count(`${act} by hand`);
  return said;
}

export async function refund(world: World, random: Random): Promise<string> {
  const { model } = world;
  const paid = model.invoices.filter((one) => one.paid?.credit);
  if (paid.length === 0) return tell(world, random);
  const { id, paid: payment, shop, story } = random.pick(paid);
  if (payment?.credit === undefined) return "nothing is paid";
  const { net } = payment.credit;
  const left = net - payment.refunded;
  const amount = Math.max(1, random.pick([left, left, left + 1, Math.ceil(left / 2), net]));
  const reference = `refund ${random.below(2)}`;
  const key = `${id} ${reference}`;
  const first = model.refunds.get(key);
  const said = `refund ${amount} of ${id} as ${reference}`;
  const body = { invoice_id: id, amount: amount / 100, reason: "r", reference };
  const { status, text, data } = await world.ask(random, operatorRequest("refunds", body));
  if (first !== undefined) {
    const isSame = first.startsWith(`${amount} `);
    const isRight = isSame ? first === `${amount} ${data?.refund_id}` : status === 422;
    world.expect(isRight, `${said} got ${text}, first ${first}`);
    world.count("refund asked for again");
    return `${said} again`;
  }
  const { least, most } = model.balanceOf(shop.user, world.now);
  const isWrong =
    status === 200 ? amount > left || amount > most : amount <= left && amount <= least;
  world.expect(!isWrong, `${said} got ${text}`);
  world.count(status === 200 ? "refunded" : "refund refused");
  if (status !== 200) return `${said}: refused`;
  model.refunds.set(key, `${amount} ${data.refund_id}`);
  payment.refunded += amount;
  story.push({ status: "refund", type: 2, code: 20, refund_amount: decimal(amount) });
  return said;
}
