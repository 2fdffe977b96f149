// Workers that are slower than their lease: whoever has taken an event over is the only one to write
// what came of it (invariant 21).

import { deliverDue } from "../../src/features/webhooks/deliver-events.job.ts";
import { openReceiver } from "../../test/webhook-room.ts";
import { eventually } from "../eventually.ts";
import type { Trial } from "../part.ts";
import type { Random } from "../random.ts";
import { eventsOf, judgeHeard } from "./heard.ts";
import type { Stage } from "./stage.ts";

const RECEIVERS = 4;
const PLACES = 8;
const LEASE_SECONDS = 60;
const REFUSED_WITHIN_MS = 20_000;
const STATUSES = [200, 204, 404, 410, 500, 503];

type Fate = "nobody took it over" | "slow one first" | "slow one last";

interface Tried {
  readonly id: string;
  readonly fate: Fate;
  /** What each of the two attempts is answered with. */
  readonly statuses: readonly [number, number];
}

export async function runLeases(trial: Trial, stage: Stage, random: Random): Promise<void> {
  const [slow, quick] = stage.workers;
  if (slow === undefined || quick === undefined) throw new Error("two workers are needed");
  const answers = new Map<string, ((status: number) => void)[]>();
  let isHeld = true;
  const receivers = await Promise.all(
    Array.from({ length: RECEIVERS }, () =>
      openReceiver((answer, { headers }) => {
        const id = String(headers["webhook-id"]);
        const held = answers.get(id) ?? [];
        answers.set(id, held);
        if (isHeld) held.push((status) => void answer.writeHead(status).end());
        else answer.writeHead(200).end();
      }),
    ),
  );
  for (const receiver of receivers) trial.later(() => receiver.die());
  const shops = await Promise.all(receivers.map(({ url }) => stage.openShop(url)));
  const orders = await stage.order(shops.flatMap((shop) => Array(PLACES).fill(shop)));
  for (const order of orders) await stage.pay(order);
  const tried = (await eventsOf(stage, shops)).map(({ id }): Tried => {
    const fate = random.pick<Fate>(["nobody took it over", "slow one first", "slow one last"]);
    return { id, fate, statuses: [random.pick(STATUSES), random.pick(STATUSES)] };
  });
  const asked = (count: number, among: readonly Tried[]) => () =>
    among.every(({ id }) => answers.get(id)?.length === count);
  const answer = (which: 0 | 1, among: readonly Tried[]): void => {
    for (const { id, statuses } of among) answers.get(id)?.[which]?.(statuses[which]);
  };
  const fated = (fate: Fate): Tried[] => tried.filter((one) => one.fate === fate);
  const refused = (): number =>
    stage.warnings.filter((line) => line.includes("an attempt ended after its lease")).length;
  const refusedBefore = refused();

  const slowEnds = begun(deliverDue(slow));
  await eventually("all are asked", asked(1, tried));
  stage.clock.advance(LEASE_SECONDS);
  // Its lease is over, but the event is nobody else's yet: what it has to say still counts.
  answer(0, fated("nobody took it over"));
  await eventually("those are written", () => written(stage, fated("nobody took it over"), 1));
  const taken = [...fated("slow one first"), ...fated("slow one last")];
  const quickEnds = begun(deliverDue(quick));
  await eventually("the others are asked again", asked(2, taken));
  answer(0, fated("slow one first"));
  const firstOnes = fated("slow one first").length;
  const areRefused = (): boolean => refused() - refusedBefore === firstOnes;
  await eventually("the refusals", areRefused, REFUSED_WITHIN_MS).catch(() =>
    trial.violation("workers whose leases others have taken over were not refused"),
  );
  answer(1, taken);
  await quickEnds;
  answer(0, fated("slow one last"));
  await slowEnds;
  await judgeLeases(trial, stage, tried);

  isHeld = false;
  await stage.settle(trial);
  const events = await eventsOf(stage, shops);
  judgeHeard(
    trial,
    shops,
    events,
    receivers.flatMap(({ received }) => received),
  );
  const lost = events.filter(({ state }) => state === "waiting");
  if (lost.length > 0) trial.violation(`${lost.length} events wait for ever after their leases`);
}

/** Waited for later, or never where something else has failed before. */
function begun<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}

async function written(stage: Stage, among: readonly Tried[], attempt: number): Promise<boolean> {
  const rows = await stage.gateway.app.db.query(
    `select from deliveries
     where event_id = any($1::uuid[]) and attempt = $2 and duration_ms is not null`,
    [among.map(({ id }) => id), attempt],
  );
  return rows.length === among.length;
}

async function judgeLeases(trial: Trial, stage: Stage, tried: readonly Tried[]): Promise<void> {
  const rows = await stage.gateway.app.db.query<{
    id: string;
    state: string;
    log: readonly (number | null)[];
  }>(
    `select event_id as id, state, array_agg(status order by attempt) as log
     from event_states join attempts using (event_id)
     where event_id = any($1::uuid[]) group by 1, 2`,
    [tried.map(({ id }) => id)],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const { id, fate, statuses } of tried) {
    const wasTaken = fate !== "nobody took it over";
    const log = wasTaken ? [null, statuses[1]] : [statuses[0]];
    const state = stateAfter(wasTaken ? statuses[1] : statuses[0]);
    const row = found.get(id);
    trial.count("a lease ran out");
    if (row?.state === state && String(row.log) === String(log)) {
      trial.count(wasTaken ? "a slow worker is refused" : "a slow worker is still the holder");
    } else {
      trial.violation(`${fate}: ${id} is ${row?.state} by ${row?.log}, not ${state} by ${log}`);
    }
  }
}

function stateAfter(status: number): string {
  if (status < 300) return "delivered";
  return status === 410 ? "exhausted" : "waiting";
}
