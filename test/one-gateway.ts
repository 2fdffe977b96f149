// One gateway for a whole test file, opened while the file loads and stopped after its last test; with
// an operator's hands and a trader's. It stands on PostgreSQL where that is installed: what a door says
// does not depend on the engine, and other tests take every statement to the embedded one.

import { after } from "node:test";
import type { GatewayOptions } from "../src/gateway.ts";
import type { Config } from "../src/platform/config.ts";
import { ENGINES, openTestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";

export const ONE_ENGINE = ENGINES.at(-1) ?? "embedded";

export async function openOneGateway(
  changes: Partial<Config> = {},
  parts: Pick<GatewayOptions, "http" | "jobs"> = {},
) {
  const gateway = await openTestGateway(ONE_ENGINE, changes, parts);
  after(() => gateway.stop());
  return { gateway, own: manage(gateway), trade: orders(gateway) };
}

/**
 * For tests of jobs: it does nothing by itself, so that what a test looks at is of its own making. Jobs run when
 * the test runs them, and those that fall due when it lets time pass through the front door.
 */
export function openQuietGateway(changes: Partial<Config> = {}) {
  return openOneGateway(changes, { jobs: [] });
}
