// Of events that were delivered the bodies go after their time, and so do the attempts to deliver them. The
// event itself stays: when it happened, what it said of its invoice, how often it was tried.

import { retentionJob, sweepById } from "../../platform/retention-job.ts";
import { removeBodies, removeDeliveries } from "./retention-queries.ts";

export const forgetBodiesJob = retentionJob({
  name: "forget-event-bodies",
  kept: "eventBodies",
  sweep: sweepById("events", removeBodies),
});

export const forgetDeliveriesJob = retentionJob({
  name: "forget-deliveries",
  kept: "deliveries",
  sweep: sweepById("events", removeDeliveries),
});
