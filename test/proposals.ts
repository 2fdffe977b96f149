// A match that waits for a second person, whatever the gateway is set to: proposed by somebody of another hand.

import { addProposal } from "../src/features/transfers/proposal-queries.ts";
import type { TestGateway } from "./gateway.ts";
import { ownHand } from "./manage.ts";

export async function proposeByOther(
  gateway: Pick<TestGateway, "app" | "call">,
  transfer_id: string,
  payment_id: string,
): Promise<string> {
  const { app } = gateway;
  const { id: proposed_by } = await ownHand(gateway, "canary-m-other");
  const id = app.newId();
  const proposal = { id, transfer_id, payment_id, reason: "canary-m", proposed_by };
  await app.db.transaction((tx) => addProposal(tx, { ...proposal, created_at: app.clock.now() }));
  return id;
}
