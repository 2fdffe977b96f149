// What a user is told of a payout, field by field, as clients of this family of API read them: texts all.

import { toldText } from "../../domain/dialect.ts";
import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import { EVENT_CODES, type PayoutState, wireState } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import type { EventFact } from "../webhooks/events.ts";
import type { Payout } from "./queries.ts";

/** Beside payments (1) and refunds (2). */
const TYPE = 3;

/** Undefined where nobody is told of that state. */
export function payoutEvent(
  { config }: Pick<App, "config">,
  payout: Payout,
  to: PayoutState,
  { at, error, sequence }: { at: Date | null; error: string | null; sequence: number },
): EventFact | undefined {
  const code = EVENT_CODES[to];
  if (code === undefined) return undefined;
  return {
    payoutId: payout.id,
    userId: payout.userId,
    sequence,
    hookUrl: payout.hookUrl,
    fields: {
      payoff_id: payout.id,
      status: wireState(to),
      amount: toDecimalText(payout.amountMinor),
      amount_receive: toDecimalText(payout.receiveMinor),
      commission: toDecimalText(payout.feeMinor),
      wallet: payout.masked,
      service: payout.service,
      order_id: payout.orderId ?? "",
      type: TYPE,
      code,
      paid_at: at === null ? null : momentFormat(config.timeZone).text(at),
      // Clients check a signature by writing the body again; what is not ASCII they would write otherwise.
      error_message: error === null ? null : toldText("family", error),
    },
  };
}
