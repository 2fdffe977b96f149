// Money that waits in suspense and is a payout that came back. Guards that it is what the payout sent: then it waits
// no longer, and stands against what had left.

import { suspenseCleared } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Settlement } from "../transfers/queries.ts";
import { clearTransfer } from "../transfers/transfers.ts";
import type { Payout } from "./queries.ts";

/** The payout is locked: before the transfer, and before any balance. */
export async function clearReturn(
  tx: Tx,
  app: App,
  payout: Payout,
  settlement: Settlement,
): Promise<void> {
  const came = await clearTransfer(tx, app, settlement, suspenseCleared);
  if (came.amountMinor !== payout.receiveMinor || came.currency !== payout.currency) {
    throw new Refusal("payout_return_differs");
  }
}
