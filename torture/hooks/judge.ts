// What must have become of every event: of a healthy shop's, and of each hostile kind's.

import type { Receiver } from "../../test/webhook-room.ts";
import type { Trial } from "../part.ts";
import { eventsOf, judgeHeard, judgeSequences } from "./heard.ts";
import type { Hostile } from "./hostile.ts";
import type { HookShop, Stage } from "./stage.ts";

/** Between the attempts at one that fails; the promise to shops, written out again on purpose. */
const SCHEDULE_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

export interface Bad extends Hostile {
  readonly shop: HookShop;
}

export interface Good {
  readonly receiver: Receiver;
  readonly shop: HookShop;
}

export async function judgeGood(
  trial: Trial,
  stage: Stage,
  good: readonly Good[],
  most: number,
): Promise<void> {
  const shops = good.map(({ shop }) => shop);
  const events = await eventsOf(stage, shops);
  const heard = good.flatMap(({ receiver }) => receiver.received);
  judgeSequences(trial, events, judgeHeard(trial, shops, events, heard));
  for (const { id, state, attempts } of events) {
    if (state === "delivered" && attempts <= most) trial.count("delivered");
    else trial.violation(`event ${id} of a good shop is ${state} after ${attempts} attempts`);
  }
}

export async function judgeBad(trial: Trial, stage: Stage, bad: readonly Bad[]): Promise<void> {
  for (const { kind, shop, received } of bad) {
    const events = await eventsOf(stage, [shop]);
    const times = judgeHeard(trial, [shop], events, received);
    const [least, most] = kind.attempts;
    const isGivenUp = kind.giveUpMs !== undefined;
    let attempted = 0;
    for (const { id, state, attempts } of events) {
      attempted += attempts;
      const asItShould = state === kind.state && attempts >= least && attempts <= most;
      if (asItShould) trial.count(state);
      else trial.violation(`${kind.name}: ${id} is ${state} after ${attempts} attempts`);
      // One that is given up may not have come so far.
      const heard = times.get(id) ?? 0;
      const wasHeard = kind.behave === undefined ? heard === 0 : heard > 0 || isGivenUp;
      if (!wasHeard) trial.violation(`${kind.name}: ${id} was heard ${heard} times`);
    }
    trial.count(kind.name, attempted);
    const log = await stage.gateway.app.db.query<{ outcome: string; attempts: number }>(
      `select coalesce(attempts.status::text, error, 'nobody knows') as outcome,
              count(*)::integer as attempts
       from attempts join events on events.id = event_id where shop_id = $1 group by 1`,
      [shop.id],
    );
    const told = log.reduce((sum, row) => sum + row.attempts, 0);
    if (told !== attempted) trial.violation(`${kind.name}: ${told} of ${attempted} are in the log`);
    const wrong = log.filter(({ outcome }) => !kind.outcomes.map(String).includes(outcome));
    for (const row of wrong) trial.violation(`${kind.name}: ${row.attempts} × ${row.outcome}`);
    if (most === SCHEDULE_SECONDS.length + 1) await judgeMoments(trial, stage, kind.name, shop);
  }
}

/** Not a moment too early, and nothing forgotten for a while. */
async function judgeMoments(
  trial: Trial,
  { gateway }: Stage,
  name: string,
  shop: HookShop,
): Promise<void> {
  const rows = await gateway.app.db.query<{ pauses: string }>(
    `select distinct string_agg(pause::text, ' ' order by attempt) as pauses from (
       select event_id, attempt, extract(epoch from started_at - lag(started_at)
                over (partition by event_id order by attempt))::integer as pause
       from deliveries join events on events.id = event_id where shop_id = $1) gaps
     where pause is not null group by event_id`,
    [shop.id],
  );
  const pauses = rows.map((row) => row.pauses);
  if (pauses.join() !== SCHEDULE_SECONDS.join(" ")) {
    trial.violation(`${name}: attempted with pauses of ${pauses.join(" or ")} s`);
  }
}
