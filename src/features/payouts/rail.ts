// What a program that sends payouts is asked, and what it says. A rail may be asked twice for the same, under the
// same key; under another key it is another payout.

import type { Finding, PayoutService } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import type { AttemptKey } from "./attempt-queries.ts";
import type { RailRow } from "./rail-queries.ts";

export interface RailOrder extends AttemptKey {
  /** What the rail knows it by. */
  readonly key: string;
  readonly service: PayoutService;
  /** A card, or a phone. */
  readonly wallet: string;
  readonly bankId: string | null;
  /** What arrives. */
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly comment: string | null;
  readonly dispatchedAt: Date;
}

/** Whatever it throws is no answer. */
export interface RailProgram {
  send(app: App, rail: RailRow, order: RailOrder, signal: AbortSignal): Promise<Finding>;
  look(app: App, rail: RailRow, order: RailOrder, signal: AbortSignal): Promise<Finding>;
}
