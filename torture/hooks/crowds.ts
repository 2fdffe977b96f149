// What one merchant can do to the others: many origins, hosts that are too long, several shops whose
// hosts all hang, and a row that no job can work on. Everybody else's events come in time, none is lost,
// and the row is done once nothing is in its way.

import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { findViolations } from "../../src/features/ledger/queries.ts";
import { deliverEventsJob } from "../../src/features/webhooks/deliver-events.job.ts";
import { createInvoice } from "../../test/cast.ts";
import { openOrigins } from "../../test/webhook-room.ts";
import { accepted } from "../accepted.ts";
import { eventually } from "../eventually.ts";
import type { Trial } from "../part.ts";
import { type HookShop, inCrowds, type Stage } from "./stage.ts";

const HANGING_SHOPS = 4;
const HANGING_ORIGINS = 40;
/** Of each origin: as many as it may have places. */
const EVENTS_AN_ORIGIN = 8;
const MANY_ORIGINS = 150;
const MOST_LINES = 101;

export async function runCrowds(trial: Trial, stage: Stage): Promise<void> {
  const { gateway } = stage;
  const { db } = gateway.app;
  let isDead = true;
  const hanging = await openOrigins((answer) => void (isDead || answer.writeHead(200).end()));
  const healthy = await openOrigins((answer) => void answer.writeHead(200).end());
  trial.later(hanging.close);
  trial.later(healthy.close);
  const order = (shop: HookShop, url: string): Promise<string> => orderOne(stage, shop, url);

  for (let turn = 0; turn < HANGING_SHOPS; turn += 1) {
    const shop = await stage.openShop("");
    const first = turn * HANGING_ORIGINS;
    const urls = Array.from({ length: HANGING_ORIGINS * EVENTS_AN_ORIGIN }, (_, n) =>
      hanging.url(first + (n % HANGING_ORIGINS)),
    );
    await inCrowds(urls, (url) => order(shop, url));
    trial.count("hosts of several shops of one user hang", urls.length);
  }
  await expire(stage);
  await claimAll(stage);

  // Written as an earlier version took it; today's doors refuse it.
  const other = await stage.openShop("");
  const long = await order(other, healthy.url(0));
  const longUrl = `http://${"a".repeat(6_000)}/`;
  await db.query("update invoices set hook_url = $2 where id = $1", [long, longUrl]);
  trial.count("a host that is too long");
  const stuck = await order(other, healthy.url(1));
  await db.query(`create function refuse_one() returns trigger language plpgsql as $$
    begin
      if new.id = '${stuck}' then raise exception 'planted'; end if;
      return new;
    end $$;
    create trigger planted before update on invoices for each row execute function refuse_one()`);
  const urls = Array.from({ length: MANY_ORIGINS }, (_, index) => healthy.url(index));
  await inCrowds(urls, (url) => order(other, url));
  trial.count("many origins of one shop", MANY_ORIGINS);
  await expire(stage);
  const late = await db.query<{ id: string }>("select id from invoices where state = 'created'");
  const isAlone = late.length === 1 && late[0]?.id === stuck;
  if (isAlone) trial.count("a row in a job's way");
  else trial.violation(`${late.length} invoices have not expired beside one that cannot`);
  const [lines] = await db.query<{ count: number }>(
    "select count(*)::integer as count from receivers where shop_id = $1",
    [other.id],
  );
  if ((lines?.count ?? 0) > MOST_LINES) trial.violation(`one shop has ${lines?.count} lines`);
  await claimAll(stage);
  await eventually("the healthy origins", () => healthy.heard.length >= MANY_ORIGINS);
  if (hanging.ended() > 0) trial.violation("somebody had to wait until a host gave up");
  else trial.count("healthy shops are not held up", healthy.heard.length);

  await db.query("drop function refuse_one cascade");
  isDead = false;
  hanging.breakOff();
  await expire(stage);
  await stage.settle(trial);
  await gateway.work([expireInvoicesJob]);
  await stage.settle(trial);
  await judgeCrowds(trial, stage, longUrl);
}

async function orderOne({ gateway }: Stage, shop: HookShop, hook_url: string): Promise<string> {
  return accepted(await createInvoice(gateway, { amount: 500, expire: 1, hook_url }, shop)).id;
}

async function expire({ clock, gateway }: Stage): Promise<void> {
  clock.advance(61);
  await gateway.work([expireInvoicesJob]);
}

async function claimAll({ workers, gateway }: Stage): Promise<void> {
  const [worker = gateway.app] = workers;
  while ((await deliverEventsJob.run(worker)) > 0);
}

/** All are told, but what goes to a host that cannot be there. */
async function judgeCrowds(
  trial: Trial,
  { gateway, clock }: Stage,
  longUrl: string,
): Promise<void> {
  const { db } = gateway.app;
  const open = await db.query<{ hook_url: string; state: string }>(
    "select hook_url, state from event_states where state <> 'delivered'",
  );
  const unheard = open.filter(
    ({ hook_url, state }) => hook_url !== longUrl || state !== "exhausted",
  );
  if (unheard.length > 0) trial.violation(`${unheard.length} events of crowds were not delivered`);
  if (open.length === 1) trial.count("exhausted");
  for (const { invariant, detail } of await findViolations(db, clock.now())) {
    trial.violation(`after the crowds, invariant ${invariant}: ${detail}`);
  }
}
