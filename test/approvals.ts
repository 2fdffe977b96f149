// An assignment that waits for a second person, whatever the gateway is set to: approved by another person already.

import { addApprovals } from "../src/features/approvals/approval-queries.ts";
import type { TestGateway } from "./gateway.ts";
import { ownHand } from "./manage.ts";

export async function approveByOther(
  gateway: Pick<TestGateway, "app" | "call">,
  transferId: string,
  paymentId: string,
): Promise<void> {
  const { app } = gateway;
  const { id: by } = await ownHand(gateway, "canary-m-other");
  const approval = {
    id: app.newId(),
    subject_type: "transfer",
    subject_id: transferId,
    action: "assign",
    attempt: 0,
    payment_id: paymentId,
    by,
    reason: "canary-m",
    at: app.clock.now(),
  } as const;
  await app.db.transaction((tx) => addApprovals(tx, [approval]));
}
