// Gateways that are killed while they deliver: what they had under way is delivered by whoever comes
// after them, at least once, with the same id and the same bytes.

import { findInstallation, moveClock } from "../../src/features/merchants/installation-queries.ts";
import { TestClock, type TestDatabase } from "../../test/gateway.ts";
import { freePort, runKopeck } from "../../test/process.ts";
import { answerWith, openReceiver, type Receiver } from "../../test/webhook-room.ts";
import { eventually } from "../eventually.ts";
import type { Trial } from "../part.ts";
import type { Random } from "../random.ts";
import { eventsOf, judgeHeard, judgeSequences } from "./heard.ts";
import { type HookShop, openStage, type Stage } from "./stage.ts";

const INVOICES = 16;
const LEASE_SECONDS = 60;
/** So long a request is under way at the slow one. */
const SLOW_MS = 100;

export async function runDeaths(
  trial: Trial,
  database: TestDatabase,
  rounds: number,
  random: Random,
): Promise<void> {
  const clock = new TestClock();
  clock.advance((Date.now() - clock.now().getTime()) / 1000);
  const slowly: Parameters<typeof openReceiver>[0] = (answer) =>
    setTimeout(() => answer.writeHead(200).end(), SLOW_MS);
  const receivers = [await openReceiver(answerWith(200)), await openReceiver(slowly)];
  for (const receiver of receivers) trial.later(() => receiver.die());
  const shops: HookShop[] = [];
  let seen: Seen = { cut: 0, twice: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const heardBefore = heardBy(receivers);
    await onStage(database, clock, async (stage) => {
      if (round === 0) for (const { url } of receivers) shops.push(await stage.openShop(url));
      await stage.tell(shops.flatMap((shop) => Array(INVOICES).fill(shop)));
      await leadClock(stage);
    });
    const requests = random.between(1, INVOICES * 3);
    const startedAt = performance.now();
    await killAfter(database, () => heardBy(receivers) - heardBefore >= requests);
    const livedSeconds = (performance.now() - startedAt) / 1000;
    trial.count("kill -9 of a gateway that delivers");
    await onStage(database, clock, async (stage) => {
      // Past the leases of the dead, whose clock went on while it lived.
      clock.advance(livedSeconds + LEASE_SECONDS + 5);
      const before = clock.now().getTime();
      await stage.settle(trial);
      const waitedMs = clock.now().getTime() - before;
      if (waitedMs > 0) trial.violation(`what the dead had claimed waits ${waitedMs} ms longer`);
      seen = await judgeRound(trial, stage, shops, receivers);
    });
  }
  trial.count("an attempt cut off by a death", seen.cut);
  trial.count("heard twice, as at least once means", seen.twice);
}

interface Seen {
  /** Attempts of which nobody knows how they ended. */
  readonly cut: number;
  /** Events that were heard more than once. */
  readonly twice: number;
}

const heardBy = (receivers: readonly Receiver[]): number =>
  receivers.reduce((sum, { received }) => sum + received.length, 0);

/** The embedded engine belongs to one process at a time. */
async function onStage(
  database: TestDatabase,
  clock: TestClock,
  work: (stage: Stage) => Promise<void>,
): Promise<void> {
  const stage = await openStage(database, clock);
  try {
    await work(stage);
  } finally {
    await stage.close();
  }
}

/** A gateway that starts now has the moved time, and a little more: everything is due for it. */
async function leadClock({ gateway, clock }: Stage): Promise<void> {
  const { db } = gateway.app;
  const made = await findInstallation(db);
  const wanted = Math.ceil((clock.now().getTime() - Date.now()) / 1000) + 1;
  await moveClock(db, wanted - Number(made?.clock_offset_seconds ?? 0n));
}

async function killAfter({ config }: TestDatabase, isTime: () => boolean): Promise<void> {
  const { databaseUrl, dataDir } = config;
  const where: Record<string, string> =
    databaseUrl === undefined ? { KOPECK_DATA_DIR: dataDir ?? "" } : { DATABASE_URL: databaseUrl };
  const port = String(await freePort());
  const { child, ended, output } = runKopeck({ PORT: port, LOG_LEVEL: "error", ...where });
  const isOver = (): boolean => child.exitCode !== null;
  await eventually("the gateway's deliveries", () => isTime() || isOver());
  if (!isTime()) throw new Error(`the gateway has ended by itself: ${output()}`);
  child.kill("SIGKILL");
  await ended;
}

async function judgeRound(
  trial: Trial,
  stage: Stage,
  shops: readonly HookShop[],
  receivers: readonly Receiver[],
): Promise<Seen> {
  const events = await eventsOf(stage, shops);
  const heard = receivers.flatMap(({ received }) => received);
  const times = judgeHeard(trial, shops, events, heard);
  judgeSequences(trial, events, times);
  for (const { id, state } of events) {
    if (state !== "delivered") trial.violation(`after a death event ${id} is ${state}`);
  }
  const [row] = await stage.gateway.app.db.query<{ cut: number }>(
    "select count(*)::integer as cut from deliveries where duration_ms is null",
    [],
  );
  const twice = [...times.values()].filter((count) => count > 1).length;
  return { cut: row?.cut ?? 0, twice };
}
