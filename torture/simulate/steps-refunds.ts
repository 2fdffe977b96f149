// Money that goes back from what was credited.

import type { Random } from "../random.ts";
import type { Request } from "./process.ts";
import type { Payment } from "./records.ts";
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

const refundRequest = (payment: Payment, amount: number): Request =>
  operatorRequest("/manage/refunds", {
    ...{ invoice_id: payment.invoice.id, amount: amount / 100, reason: "came back" },
  });

/** The model's word on whether it can be, and what follows. */
function judgeRefund(world: World, payment: Payment, amount: number, status: number): string {
  const left = (payment.credited ?? 0) - payment.refunded;
  const isRight = amount <= left && amount <= payment.invoice.shop.user.available;
  const what = `refund ${amount} of ${left} of ${payment.invoice.id}`;
  world.expect(status === (isRight ? 200 : 422), `${what} got ${status}`);
  if (isRight) world.model.refund(payment, amount);
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
  const drawn = drawRefund(world, random);
  if (drawn === undefined) return pay(world, random);
  const { payment, amount } = drawn;
  const answer = await world.attempt(world.process(random), refundRequest(payment, amount));
  return judgeRefund(world, payment, amount, answer === "done" ? 200 : answer.status);
};

/** The whole of it, asked for by two at once: it can go back once. */
export const refundTwice: Step = async (world, random) => {
  await awaitThaw(world, random);
  const drawn = drawRefund(world, random);
  if (drawn === undefined || drawn.left === 0) return "refund twice: nothing is paid";
  const { payment, left } = drawn;
  const { processes } = world.stage;
  const answers = await Promise.all(processes.map((one) => one.ask(refundRequest(payment, left))));
  world.count("same request twice at once");
  // Whoever was first: a success comes before a refusal.
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  world.model.audits += statuses.filter((status) => status === 200).length;
  const told = statuses.map((status) => judgeRefund(world, payment, left, status));
  return `refund twice at once: ${told.join("; ")}`;
};
