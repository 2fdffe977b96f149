// Giving each plan a slot on one of the locked requisites. The slots' primary key decides who gets one;
// here it is only guessed which are free.

import { endOfDetails, endOfSlot } from "../../domain/payment.ts";
import { chooseSlots, type Slot, slotKey } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import {
  type Claim,
  claimSlots,
  heldSlots,
  type RequisiteRow,
  type Usage,
} from "../requisites/queries.ts";
import { toCandidate } from "./candidates.ts";
import type { Plan } from "./judge.ts";
import type { NewPayment } from "./queries.ts";

interface Issued {
  readonly plan: Plan;
  readonly requisite: RequisiteRow;
  readonly payment: NewPayment;
  readonly slot: Claim & Usage;
}

/** What a quick attempt finds held is tried on another of the requisites that it has locked. */
const QUICK_ROUNDS = 3;

export async function claimFor(
  tx: Tx,
  app: App,
  plans: readonly Plan[],
  rows: readonly RequisiteRow[],
  thorough: boolean,
  now: Date,
): Promise<Issued[]> {
  const requisites = new Map(rows.map((row) => [row.id, row]));
  const enabled = rows.filter((row) => row.enabled);
  const held = thorough ? await heldAmong(tx, enabled, plans, now) : new Set<string>();
  const issued: Issued[] = [];
  let open: readonly Plan[] = thorough
    ? plans
    : plans.map((plan) => ({ ...plan, nudgeMaxMinor: 0n }));
  for (let round = thorough ? QUICK_ROUNDS : 1; round <= QUICK_ROUNDS; round += 1) {
    const candidates = enabled.map((row) => toCandidate(row, issued));
    const slots = chooseSlots(candidates, (slot) => held.has(slotKey(slot)), open);
    const picked = open.flatMap((plan, index): Issued[] => {
      const slot = slots[index];
      const requisite = slot && requisites.get(slot.requisiteId);
      if (slot === undefined || requisite === undefined) return [];
      const payment = toPayment(app, plan, slot, now, requisite.day);
      return [{ plan, requisite, payment, slot: toClaim(payment) }];
    });
    if (picked.length === 0) break;
    // Whether a slot is free is found out by the claim itself.
    const claimed = await claimSlots(
      tx,
      picked.map(({ slot }) => slot),
      now,
    );
    const failed = picked.filter(({ payment }) => !claimed.has(payment.id));
    issued.push(...picked.filter(({ payment }) => claimed.has(payment.id)));
    if (failed.length === 0) break;
    for (const { slot } of failed) held.add(slotKey(slot));
    open = failed.map(({ plan }) => plan);
  }
  return issued;
}

async function heldAmong(
  tx: Tx,
  rows: readonly RequisiteRow[],
  plans: readonly Plan[],
  now: Date,
): Promise<Set<string>> {
  const ranges = plans.map(({ toPayMinor, nudgeMaxMinor }) => ({
    fromMinor: toPayMinor,
    toMinor: toPayMinor + nudgeMaxMinor,
  }));
  const ids = rows.map(({ id }) => id);
  return new Set((await heldSlots(tx, ids, ranges, now)).map(slotKey));
}

function toClaim(payment: NewPayment): Claim & Usage {
  return {
    requisiteId: payment.requisiteId,
    amountMinor: payment.toPayMinor,
    paymentId: payment.id,
    heldUntil: endOfSlot(payment.endsAt),
    day: payment.createdOn,
  };
}

function toPayment(app: App, plan: Plan, slot: Slot, now: Date, day: string): NewPayment {
  const { wish, invoice, fee } = plan;
  return {
    id: app.newId(),
    invoiceId: invoice.id,
    shopId: wish.shop.id,
    requisiteId: slot.requisiteId,
    service: plan.service,
    currency: invoice.currency,
    amountMinor: invoice.amount_minor,
    percentPpm: plan.rates.percentPpm,
    userPercentPpm: plan.rates.userPercentPpm,
    feeMinor: fee.totalMinor,
    payerFeeMinor: fee.payerMinor,
    nudgeMinor: slot.amountMinor - plan.toPayMinor,
    toPayMinor: slot.amountMinor,
    payerIp: wish.payerIp,
    payerUserAgent: wish.payerUserAgent,
    createdAt: now,
    createdOn: day,
    endsAt: endOfDetails(now, invoice.expires_at),
  };
}
