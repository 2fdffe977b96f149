// A third gateway on the scene's database, whose machine's clock jumps 25 h ahead while the other two go
// on: somebody's slot is in quarantine, and by that clock it would be free. It must decide nothing.

import assert from "node:assert/strict";
import { startGateway } from "../../src/gateway.ts";
import { openLog } from "../../src/platform/log.ts";
import { createH2h, createInvoice } from "../../test/cast.ts";
import { type CallOptions, call } from "../../test/gateway.ts";
import { manage } from "../../test/manage.ts";
import { HOUR } from "../../test/orders.ts";
import type { Trial } from "../part.ts";
import { NARROW, type Scene } from "./scene.ts";

export const WRONG_CLOCK = "a gateway's clock jumps 25 h ahead";
const TURNS = 5;

export async function jumpAhead(trial: Trial, scene: Scene): Promise<void> {
  const { clock, left, exactShop: shop } = scene;
  let aheadMs = 0;
  const gateway = await startGateway({
    config: left.app.config,
    log: openLog("silent"),
    clock: { now: () => new Date(clock.now().getTime() + aheadMs) },
    machineClock: { now: () => new Date(Date.now() + aheadMs) },
  });
  const third = { call: (path: string, asked?: CallOptions) => call(gateway.url, path, asked) };
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const amount = scene.amount();
      const held = (await createInvoice(left, { amount }, shop)).body.data.id;
      assert.equal((await createH2h(left, held, NARROW, shop)).status, 200);
      const stranger = (await createInvoice(left, { amount }, shop)).body.data.id;
      aheadMs = 25 * HOUR * 1000;
      const asked = await Promise.all([
        createH2h(third, stranger, NARROW, shop),
        createInvoice(third, { amount }, shop),
        manage(third).ask("transfers", { wallet: "2202200000000007", amount, reference: held }),
        third.call("/readyz"),
      ]);
      for (const { status, text } of asked) assert.equal(status, 503, text);
      assert.equal((await createInvoice(left, {}, shop)).status, 200);
      aheadMs = 0;
      // The slot is still the first one's.
      assert.equal((await createH2h(third, stranger, NARROW, shop)).status, 422);
      trial.count(WRONG_CLOCK);
    }
  } catch (error) {
    trial.violation(`${WRONG_CLOCK}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await gateway.stop();
  }
  for (const violation of await scene.violations()) trial.violation(`${WRONG_CLOCK}: ${violation}`);
}
