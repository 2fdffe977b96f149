// Money that users ask to be sent, and operators send by hand: asked for again, taken back, taken, told of late or
// never, returned. What nobody knows of stays set aside whatever else happens.

import type { Random } from "../random.ts";
import { CLOCKS_MS, decimal, kopecks, type Payout, type User } from "./model.ts";
import { PAYOUTS_HOOK } from "./receivers.ts";
import { withCheckDigit } from "./settings.ts";
import { operatorRequest, type World } from "./world.ts";

/** Few, so that the same wish meets itself. */
const CARDS = [1, 2, 3].map((n) => withCheckDigit(`22000000000001${n}`));
const AMOUNTS = [10, 10.01, 33.33, 100, 100];

function payoutRequest(user: User, path: string, body: object) {
  const headers = { "x-api-signature-sha256": user.secret };
  return { method: "POST" as const, path: `/payoff/${path}`, headers, body };
}

/** A new wish, the same once more, or another one under a known order id. */
export async function askPayout(world: World, random: Random): Promise<string> {
  const { model } = world;
  const known = model.payouts.length > 0 && random.chance(0.25);
  const first = known ? random.pick(model.payouts) : undefined;
  const rich = model.users.filter((one) => model.balanceOf(one, world.now).least >= 2_000);
  const others = rich.length > 0 && random.chance(0.9) ? rich : model.users;
  const user = first?.user ?? random.pick(others);
  const isOther = known && random.chance(0.4);
  const { all } = model.balanceOf(user, world.now);
  const amount = random.pick([...AMOUNTS, Math.max(10, (all * random.next() * 1.2) / 100)]);
  const fresh = {
    user_id: user.id,
    service: "card",
    wallet_to: random.pick(CARDS),
    amount: kopecks(amount) / 100,
    subtract: random.pick([1, 2]),
    hook_url: PAYOUTS_HOOK,
    order_id: `payout ${model.payouts.length + 1} ${world.now}`,
  };
  const wish = first === undefined ? fresh : { ...first.content };
  if (isOther) wish.amount += 1;
  const { status, text, data } = await world.ask(random, payoutRequest(user, "create", wish));
  const said = `payout ${wish.order_id} of ${wish.amount}`;
  if (first !== undefined) {
    const isRight = isOther ? status === 422 : status === 200 && text === first.answer;
    world.expect(isRight, `${said} again got ${text}, first ${first.answer}`);
    world.count(isOther ? "payout of other content refused" : "payout asked for again");
    return `${said} again`;
  }
  const sum = kopecks(wish.amount);
  const { percent, fix, max_sum } = model.payoutTerms;
  const fee = Math.ceil((sum * percent) / 100 - 1e-9) + kopecks(fix);
  const isOnTop = wish.subtract === 1;
  const [withdraw, receive] = isOnTop ? [sum + fee, sum] : [sum, sum - fee];
  const { least, most } = model.balanceOf(user, world.now);
  const isWithin = wish.amount <= max_sum && receive > 0;
  const isWrong = status === 200 ? withdraw > most || !isWithin : isWithin && withdraw <= least;
  world.expect(!isWrong, `${said}, ${least} to ${most} free, got ${text}`);
  world.count(status === 200 ? "payout taken" : "payout refused");
  if (status !== 200) return `${said}: refused`;
  world.expect(data.amount_withdraw_rub === decimal(withdraw), `${said} got ${text}`);
  const payout: Payout = {
    id: data.payoff_id,
    user,
    content: wish,
    answer: text,
    withdraw,
    receive,
    fee,
    state: "queued",
    mayLeave: true,
  };
  // What may be an earlier one, of which nobody knows, waits for a person.
  const alike = model.payouts.filter(
    (one) =>
      one.user === user &&
      one.content["wallet_to"] === wish.wallet_to &&
      one.content["amount"] === wish.amount,
  );
  const state = (await world.infoOfPayout(payout)).state;
  const isHeld = state === "held";
  const surely = alike.some((one) => model.isUnknown(one, world.now, "surely"));
  const perhaps = alike.some((one) => model.isUnknown(one, world.now, "perhaps"));
  world.expect(isHeld ? perhaps : !surely, `${said} is ${state}`);
  if (isHeld) Object.assign(payout, { state: "held", mayLeave: false });
  model.payouts.push(payout);
  return said;
}

