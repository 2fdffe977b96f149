// Money that arrives, is assigned, returned and refunded.

import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Random } from "../random.ts";
import type { Answer, Request } from "./process.ts";
import type { Payment, Requisite, Transfer } from "./records.ts";
import { details, type Step } from "./steps-shop.ts";
import type { World } from "./world.ts";

export function operatorRequest(path: string, body: Record<string, unknown>): Request {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  return { method: "POST", path, headers, body };
}

interface Arrival {
  readonly requisite: Requisite;
  readonly amount: number;
  readonly reference: string;
}

const transferRequest = ({ requisite, amount, reference }: Arrival): Request =>
  operatorRequest("/manage/transfers", {
    ...{ wallet: requisite.card, amount: amount / 100, reference, payer: "Payer P." },
  });

function storedUnder({ model }: World, { requisite, reference }: Arrival): Transfer | undefined {
  return model.transfers.find((one) => one.requisite === requisite && one.reference === reference);
}

/** The model's word on an answer to a transfer. */
function judgeArrival(world: World, arrival: Arrival, answer: Answer): string {
  const { model, now } = world;
  const first = storedUnder(world, arrival);
  if (first !== undefined && first.amount !== arrival.amount) {
    world.count("reference with another amount");
    world.expect(answer.status === 422, `another amount as ${first.reference} got ${answer.text}`);
    return "refused";
  }
  world.expect(answer.status === 200, `transfer ${arrival.reference} got ${answer.text}`);
  const { transfer_id: id, state, invoice_id } = answer.data;
  const told = `${state} ${invoice_id}`;
  if (first !== undefined) {
    world.count("transfer repeated");
    world.expect(answer.data.fresh === false, `transfer ${id} was called new again`);
    world.expect(id === first.id, `transfer ${arrival.reference} was stored twice`);
    const wanted = `${first.state} ${first.payment?.invoice.id ?? null}`;
    world.expect(told === wanted, `transfer ${id} is ${told} instead of ${wanted}`);
    return `again ${told}`;
  }
  const holder = model.holderOf(arrival.requisite, arrival.amount, now);
  const isLate = holder !== undefined && model.isPayable(holder) && model.isLate(holder, now);
  if (isLate && model.isContested(holder, now)) world.count("late contested");
  const transfer: Transfer = { ...arrival, id, toldAt: now, state: "suspense", payment: null };
  const wasPaid = holder?.state === "paid" || holder?.invoice.state === "paid";
  model.arrive(transfer, now);
  const wanted = `${transfer.state} ${transfer.payment?.invoice.id ?? null}`;
  world.expect(told === wanted, `transfer ${id} is ${told} instead of ${wanted}`);
  if (transfer.state === "matched") world.count("transfer matched");
  if (isLate) world.count(transfer.state === "matched" ? "late credited" : "late held");
  else if (wasPaid) world.count("second transfer");
  return `${told} as ${id}`;
}

const KINDS = {
  exact: 40,
  wrong: 10,
  repeated: 12,
  changed: 6,
  paid: 8,
  stale: 20,
  contested: 24,
  old: 4,
  nowhere: 2,
};

function drawArrival(world: World, random: Random, kind: keyof typeof KINDS): Arrival | undefined {
  const { model, now } = world;
  const reference = `ref ${model.transfers.length} ${random.below(1_000_000)}`;
  const to = (payments: readonly Payment[], more = 0): Arrival | undefined => {
    if (payments.length === 0) return undefined;
    const { requisite, toPay } = random.pick(payments);
    return { requisite, amount: Math.max(1, toPay + more), reference };
  };
  const { payments, transfers } = model;
  const live = payments.filter(({ state }) => state === "live");
  const lapsed = payments.filter(({ state }) => state === "lapsed");
  switch (kind) {
    case "exact":
      return to(live);
    case "wrong":
      return to(live, random.pick([-1, 1, -5_000, 5_000, 37]));
    case "paid":
      return to(payments.filter(({ state }) => state === "paid"));
    case "stale":
      return to(lapsed.filter((one) => one.slotUntil > now));
    case "contested":
      return to(lapsed.filter((one) => one.slotUntil > now && model.isContested(one, now)));
    case "old":
      return to(payments.filter((one) => one.slotUntil <= now));
    case "repeated":
      return transfers.length === 0 ? undefined : random.pick(transfers);
    case "changed": {
      if (transfers.length === 0) return undefined;
      const known = random.pick(transfers);
      const amount = to(live)?.amount ?? known.amount + 1;
      return { requisite: known.requisite, reference: known.reference, amount };
    }
    case "nowhere":
      return undefined;
  }
}

