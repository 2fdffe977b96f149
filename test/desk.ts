// A desk in a test: operators who send payouts by hand, and no rail that would send them before.

import type { TestGateway } from "./gateway.ts";
import { type Manage, manage } from "./manage.ts";
import { pauseRail } from "./payouts.ts";

export interface Colleague extends Manage {
  readonly id: string;
  readonly token: string;
}

export async function openDesk(gateway: Pick<TestGateway, "call">) {
  await pauseRail(gateway);
  const own = manage(gateway);
  const colleague = async (name: string): Promise<Colleague> => {
    const { operator, token } = await own.post("operators", { name, role: "operator" });
    return { ...manage(gateway, token), id: operator.operator_id, token };
  };
  return { anna: await colleague("Anna"), boris: await colleague("Boris") };
}

/** Another amount each time, in roubles: what looks like a payout that nobody knows of waits for a person. */
let amounts = 10;
export function freshAmount(): number {
  amounts += 1;
  return amounts;
}

/** The names of a bank's fast payments: no two are alike. */
let payments = 0;
export function freshReference(): string {
  payments += 1;
  return `B${String(payments).padStart(31, "0")}`;
}

/** What a bank answers to a file of payouts, as base64. */
export function resultsFile(...rows: readonly string[]): string {
  const lines = ["number;state;reference;reason", ...rows].map((row) => `${row}\r\n`);
  return Buffer.from(lines.join("")).toString("base64");
}
