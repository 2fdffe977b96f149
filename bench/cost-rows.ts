// What one act costs the processors, the gateway's and PostgreSQL's together, and how much of the log (WAL) it
// writes: what a model of larger sizes is made of (docs/scale.md). In sets of 32 that are sent at once, by
// hundreds on one gateway.

import { setTimeout as sleep } from "node:timers/promises";
import type { RequestLine } from "./load.ts";
import { SHOPS } from "./population.ts";
import {
  answerTo,
  createLines,
  detailsLineOf,
  type ToPay,
  toPayOf,
  transferLine,
  transferLists,
} from "./requests.ts";
import { group, type Row } from "./row.ts";
import { openPlace, type Place, type Scene } from "./scene.ts";
import { accountOf, spentBetween } from "./spent.ts";
import type { Database } from "./stage.ts";
import { median } from "./statistics.ts";

const SET = 32;

/** Of one act. */
interface Cost {
  readonly gatewayUs: number;
  readonly serverUs: number;
  readonly walBytes: number;
}

const ACTS = {
  create: "an order",
  h2h: "details, 1,000 requisites",
  transfers: "a transfer that pays, in lists of 32",
  single: "a transfer that pays, one a request",
  told: "the same in lists, and its webhook received",
  release: "a credit whose freeze is over",
} as const;
type Act = keyof typeof ACTS;
type Costs = Record<Act, Cost[]>;
type Meter = (act: Act, work: () => Promise<unknown>, count?: number) => Promise<void>;

interface Measured extends Place {
  readonly costs: Costs;
}

async function openCosts(scene: Scene): Promise<Measured> {
  const place = await openPlace(scene);
  const costs = noCosts();
  const { bursts } = scene.sizes;
  await place.database.open(async ({ db }) => {
    const written = async (): Promise<number> => {
      const [row] = await db.query<{ bytes: number }>(WRITTEN);
      return row?.bytes ?? 0;
    };
    const warm = Math.ceil(bursts / 10);
    for (let turn = -warm; turn < bursts; turn += 1) {
      const own = turn < 0 ? noCosts() : costs;
      await live(scene, place, turn, meterOf(scene, place, own, written));
    }
    // Everybody's at once, at the end.
    const thawed = await thaw(place.database);
    const meter = meterOf(scene, place, costs, written);
    await meter("release", () => whenReleased(place.database), thawed);
  });
  return { ...place, costs };
}

const noCosts = (): Costs => ({
  create: [],
  h2h: [],
  transfers: [],
  single: [],
  told: [],
  release: [],
});

const WRITTEN = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes";

function meterOf(
  { engine }: Scene,
  { server }: Place,
  costs: Costs,
  written: () => Promise<number>,
): Meter {
  const accounts = () => [accountOf([server.pid]), accountOf(engine.pids())] as const;
  return async (act, work, count = SET) => {
    const bytes = await written();
    const [gateway, postgres] = accounts();
    await work();
    const [gatewayAfter, postgresAfter] = accounts();
    costs[act].push({
      gatewayUs: spentBetween(gateway, gatewayAfter) / count,
      serverUs: spentBetween(postgres, postgresAfter) / count,
      walBytes: ((await written()) - bytes) / count,
    });
  };
}

/** Of so many turns one has webhooks. */
const TOLD_EVERY = 4;

/** Three sets of payments: paid one by one, by a list, and by a list whose webhooks are heard. */
async function live(scene: Scene, place: Place, turn: number, meter: Meter): Promise<void> {
  const { url } = place.server;
  const singles = await issue(url, meter);
  await meter("single", () => all(url, singles.map(transferLine)));
  const listed = await issue(url, meter);
  await meter("transfers", () => all(url, transferLists(listed, SET)));
  if (turn % TOLD_EVERY > 0) return;
  await scene.askReceivers("forget");
  const told = await issue(url, meter, scene.receivers.hooks);
  await meter("told", async () => {
    await all(url, transferLists(told, SET));
    while ((await scene.askReceivers("count")).distinct < SET) await sleep(5);
  });
}

let sets = 0;

/** Orders of 32 shops, and details for each. */
async function issue(url: string, meter: Meter, hooks: readonly string[] = []): Promise<ToPay[]> {
  sets += 1;
  const lines = createLines(SHOPS);
  const numbers = Array.from({ length: SET }, (_, index) => (sets * SET + index) % SHOPS.length);
  const orders = numbers.map((number): RequestLine => {
    const line = lines[number] as RequestLine;
    const body = line.body.replace("{n}", `${sets}-${number}`);
    const hook = hooks[number % hooks.length];
    const hooked = hook === undefined ? body : body.replace("{", `{"hook_url":"${hook}",`);
    return { ...line, body: hooked };
  });
  let created: { data: { id: string } }[] = [];
  await meter("create", async () => {
    created = await all(url, orders);
  });
  const wishes = created.map(({ data }, index) =>
    detailsLineOf(SHOPS, [String(numbers[index]), data.id]),
  );
  let details: { data: { wallet: string; amount: string } }[] = [];
  await meter("h2h", async () => {
    details = await all(url, wishes);
  });
  return details.map(({ data }) => toPayOf(data));
}

/** All at once, and everybody is answered. */
function all<Answer>(url: string, lines: readonly RequestLine[]): Promise<Answer[]> {
  return Promise.all(lines.map((line) => answerTo(url, line) as Promise<Answer>));
}

const THAWED = `
  with thawed as (update ledger_freezes set frozen_until = $1 where released_at is null returning 1),
       due as (update dues set due_at = $1 where kind = 'release-freezes' returning 1)
  select count(*)::int as count from thawed`;
const FROZEN = "select from dues where kind = 'release-freezes' limit 1";
/** Until then the gateway does not know of them. */
const THAWED_AFTER_MS = 2_000;

/** All that is frozen is free in a moment. */
function thaw({ open }: Database): Promise<number> {
  return open(async ({ db, clock }) => {
    const at = new Date(clock.now().getTime() + THAWED_AFTER_MS);
    const [thawed] = await db.query<{ count: number }>(THAWED, [at]);
    return thawed?.count ?? 0;
  });
}

function whenReleased({ open }: Database): Promise<void> {
  return open(async ({ db }) => {
    const until = performance.now() + 120_000;
    while ((await db.query(FROZEN)).length > 0) {
      if (performance.now() > until) throw new Error("what was due has not been released");
      await sleep(250);
    }
  });
}

function costRow(act: Act): Row<Measured> {
  const both = ({ gatewayUs, serverUs }: Cost): number => gatewayUs + serverUs;
  return {
    name: `cost-${act}`,
    what: ACTS[act],
    unit: "µs CPU",
    goals: { postgres: null },
    async measure(_, { costs }) {
      return { ours: { rounds: costs[act].map(both) }, note: told(costs[act]) };
    },
  };
}

function told(costs: readonly Cost[]): string {
  const of = (part: keyof Cost): string => median(costs.map((cost) => cost[part])).toFixed(0);
  const parts = `gateway ${of("gatewayUs")}, PostgreSQL ${of("serverUs")}`;
  return `${parts}, ${of("walBytes")} bytes of WAL`;
}

export const COSTS = group(openCosts, (Object.keys(ACTS) as Act[]).map(costRow));
