// One gateway for a whole test file, opened while the file loads and stopped after its last test; with
// an operator's hands and a trader's. It stands on PostgreSQL where that is installed: what a door says
// does not depend on the engine, and other tests take every statement to the embedded one.

import { after } from "node:test";
import type { Config } from "../src/platform/config.ts";
import type { Outgoing } from "../src/platform/outgoing.ts";
import { ENGINES, openTestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";

export const ONE_ENGINE = ENGINES.at(-1) ?? "embedded";

export async function openOneGateway(changes: Partial<Config> = {}, http?: Outgoing) {
  const gateway = await openTestGateway(ONE_ENGINE, changes, http);
  after(() => gateway.stop());
  return { gateway, own: manage(gateway), trade: orders(gateway) };
}
