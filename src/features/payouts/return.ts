// A payout that came back as money which waits in suspense: both are settled together. Guards that what goes back
// to the user is what came back, and that it no longer waits.

import { suspenseCleared } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Settlement } from "../transfers/queries.ts";
import { clearTransfer } from "../transfers/transfers.ts";
import type { Payout } from "./queries.ts";
import { movePayouts } from "./settle.ts";

/** The payout is locked: before the transfer, and before any balance. */
export async function returnWithTransfer(
  tx: Tx,
  app: App,
  payout: Payout,
  settlement: Settlement,
): Promise<void> {
  const came = await clearTransfer(tx, app, settlement, suspenseCleared);
  if (came.amountMinor !== payout.receiveMinor || came.currency !== payout.currency) {
    throw new Refusal("payout_return_differs");
  }
  await movePayouts(tx, app, [{ payout, to: "returned", error: "returned" }]);
}
