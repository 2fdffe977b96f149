// What one caller's flood of ordinary requests takes from everyone else: connections that ask for the same address in
// a loop. On one gateway with a merchant of many invoices and events.

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../src/platform/app.ts";
import { SHOP, USER } from "../test/cast.ts";
import { anna, type Visitor } from "../test/people.ts";
import { group, inTurns, most, type Row } from "./row.ts";
import { createAt, fullRate, type Scene } from "./scene.ts";
import { ONE_CLIENT, openStrangers, type Strangers } from "./stranger-rows.ts";
import type { Flood } from "./strangers.ts";

const INVOICES = 20_000;

/** Expired ones of the sandbox's merchant, each with an event that needs no delivery. */
async function fillMerchant({ db, clock }: App, { storedInvoices }: Scene["sizes"]): Promise<void> {
  const count = Math.min(INVOICES, storedInvoices);
  await db.query(
    `with made as (
       insert into invoices (id, shop_id, user_id, events, order_id, content_digest, type, state,
         amount_minor, currency, services, success_url, created_at, expires_at)
       select gen_random_uuid(), $1::uuid, $2::uuid, 1, 'flood ' || n, sha256(n::text::bytea), 'direct',
         'expired', 100000, 'RUB', array['p2p_card'], 'https://shop.example/ok',
         $3::timestamptz - interval '5 days', $3::timestamptz - interval '1 day'
       from generate_series(1, $4::integer) n returning id, shop_id)
     insert into events (id, shop_id, invoice_id, sequence, body, hook_is_own, created_at)
     select gen_random_uuid(), shop_id, id, 1,
       json_build_object('invoice_id', id, 'status', 'expired', 'amount', '1000.00', 'currency', 'RUB')::text,
       false, $3 from made`,
    [SHOP.id, USER.id, clock.now(), count],
  );
}

type Way = Omit<Flood, "seconds">;

/** A load in the midst of the flood. */
async function during<Result>(
  { ask }: Strangers,
  way: Way,
  seconds: number,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly answered: number }> {
  const flooding = ask<number>({ ...way, seconds: seconds + 0.5 });
  await sleep(250);
  const result = await work();
  return { result, answered: await flooding };
}

const GOALS = { unit: "p99 ms", rivalName: "nobody", goals: { postgres: most(10) } } as const;

function beside(
  name: string,
  what: string,
  wayOf: (url: string, scene: Scene) => Way | Promise<Way>,
): Row<Strangers> {
  return {
    name,
    what: `p99 of one client's create while ${what}`,
    ...GOALS,
    async measure(scene, place) {
      const { url } = place.server;
      const { pacedSeconds: seconds, rounds } = scene.sizes;
      const ratePerSecond = (await fullRate(scene, url)) * ONE_CLIENT;
      const way = await wayOf(url, scene);
      const without = () => createAt(scene, url, { seconds, ratePerSecond });
      let all = 0;
      const ours = async () => {
        const { result, answered } = await during(place, way, seconds, without);
        all += answered;
        return result;
      };
      const sides = await inTurns(scene, { without, ours }, ({ p99Ms }) => p99Ms);
      const note = `${(all / rounds / seconds).toFixed(0)} of the flood answered with 200 a second`;
      return { ours: sides.ours, rival: sides.without, note };
    },
  };
}

const cookiesOf = ({ jar }: Visitor): string =>
  [...jar].map(([name, value]) => `${name}=${value}`).join("; ");

const DOWNLOADERS = 300;

async function downloadsOf(url: string): Promise<Way> {
  const headers = { cookie: cookiesOf(await anna({ url })) };
  return { flood: `${url}/my/invoices.csv`, callers: DOWNLOADERS, headers };
}

const metrics = beside("metrics", "64 connections ask for /metrics", (url) => {
  return { flood: `${url}/metrics`, callers: 64, headers: {} };
});

const reads = beside("reads", "64 connections of one key read events", (url) => {
  const headers = { "x-api-key": SHOP.key };
  return { flood: `${url}/shops/${SHOP.id}/events?limit=100`, callers: 64, headers };
});

const files = beside("files", "300 connections download one merchant's invoices", downloadsOf);

const DESK_MS = 250;

const desk: Row<Strangers> = {
  name: "desk-files",
  what: "slowest page of the desk while 300 connections download one merchant's invoices",
  unit: "ms",
  rivalName: "nobody",
  goals: { postgres: most(DESK_MS, "figure") },
  async measure(scene, place) {
    const { url } = place.server;
    const { rounds, pacedSeconds: seconds } = scene.sizes;
    const operator = await anna({ url });
    const way = await downloadsOf(url);
    const looks = () => slowestPage(operator, seconds);
    const quiet: number[] = [];
    const busy: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      quiet.push(await looks());
      busy.push((await during(place, way, seconds, looks)).result);
    }
    return { ours: { rounds: busy }, rival: { rounds: quiet } };
  },
};

async function slowestPage(operator: Visitor, seconds: number): Promise<number> {
  const endAt = performance.now() + seconds * 1000;
  let slowestMs = 0;
  while (performance.now() < endAt) {
    const startedAt = performance.now();
    await operator.open("/desk/transfers");
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    await sleep(50);
  }
  return slowestMs;
}

const open = (scene: Scene): Promise<Strangers> =>
  openStrangers(scene, (app) => fillMerchant(app, scene.sizes));

export const FLOODS = group(open, [metrics, reads, files, desk]);
