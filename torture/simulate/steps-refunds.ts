// Money that goes back from what was credited.

import type { Random } from "../random.ts";
import type { Request } from "./process.ts";
import type { Refund } from "./records.ts";
import { operatorRequest, pay } from "./steps-money.ts";
import type { Step } from "./steps-shop.ts";
import { runJobs } from "./steps-time.ts";
import type { World } from "./world.ts";

function drawRefund({ model }: World, random: Random) {
  const paid = model.payments.filter(({ state }) => state === "paid");
  const released = paid.filter((one) =>
    model.freezes.some(({ payment, releasedAt }) => payment === one && releasedAt !== null),
  );
  const begun = released.filter(({ refunded, credited }) => refunded > 0 && refunded !== credited);
  const [from = []] = [begun, released, paid].filter(
    (some) => some.length > 0 && (some === paid || random.chance(0.7)),
  );
  if (from.length === 0) return undefined;
  const payment = random.pick(from);
  const credited = payment.credited ?? 0;
  const left = credited - payment.refunded;
  const kind = random.weighted({ part: 50, whole: 25, tooMuch: 15, everything: 10 });
  const amounts = {
    part: Math.ceil(left / 3),
    whole: left,
    tooMuch: left + 1,
    everything: credited,
  };
  return { payment, left, amount: Math.max(1, amounts[kind]) };
}

const refundRequest = ({ payment, amount, reference }: Refund): Request =>
  operatorRequest("/manage/refunds", {
    ...{ invoice_id: payment.invoice.id, amount: amount / 100, reason: "came back", reference },
  });

/** The model's word on whether it can be, and what follows. */
function judgeRefund(world: World, refund: Refund, status: number): string {
  const { payment, amount } = refund;
  const left = (payment.credited ?? 0) - payment.refunded;
  const isRight = amount <= left && amount <= payment.invoice.shop.user.available;
  const what = `refund ${amount} of ${left} of ${payment.invoice.id}`;
  world.expect(status === (isRight ? 200 : 422), `${what} got ${status}`);
  if (isRight) world.model.refund(refund);
  if (!isRight) world.count("refund refused");
  else world.count(amount === left ? "refunded whole" : "refunded in part");
  return `${what}: ${status}`;
}

/** What is frozen cannot be refunded: mostly it is waited for. */
async function awaitThaw(world: World, random: Random): Promise<void> {
  const { freezes } = world.model;
  const frozen = freezes.filter(({ releasedAt }) => releasedAt === null);
  const isThawed = freezes.some(
    ({ releasedAt, payment }) => releasedAt !== null && payment.refunded !== payment.credited,
  );
  if (isThawed || frozen.length === 0 || random.chance(0.3)) return;
  const { clock } = world.stage;
  clock.ms = Math.max(clock.ms, Math.min(...frozen.map(({ until }) => until)));
  await runJobs(world, random);
  // What the refund itself does is told from what the jobs have done.
  await world.check();
}

export const refund: Step = async (world, random) => {
  await awaitThaw(world, random);
  const made = world.model.refunds.filter(({ answer }) => answer !== undefined);
  if (made.length > 0 && random.chance(0.2)) return refundAgain(world, random, made);
  const drawn = drawRefund(world, random);
  if (drawn === undefined) return pay(world, random);
  const process = world.process(random);
  if (random.chance(0.3)) {
    // Nothing to be known by: whoever gets no answer must not ask again.
    const wish: Refund = { ...drawn, reference: undefined };
    const answer = await world.attempt(process, refundRequest(wish));
    return judgeRefund(world, wish, answer === "done" ? 200 : answer.status);
  }
  // The same few on every payment: each has its own.
  const earlier = world.model.refunds.filter(({ payment }) => payment === drawn.payment);
  const wish: Refund = { ...drawn, reference: `refund ${earlier.length}` };
  const answer = await world.insist(process, refundRequest(wish));
  return judgeRefund(world, { ...wish, answer: answer.text }, answer.status);
};

/** One that was made long ago: it stays made, is not made anew, and gives its name to no other. */
async function refundAgain(world: World, random: Random, made: readonly Refund[]): Promise<string> {
  const one = random.pick(made);
  const isOther = random.chance(0.3);
  const amount = isOther ? one.amount + 1 : one.amount;
  const { status, text } = await world.insist(
    world.process(random),
    refundRequest({ ...one, amount }),
  );
  const isRight = isOther ? status === 422 : text === one.answer;
  world.expect(isRight, `${one.reference} for ${amount} got ${text}, first ${one.answer}`);
  world.count(isOther ? "refund of other content refused" : "refund asked for again");
  return `${one.reference} of ${one.payment.invoice.id} once more for ${amount}`;
}

/** The whole of it, asked for by two at once: it can go back once. */
export const refundTwice: Step = async (world, random) => {
  await awaitThaw(world, random);
  const drawn = drawRefund(world, random);
  if (drawn === undefined || drawn.left === 0) return "refund twice: nothing is paid";
  const { payment, left } = drawn;
  const { processes } = world.stage;
  const wish: Refund = { payment, amount: left, reference: undefined };
  const answers = await Promise.all(processes.map((one) => one.ask(refundRequest(wish))));
  world.count("same request twice at once");
  // Whoever was first: a success comes before a refusal.
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  world.model.audits += statuses.filter((status) => status === 200).length;
  const told = statuses.map((status) => judgeRefund(world, wish, status));
  return `refund twice at once: ${told.join("; ")}`;
};
