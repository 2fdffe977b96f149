// A desk in a test: operators who send payouts by hand, and no rail that would send them before.

import type { TestGateway } from "./gateway.ts";
import { type Manage, manage, ownHand } from "./manage.ts";
import { pauseRail } from "./payouts.ts";

export async function openDesk(gateway: Pick<TestGateway, "call" | "app">) {
  await pauseRail(gateway);
  return {
    anna: await ownHand(gateway, "Anna", "operator"),
    boris: await ownHand(gateway, "Boris", "operator"),
  };
}

/** Somebody by a token that this colleague has made, and so has seen. */
export async function tokenOf(gateway: Pick<TestGateway, "call">, maker: Manage): Promise<Manage> {
  const { token } = await maker.post("operators", { name: "Second", role: "operator" });
  return manage(gateway, token);
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
