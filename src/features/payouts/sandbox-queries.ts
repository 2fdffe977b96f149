// What the sandbox's bank sends back falls due as everything else does.

import type { Queryable } from "../../platform/db.ts";
import { fallsDue } from "../../platform/db-dues.ts";

/** What a payout falls due for that the sandbox's bank sends back. */
export const RETURNS = "return-sandbox-payouts";

export async function returnLater(db: Queryable, payoutId: string, at: Date): Promise<void> {
  await db.query(
    `with returned as (select $1::uuid as id, $2::timestamptz as due_at)
     ${fallsDue("returned", RETURNS)} on conflict do nothing`,
    [payoutId, at],
  );
}
