// Retention in a test: the settings of one kind, and its job run until nothing is left to remove.

import { jobs } from "../src/features/jobs.ts";
import type { Config } from "../src/platform/config.ts";
import { type TestGateway, testConfig } from "./gateway.ts";

export function keeping(days: Partial<Config["retainDays"]>): Pick<Config, "retainDays"> {
  return { retainDays: { ...testConfig({}).retainDays, ...days } };
}

/** The gateway runs its jobs by itself, too: how many it removed before is not told. */
export async function forget({ app }: Pick<TestGateway, "app">, name: string): Promise<void> {
  for (const job of jobs.filter((one) => one.name === name)) {
    while ((await job.run(app)) > 0);
  }
}
