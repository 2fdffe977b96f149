// Rails at several gateways on one PostgreSQL: who sends, who looks, who takes a payout by hand, and whose time is
// over, all at the same moment. Whoever comes second finds that somebody has it.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { markAttempts } from "../src/features/payouts/attempt-queries.ts";
import { claimPayouts } from "../src/features/payouts/attempts.ts";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { assertBooksAreRight } from "./books.ts";
import { onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { MINUTE, orders, through } from "./orders.ts";
import { insistent, mayTakeLong } from "./patience.ts";
import { pauseRail, payouts, resumeRail } from "./payouts.ts";
import { openRail } from "./rails.ts";

/** Longer than a look is waited for; nothing is lost while the rail hears of one after another. */
const LOST_AFTER_MS = 10_000;

onPostgres("rails at several gateways", () => {
  let gateway: TestGateway;
  let other: Gateway;
  let user: ReturnType<typeof payouts>;
  let rail: Awaited<ReturnType<typeof openRail>>;
  before(async () => {
    gateway = await openTestGateway("postgres");
    const { clock, app } = gateway;
    user = payouts(insistent(gateway), orders({ ...gateway, ...insistent(gateway) }));
    await user.earn(5);
    // The other one begins with the time that has passed.
    other = await startGateway({ config: app.config, clock, log: openLog("silent") });
    await pauseRail(gateway);
    rail = await openRail(gateway, "acquirer");
  });
  after(async () => {
    await other.stop();
    await gateway.stop();
    await rail.close();
  });
  beforeEach(async () => {
    await pauseRail(gateway, "acquirer");
    rail.fails(undefined);
    moves = 0;
    for (const keys of [rail.asked, rail.looked, rail.paid]) keys.length = 0;
  });
  afterEach(() => assertBooksAreRight(gateway));

  /** The time of both goes on, and nobody does what falls due but their jobs. */
  const pass = (seconds: number): void => {
    gateway.clock.advance(seconds);
    moves += 1;
  };
  let moves = 0;
  /** What a busy machine has lost is asked about at its next moment, which comes only if time goes on. */
  const reached = (what: string, isReached: () => boolean | Promise<boolean>): Promise<void> => {
    let waitsSince = performance.now();
    let heard = 0;
    return eventually(what, async () => {
      if (await isReached()) return true;
      const isGoingOn = rail.asked.length + rail.looked.length > heard;
      heard = rail.asked.length + rail.looked.length;
      const isLost = !isGoingOn && performance.now() - waitsSince > LOST_AFTER_MS;
      if (isLost) pass(MINUTE);
      if (isGoingOn || isLost) waitsSince = performance.now();
      return false;
    });
  };
  const all = async (state: string, ids: readonly string[]): Promise<boolean> =>
    (await Promise.all(ids.map((id) => user.state(id)))).every((one) => one === state);
  const several = (count: number, from: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => user.made({ amount: 10 + (from + index) / 100 })),
    );
  const claim = (id: string) =>
    other.app.db.transaction((tx) =>
      claimPayouts(tx, other.app, {
        ...{ rail: "acquirer", payoutIds: [id], services: ["card"], limit: 1 },
        ...{ leaseSeconds: MINUTE, isDispatched: false },
      }),
    );

  it("two gateways send at once: each payout is asked for once", async () => {
    const ids = await several(60, 0);
    await resumeRail(gateway, "acquirer");
    await reached("all done", () => all("done", ids));
    assert.deepEqual(rail.asked.toSorted(), ids.map((id) => `${id}.1`).toSorted());
  });

  it("two gateways look at once: each payout is asked about once", async () => {
    const ids = await several(20, 100);
    rail.fails("after");
    await resumeRail(gateway, "acquirer");
    await reached("all unknown", () => all("unknown", ids));
    rail.fails(undefined);
    pass(10);
    await reached("all done", () => all("done", ids));
    const keys = ids.map((id) => `${id}.1`).toSorted();
    const looked = Map.groupBy(rail.looked, (key) => key);
    assert.deepEqual([rail.asked.toSorted(), [...looked.keys()].toSorted()], [keys, keys]);
    for (const [key, looks] of looked) assert.ok(looks.length <= moves, `${key}: ${looks.length}`);
  });

  it("case 13: who claims and dies before the marker has sent nothing: it is sent once, by another", async () => {
    const [id = ""] = await several(1, 200);
    assert.equal((await claim(id)).length, 1);
    await resumeRail(gateway, "acquirer");
    pass(MINUTE);
    await eventually("in line again", async () => (await user.state(id)) === "queued");
    pass(1);
    await reached("done", async () => (await user.state(id)) === "done");
    assert.deepEqual(rail.asked, [`${id}.2`]);
  });

  it("who marks an attempt just as its time ends may have sent it: it is unknown, and never in line", async () => {
    const [id = ""] = await several(1, 300);
    await claim(id);
    const { db } = gateway.app;
    const now = gateway.app.clock.now();
    await other.app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      assert.equal((await markAttempts(tx, [{ payoutId: id, number: 1 }], now)).size, 1);
      pass(MINUTE);
      const waits = `select from pg_locks where not granted
        and pid in (select pid from pg_stat_activity where datname = current_database())`;
      await eventually("who ends it", async () => (await db.query(waits, [])).length > 0);
    });
    await eventually("unknown", async () => (await user.state(id)) === "unknown");
    await resumeRail(gateway, "acquirer");
    pass(10);
    await reached("a look", () => rail.looked.length > 0);
    assert.deepEqual([rail.asked, await user.state(id)], [[], "unknown"]);
    const said = { key: `${id}.1`, state: "not_sent", reason: "never came" };
    assert.equal((await rail.notice(said)).body.data.result, "taken");
  });

  it("case 23: an operator takes what the job wants to send: one of them has it", async () => {
    const ids = await several(24, 400);
    const desk = manage(through(other));
    const [answers] = await Promise.all([
      Promise.all(ids.map((id) => desk.ask(`payouts/${id}/take`, {}))),
      resumeRail(gateway, "acquirer"),
    ]);
    const taken = ids.filter((_, index) => answers[index]?.status === 200);
    const sent = ids.filter((id) => !taken.includes(id));
    await reached("the others", () => all("done", sent));
    assert.ok(await all("sending", taken));
    assert.deepEqual(rail.asked.toSorted(), sent.map((id) => `${id}.1`).toSorted());
  });
});
