// A gateway that is killed again and again while it sends payouts through a program that counts what it is asked,
// and whose answers get lost. None may be asked for under two keys, paid twice or booked twice; and every one is
// done in the end, at once or after somebody has looked.

import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRail } from "../examples/rail/server.ts";
import type { Db, Queryable } from "../src/platform/db.ts";
import { withCheckDigit } from "../test/card-writings.ts";
import { createH2h, createInvoice, USER } from "../test/cast.ts";
import { call } from "../test/gateway.ts";
import { manage } from "../test/manage.ts";
import { DAY, passTime } from "../test/orders.ts";
import { pauseRail, payoutBody } from "../test/payouts.ts";
import { accepted } from "./accepted.ts";
import { beside, envOf, startGateway } from "./gateway-process.ts";
import type { Part, Trial } from "./part.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";
import { brokenInvariants } from "./witness/books.ts";

/** Where the gateway is killed; by the clock it may be anywhere. */
const MOMENTS = [
  "at any moment",
  "while it asks",
  "once it is answered",
  "while it looks",
] as const;
type Moment = (typeof MOMENTS)[number];
const killed = (moment: Moment): string => `gateways killed ${moment}`;

const AT_ONCE = "payouts done at once";
const LATER = "payouts unknown, and done after a look";
const [LOST_BEFORE, LOST_AFTER] = ["requests lost", "answers lost"] as const;

const PAYOUTS_A_KILL = 8;
/** Of so many requests one is lost, or its answer, in turns. */
const LOST_EVERY = 12;
/** An attempt's lease and the first look after it. */
const LEASE_AND_LOOK = 75;
const HOUR = 3_600;
const PATIENCE_MS = 3_000;
const MOST_ROUNDS = 24;

export const payouts: Part = {
  name: "payouts",
  about: "a gateway killed while it sends payouts; none is asked for or booked twice",
  faults: [...MOMENTS.map(killed), LOST_BEFORE, LOST_AFTER],
  states: [AT_ONCE, LATER],
  missing: missingPostgres,
  async run(trial) {
    const cluster = await throwawayPostgres(trial);
    const env = envOf(trial, cluster.url("postgres"));
    const gateway = await startGateway(trial, env);
    const caller = { call: (path: string, options = {}) => call(gateway.url, path, options) };
    const rail = await openCountingRail(trial, caller);
    await earn(caller);

    const orders = new Map<string, Record<string, unknown>>();
    /** Whoever gets no answer asks again with the same order, which is the same payout. */
    const ask = async (order: Record<string, unknown>): Promise<void> => {
      const headers = { "x-api-signature-sha256": USER.secret };
      const answer = await caller.call("/payoff/create", { headers, body: order }).catch(() => {});
      if (answer?.status === 200) orders.delete(String(order["order_id"]));
    };
    const kills = trial.size(8, 300);
    for (let kill = 0; kill < kills; kill += 1) {
      const moment = MOMENTS[kill % MOMENTS.length] ?? "at any moment";
      for (let count = 0; count < PAYOUTS_A_KILL; count += 1) {
        const order = newOrder(kill * PAYOUTS_A_KILL + count);
        orders.set(String(order["order_id"]), order);
      }
      const reached = rail.reaches(moment, trial.random.between(1, PAYOUTS_A_KILL));
      const asking = Promise.all([...orders.values()].map(ask));
      // What was left behind by the kills before is looked at by a clock that runs ahead.
      const looking =
        moment === "while it looks" ? asking.then(() => passTime(caller, LEASE_AND_LOOK)) : asking;
      looking.catch(() => {});
      const isAny = moment === "at any moment";
      await Promise.race([reached, sleep(isAny ? trial.random.between(50, 900) : PATIENCE_MS)]);
      await gateway.kill();
      await looking.catch(() => {});
      trial.count(killed(moment));
      await gateway.start();
      if (kill % 20 === 19) trial.say(`${kill + 1} of ${kills} kills`);
    }

    rail.calm();
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await Promise.all([...orders.values()].map(ask));
      await passTime(caller, round < 3 ? LEASE_AND_LOOK : HOUR);
      const open = await beside(env, (db) => countOf(db, "payouts where state <> 'done'"));
      const isLost = [...rail.asked.values()].some((keys) => new Set(keys).size > 1);
      if (isLost || (open === 0 && orders.size === 0)) break;
    }
    await gateway.stop();
    await beside(env, (db) => judge(trial, db, rail, kills * PAYOUTS_A_KILL));
  },
};

type Caller = Parameters<typeof passTime>[0];

function newOrder(number: number): Record<string, unknown> {
  // Each to a card of its own: a second one to where nobody knows of the first would wait for a person.
  const wallet_to = withCheckDigit(`2200${String(number).padStart(11, "0")}`);
  return payoutBody({ wallet_to, amount: 10 + (number % 7), order_id: randomUUID() });
}

async function earn(caller: Caller): Promise<void> {
  for (let count = 0; count < 5; count += 1) {
    const { id } = accepted(await createInvoice(caller, { amount: 90_000 }));
    const { wallet, amount } = accepted(await createH2h(caller, id));
    await manage(caller).post("transfers", { wallet, amount: Number(amount), reference: id });
  }
  await passTime(caller, DAY);
}