export const pay: Step = async (world, random) => {
  const kind = random.weighted(KINDS);
  const process = world.process(random);
  if (kind === "nowhere") {
    const body = { wallet: "2202209999999999", amount: 100, reference: "to nobody" };
    const answer = await world.insist(process, operatorRequest("/manage/transfers", body));
    world.expect(answer.status === 422, `money on an unknown wallet got ${answer.text}`);
    world.count("unknown wallet");
    return "pay an unknown wallet: refused";
  }
  const arrival = drawArrival(world, random, kind);
  if (arrival === undefined) return details(world, random);
  if (kind === "old") world.count("after quarantine");
  const answer = await world.insist(process, transferRequest(arrival));
  const { requisite, amount, reference } = arrival;
  const told = judgeArrival(world, arrival, answer);
  return `pay ${kind} ${amount} on ${requisite.card} as "${reference}": ${told}`;
};

/** Two notices in one set: of one transfer, or of two for one payment. */
export const payTwice: Step = async (world, random) => {
  const arrival = drawArrival(world, random, "exact");
  if (arrival === undefined) return "pay twice: nothing to pay";
  const kind = random.pick(["one reference", "two references", "one reference, two amounts"]);
  const { reference, amount } = arrival;
  const second = {
    ...arrival,
    reference: kind === "two references" ? `${reference} too` : reference,
    amount: kind === "one reference, two amounts" ? amount + 1 : amount,
  };
  const process = world.process(random);
  const ask = ({ requisite, amount, reference }: Arrival): Promise<Answer> =>
    process.ask(
      operatorRequest("/sandbox/transfers", {
        ...{ wallet: requisite.card, amount: amount / 100, reference },
      }),
    );
  const answers = await Promise.all([arrival, second].map(ask));
  world.count("same request twice at once");
  const told = [arrival, second].map((one, n) => judgeArrival(world, one, answers[n] as Answer));
  return `pay twice at once (${kind}): ${told.join("; ")}`;
};

const ofSuspense = ({ model }: World, random: Random): Transfer | undefined => {
  const waiting = model.transfers.filter(({ state }) => state === "suspense");
  const from = waiting.length > 0 && random.chance(0.85) ? waiting : model.transfers;
  return from.length === 0 ? undefined : random.pick(from);
};

export const assign: Step = async (world, random) => {
  const { model, now } = world;
  const transfer = ofSuspense(world, random);
  const payable = model.payments.filter((one) => model.isPayable(one));
  const from = payable.length > 0 && random.chance(0.8) ? payable : model.payments;
  if (transfer === undefined || from.length === 0) return pay(world, random);
  const payment = random.pick(from);
  const path = `/manage/transfers/${transfer.id}/assign`;
  const request = operatorRequest(path, { payment_id: payment.id, reason: "they called" });
  const isRight =
    transfer.state === "suspense" && model.isPayable(payment) && transfer.amount > payment.fee;
  const answer = await world.attempt(world.process(random), request);
  const status = answer === "done" ? 200 : answer.status;
  const what = `assign ${transfer.id} (${transfer.amount}) to ${payment.id} (${payment.toPay})`;
  world.expect(status === (isRight ? 200 : 422), `${what} got ${status}`);
  if (isRight) model.credit(transfer, payment, now);
  world.count(isRight ? "assigned by hand" : "assignment refused");
  return `${what}: ${status}`;
};

export const giveBack: Step = async (world, random) => {
  const transfer = ofSuspense(world, random);
  if (transfer === undefined) return pay(world, random);
  const path = `/manage/transfers/${transfer.id}/return`;
  const isRight = transfer.state === "suspense";
  const request = operatorRequest(path, { reason: "not ours" });
  const answer = await world.attempt(world.process(random), request);
  const status = answer === "done" ? 200 : answer.status;
  world.expect(status === (isRight ? 200 : 422), `return ${transfer.id} got ${status}`);
  if (isRight) world.model.giveBackTransfer(transfer);
  if (isRight) world.count("returned");
  return `return ${transfer.id}: ${status}`;
};
