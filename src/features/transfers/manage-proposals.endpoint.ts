// /manage/proposals: what one person has assigned by hand and another one has to confirm, from a sum on.

import type { Tx } from "../../platform/db.ts";
import { text, uuid } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { change, list } from "../operators/doors.ts";
import { Transfers } from "./nouns.ts";
import { Proposals, proposalState } from "./proposal-nouns.ts";
import { confirmProposal, declineProposal, lockProposal } from "./proposals.ts";

const proposal_id = uuid({ description: "The proposal." });
const notFound = "There is no such proposal.";

/** A transfer, and what somebody proposes about it. */
const Proposed = Type.Object({ ...Transfers.wire.properties, proposal: Proposals.wire });

async function shown(tx: Tx, id: string) {
  const proposal = await Proposals.find(tx, id);
  const transfer = Transfers.toWire(await Transfers.find(tx, proposal.transfer_id));
  return { ...transfer, proposal: Proposals.toWire(proposal) };
}

export const readProposals = list({
  path: "/manage/proposals",
  summary: "List what was assigned by hand and takes a second person",
  description: "state=open lists what waits for one.",
  noun: Proposals,
  filters: {
    state: Type.Optional(proposalState),
    transfer_id: Type.Optional(uuid({ description: "Of this transfer." })),
  },
  ways: (_app, { state, transfer_id }) => ({
    by: { transfer_id, "state = 'open'": state === "open" ? true : undefined },
    filters: { state: state === "open" ? undefined : state },
  }),
});

export const confirmProposalDoor = change({
  path: "/manage/proposals/:proposal_id/confirm",
  summary: "Confirm what somebody else has assigned",
  description:
    "The payment is credited with what arrived, judged as at this moment. Not by who proposed it, nor by a token that has been in the same hand. This cannot be undone.",
  act: "transfer.confirm",
  by: "cashier",
  input: Type.Object({ proposal_id }),
  data: Proposed,
  notFound,
  async make(tx, app, input, operator) {
    const proposal = await lockProposal(tx, input.proposal_id);
    const before = await shown(tx, proposal.id);
    await confirmProposal(tx, app, proposal, operator);
    const after = await shown(tx, proposal.id);
    return { data: after, subject: after.transfer_id, before, after };
  },
});

export const declineProposalDoor = change({
  path: "/manage/proposals/:proposal_id/decline",
  summary: "Decline what somebody has assigned, or withdraw one's own",
  description: "The transfer waits in suspense as before, and can be assigned anew.",
  act: "transfer.decline",
  by: "cashier",
  input: Type.Object({
    proposal_id,
    reason: text(
      { max: 500 },
      { description: "Why; it stays with the proposal.", examples: ["That is another payer"] },
    ),
  }),
  data: Proposed,
  notFound,
  async make(tx, app, { proposal_id: id, reason }, operator) {
    const proposal = await lockProposal(tx, id);
    const before = await shown(tx, proposal.id);
    await declineProposal(tx, app, proposal, operator, reason);
    const after = await shown(tx, proposal.id);
    return { data: after, subject: after.transfer_id, before, after };
  },
});