/** The example's server, with a bank behind it that takes its time and lines that break. */
async function openCountingRail(trial: Trial, caller: Caller) {
  const own = manage(caller);
  await pauseRail(caller);
  const wish = { code: "counting", services: ["card"], repeatable_seconds: 30 * DAY };
  const { secret } = await own.post("rails", { ...wish, url: "http://127.0.0.1:9", paused: true });
  /** By the payout, the keys that it was asked for under, and what was paid for it. */
  const asked = new Map<string, string[]>();
  const paid = new Map<string, string[]>();
  const note = (all: Map<string, string[]>, key: string, what: string): void => {
    const payout = key.split(".")[0] ?? "";
    all.set(payout, [...(all.get(payout) ?? []), what]);
  };
  let isCalm = false;
  let [seconds, waited, requests] = [0, 0, 0];
  let wanted: Moment | undefined;
  let reach = (): void => {};
  const arrive = (moment: Moment): void => {
    if (moment !== wanted) return;
    waited -= 1;
    if (waited <= 0) reach();
  };
  const server: Server = createRail({
    secret,
    file: join(trial.directory, "payouts.jsonl"),
    now: () => seconds * 1000,
    async pay({ key, amount }) {
      await sleep(trial.random.between(0, 30));
      note(paid, key, amount);
      return { state: "sent", id: key, bank_reference: `bank-${key}` };
    },
  });
  server.prependListener("request", (request, response: ServerResponse) => {
    // Its clock runs ahead with the gateway's.
    seconds = Number(request.headers["webhook-timestamp"]);
    const key = String(request.headers["webhook-id"]);
    if (request.method === "POST") note(asked, key, key);
    arrive(request.method === "POST" ? "while it asks" : "while it looks");
    response.on("finish", () => arrive("once it is answered"));
    requests += 1;
    if (isCalm || requests % LOST_EVERY !== 0) return;
    const isBefore = requests % (2 * LOST_EVERY) === 0;
    trial.count(isBefore ? LOST_BEFORE : LOST_AFTER);
    if (isBefore) request.destroy();
    else response.writeHead = () => response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  trial.later(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await own.post("rails/counting", { url: `http://127.0.0.1:${port}`, paused: false });
  return {
    asked,
    paid,
    /** Resolves when the gateway has got there for so manieth time. */
    reaches(moment: Moment, times: number): Promise<void> {
      [wanted, waited] = [moment, times];
      return new Promise((resolve) => {
        reach = resolve;
      });
    },
    calm(): void {
      isCalm = true;
    },
  };
}

interface Ended {
  readonly id: string;
  readonly state: string;
  readonly receive: bigint;
  readonly attempts: number;
  readonly looks: number;
  readonly done: number;
  readonly others: number;
}

const ENDED = `select payout.id, payout.state, payout.receive_minor as receive, payout.attempts,
    (select max(looks) from payout_attempts where payout_id = payout.id) as looks,
    (select count(*)::integer from ledger_postings
     where source_id = payout.id and kind = 'payout_done') as done,
    (select count(*)::integer from ledger_postings
     where source_id = payout.id and kind not in ('payout_reserved', 'payout_done')) as others
  from payouts payout`;

async function judge(
  trial: Trial,
  db: Db,
  { asked, paid }: Awaited<ReturnType<typeof openCountingRail>>,
  wanted: number,
): Promise<void> {
  const rows = await db.query<Ended>(ENDED, []);
  if (rows.length !== wanted) trial.violation(`${rows.length} payouts of ${wanted}`);
  for (const { id, state, receive, looks, done, others } of rows) {
    const keys = new Set(asked.get(id));
    const amounts = (paid.get(id) ?? []).map((one) => BigInt(one.replace(".", "")));
    if (keys.size > 1) trial.violation(`${id} was asked for as ${[...keys].join(" and ")}`);
    if (amounts.length !== 1 || amounts[0] !== receive)
      trial.violation(`${id} was paid ${amounts.length} times: ${amounts.join()} of ${receive}`);
    if (state !== "done") trial.violation(`${id} is ${state} in the end`);
    if (done !== 1 || others !== 0)
      trial.violation(`${id} is booked ${done} times, ${others} else`);
    trial.count(looks > 0 ? LATER : AT_ONCE);
  }
  for (const what of await brokenInvariants(db, await timeOf(db))) trial.violation(what);
  const told = [...asked.values()].map((keys) => keys.length);
  trial.fact("payouts", rows.length);
  trial.fact("claims taken up anew", rows.filter(({ attempts }) => attempts > 1).length);
  trial.fact("told again under the same key", told.filter((times) => times > 1).length);
}

async function countOf(db: Queryable, rows: string): Promise<number> {
  const text = `select count(*)::integer as count from ${rows}`;
  const [row] = await db.query<{ count: number }>(text, []);
  return row?.count ?? 0;
}

/** By the sandbox's clock, which was moved. */
async function timeOf(db: Db): Promise<Date> {
  const [clock] = await db.query<{ offset: bigint }>(
    `select clock_offset_seconds as "offset" from installation`,
    [],
  );
  return new Date(Date.now() + Number(clock?.offset ?? 0) * 1000);
}
