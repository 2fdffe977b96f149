// What one act costs the processors, the gateway's and PostgreSQL's together, and how much of the log (WAL) it
// writes: what a model of larger sizes is made of (docs/scale.md). Each is measured for users who live in a
// thousand homes and for users who all live in home 0, in turns on one gateway: homes may cost 3 %.

import { setTimeout as sleep } from "node:timers/promises";
import { wholeLives } from "./door-rows.ts";
import type { ShopKey } from "./load.ts";
import { SHOPS, SHOPS_OF_HOMES, settle } from "./population.ts";
import { createLines } from "./requests.ts";
import { group, most, type Row } from "./row.ts";
import { createAt, detailsAt, openPlace, type Place, type Scene, transfersAt } from "./scene.ts";
import { accountOf, spentBetween } from "./spent.ts";
import type { Database } from "./stage.ts";
import { median } from "./statistics.ts";

/** Of one act. */
interface Cost {
  readonly gatewayUs: number;
  readonly serverUs: number;
  readonly walBytes: number;
}

interface Done {
  readonly answered: number;
}

/** Prepares, then does what is measured inside of the meter. */
type Round = (
  meter: <Result extends Done>(act: () => Promise<Result>) => Promise<Result>,
) => unknown;
type Act = (scene: Scene, place: Place, shops: readonly ShopKey[]) => Round;

const ACTS: Readonly<Record<string, { readonly what: string; readonly act: Act }>> = {
  create: {
    what: "an order",
    act: (scene, { server }, shops) => {
      const lines = createLines(shops);
      return (meter) => meter(() => createAt(scene, server.url, { lines }));
    },
  },
  h2h: {
    what: "details, 1,000 requisites",
    act: (scene, { server }, shops) => {
      let meter: Parameters<Round>[0];
      const at = detailsAt(scene, [server], (drive) => meter(drive), shops);
      return (own) => {
        meter = own;
        return at();
      };
    },
  },
  transfers: { what: "a transfer that pays, in lists of 100", act: transferAct("in lists") },
  single: { what: "a transfer that pays, one a request", act: transferAct("singly") },
  life: {
    what: "a whole payment: create, details, transfer, webhook received",
    act: (scene, { server }, shops) => {
      return (meter) => meter(() => wholeLives(scene, server.url, scene.sizes.seconds * 2, shops));
    },
  },
  release: {
    what: "a credit whose freeze is over",
    act: (scene, { server, database }, shops) => {
      return async (meter) => {
        await wholeLives(scene, server.url, scene.sizes.seconds * 2, shops);
        const answered = await thaw(database);
        return meter(() => whenReleased(database).then(() => ({ answered })));
      };
    },
  },
};

function transferAct(how: "in lists" | "singly"): Act {
  return (scene, { server }, shops) => {
    let meter: Parameters<Round>[0];
    const at = transfersAt(scene, server.url, how, { shops, during: (drive) => meter(drive) });
    return (own) => {
      meter = own;
      return at();
    };
  };
}

const THAWED = `
  with thawed as (update ledger_freezes set frozen_until = $1 where released_at is null returning 1),
       due as (update dues set due_at = $1 where kind = 'release-freezes' returning 1)
  select count(*)::int as count from thawed`;
const FROZEN = "select from dues where kind = 'release-freezes' limit 1";
/** Until then the gateway does not know of them. */
const THAWED_AFTER_MS = 3_000;

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

const WRITTEN = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes";

async function costOf(scene: Scene, { server, database }: Place, round: Round): Promise<Cost> {
  const written = async (): Promise<number> => {
    const [row] = await database.open(({ db }) => db.query<{ bytes: number }>(WRITTEN));
    return row?.bytes ?? 0;
  };
  const accounts = () => [accountOf([server.pid]), accountOf(scene.engine.pids())] as const;
  let cost: Cost | undefined;
  await round(async (act) => {
    const bytes = await written();
    const [gateway, postgres] = accounts();
    const done = await act();
    const [gatewayAfter, postgresAfter] = accounts();
    cost = {
      gatewayUs: spentBetween(gateway, gatewayAfter) / done.answered,
      serverUs: spentBetween(postgres, postgresAfter) / done.answered,
      walBytes: ((await written()) - bytes) / done.answered,
    };
    return done;
  });
  if (cost === undefined) throw new Error("nothing was measured");
  return cost;
}

/** A few percent are to be seen: more rounds than where a rate is. */
const MORE = 3;

function costRow(name: keyof typeof ACTS): Row<Place> {
  const { what, act } = ACTS[name] as (typeof ACTS)[string];
  return {
    ...{ name: `cost-${name}`, what: `${what}; users of 1,000 homes`, unit: "µs CPU" },
    ...{ rivalName: "all of home 0", goals: { postgres: most(1.03) } },
    async measure(scene, place) {
      const sides = [SHOPS_OF_HOMES, SHOPS].map((shops) => {
        return { round: act(scene, place, shops), costs: [] as Cost[] };
      });
      const { rounds, warmUpRounds } = scene.sizes;
      for (let turn = -warmUpRounds; turn < rounds * MORE; turn += 1) {
        // Whoever comes second finds larger tables: they take turns in that, too.
        for (const { round, costs } of turn % 2 === 0 ? sides : sides.toReversed()) {
          const cost = await costOf(scene, place, round);
          if (turn >= 0) costs.push(cost);
        }
      }
      const [homes = [], one = []] = sides.map(({ costs }) => costs);
      const both = ({ gatewayUs, serverUs }: Cost): number => gatewayUs + serverUs;
      return {
        ours: { rounds: homes.map(both) },
        rival: { rounds: one.map(both) },
        note: told(homes),
      };
    },
  };
}

function told(costs: readonly Cost[]): string {
  const of = (part: keyof Cost): string => median(costs.map((cost) => cost[part])).toFixed(0);
  return `gateway ${of("gatewayUs")}, PostgreSQL ${of("serverUs")}, ${of("walBytes")} bytes of WAL`;
}

const openSettled = (scene: Scene): Promise<Place> =>
  openPlace(scene, (app) => app.db.transaction((tx) => settle(tx, app)));

export const COSTS = group(openSettled, Object.keys(ACTS).map(costRow));