type Act = "cancel" | "approve" | "refuse" | "take" | "sent" | "not-sent" | "return" | "recover";

/** From which states each is possible; one that is being sent may be unknown by now. */
const POSSIBLE: Readonly<Record<Act, readonly Payout["state"][]>> = {
  cancel: ["held", "queued", "canceled"],
  approve: ["held"],
  refuse: ["held", "queued"],
  take: ["queued", "sending"],
  sent: ["sending"],
  "not-sent": ["sending"],
  return: ["done"],
  recover: ["failed", "canceled"],
};

/** What ends a payout early is drawn seldom, so that most of them leave. */
const OFTEN: Readonly<Record<Act, number>> = {
  cancel: 1,
  approve: 4,
  refuse: 1,
  take: 4,
  sent: 4,
  "not-sent": 4,
  return: 2,
  recover: 2,
};

/**
 * Past its time nobody knows any more, and whoever had it has it no longer; around it either may be. What had left
 * after all is taken from what is free now, was let go before, and somebody had it to send.
 */
function mayBe({ now, model }: World, payout: Payout, act: Act): boolean | "either" {
  const { state, leaseEndsAt = 0, user, withdraw, mayLeave } = payout;
  if (!POSSIBLE[act].includes(state)) return false;
  if (act === "recover") {
    const { least, most } = model.balanceOf(user, now);
    const wasTaken = payout.leaseEndsAt !== undefined;
    if (!mayLeave || !wasTaken || most < withdraw) return false;
    return least >= withdraw ? true : "either";
  }
  const needsTime = state === "sending" && act !== "sent";
  if (!needsTime || leaseEndsAt - CLOCKS_MS > now) return true;
  return leaseEndsAt + CLOCKS_MS <= now ? false : "either";
}

const LEASE_MS = 30 * 60_000;

const LEADS_TO = {
  cancel: "canceled",
  approve: "queued",
  take: "sending",
  sent: "done",
  "not-sent": "failed",
  return: "returned",
  refuse: "canceled",
  recover: "done",
} as const satisfies Record<Act, Payout["state"]>;

export async function handlePayout(world: World, random: Random): Promise<string> {
  const { model } = world;
  if (model.payouts.length === 0) return askPayout(world, random);
  const open = model.payouts.filter(
    ({ state }) => !["canceled", "failed", "returned"].includes(state),
  );
  const payout = random.pick(open.length > 0 && random.chance(0.9) ? open : model.payouts);
  const acts = Object.keys(POSSIBLE) as Act[];
  const possible = acts.filter((one) => mayBe(world, payout, one) !== false);
  const drawn = possible.length > 0 && random.chance(0.85) ? possible : acts;
  const act = random.weighted(Object.fromEntries(drawn.map((one) => [one, OFTEN[one]]))) as Act;
  const wanted = mayBe(world, payout, act);
  const reference = `bank ${payout.id}`;
  const body = {
    ...(act === "sent" || act === "recover" ? { bank_reference: reference } : {}),
    ...(["not-sent", "return", "refuse", "recover"].includes(act) ? { reason: "r" } : {}),
  };
  const request =
    act === "cancel"
      ? payoutRequest(payout.user, "cancel", { user_id: payout.user.id, id: payout.id })
      : operatorRequest(`payouts/${payout.id}/${act}`, body);
  const { status, text, wasDone, at } = await world.ask(random, request, false);
  const said = `${act} ${payout.id}`;
  // Whoever asks again is shown it again, or told that it is over.
  const mayRepeat = act === "cancel" || act === "take";
  const isDone = status === 200 || wasDone;
  if (wanted === "either") {
    if (!isDone) return `${said}: too late`;
  } else {
    world.expect(isDone === wanted, `${said}, ${payout.state}, got ${text}`);
    world.expect(!wasDone || mayRepeat === (status === 200), `${said} again got ${text}`);
  }
  if (!isDone) return `${said}: refused`;
  if (act === "take" && payout.state === "queued") payout.leaseEndsAt = at + LEASE_MS;
  payout.state = LEADS_TO[act];
  payout.mayLeave ||= act === "approve";
  world.count(`payout: ${act}`);
  return said;
}
