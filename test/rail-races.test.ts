// Rails at several gateways on one PostgreSQL: who sends, who looks, who takes a payout by hand, and whose time is
// over, all at the same moment. Whoever comes second finds that somebody has it.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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
const WAITS = `select from pg_locks where not granted
  and pid in (select pid from pg_stat_activity where datname = current_database())`;

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
        rail: "acquirer",
        payoutIds: [id],
        services: ["card"],
        limit: 1,
        leaseSeconds: MINUTE,
        isDispatched: false,
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
      await eventually("who ends it", async () => (await db.query(WAITS, [])).length > 0);
    });
    await eventually("unknown", async () => (await user.state(id)) === "unknown");
    await resumeRail(gateway, "acquirer");
    pass(10);
    await reached("a look", () => rail.looked.length > 0);
    assert.deepEqual([rail.asked, await user.state(id)], [[], "unknown"]);
    const said = { key: `${id}.1`, state: "not_sent", reason: "never came" };
    assert.equal((await rail.notice(said)).body.data.result, "taken");
  });

  it("a rail that becomes another program just as it claims: the former one is told nothing", async (context) => {
    const told: string[] = [];
    const program = createServer((request, response) => {
      told.push(String(request.headers["webhook-id"]));
      response.end('{"state":"sent"}');
    });
    await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
    context.after(() => program.close());
    const { port } = program.address() as AddressInfo;
    const { db } = gateway.app;
    await resumeRail(gateway, "acquirer");
    const [was, id] = await other.app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      const [{ url } = { url: "" }] = await tx.query<{ url: string }>(
        "select url from rails where code = $1 for update",
        [rail.code],
      );
      const [made = ""] = await several(1, 350);
      await eventually("who claims", async () => (await db.query(WAITS, [])).length > 0);
      const next = `http://127.0.0.1:${port}`;
      await tx.query("update rails set url = $2 where code = $1", [rail.code, next]);
      return [url, made];
    });
    await reached("done", () => all("done", [id]));
    await pauseRail(gateway, "acquirer");
    await manage(gateway).post("rails/acquirer", { url: was });
    assert.deepEqual([rail.asked, told], [[], [`${id}.1`]]);
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
