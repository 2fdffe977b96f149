// The tables of what may become what: the whole of it, so that a new edge is a decision.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { statesBefore } from "./edge.ts";
import { INVOICE_EDGES, INVOICE_STATES } from "./invoice.ts";
import {
  endOfDetails,
  endOfReplacedSlot,
  endOfSlot,
  PAYMENT_EDGES,
  PAYMENT_STATES,
} from "./payment.ts";

const migration = ["04_invoices"]
  .map((name) => readFileSync(join(import.meta.dirname, `../../migrations/${name}.sql`), "utf8"))
  .join("\n");

function edges(table: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(table).flatMap(([from, all]) => all.map((to) => `${from} → ${to}`));
}

it("transitions of an invoice", () => {
  assert.deepEqual(edges(INVOICE_EDGES), [
    "created → pending",
    "created → expired",
    "created → failed",
    "pending → paid",
    "pending → expired",
    "pending → failed",
    "paid → refunded",
    "expired → paid",
  ]);
});

it("transitions of a payment", () => {
  assert.deepEqual(edges(PAYMENT_EDGES), ["live → paid", "live → lapsed", "lapsed → paid"]);
});

it("transitions tell an update which states it may leave", () => {
  assert.deepEqual(statesBefore(INVOICE_EDGES, "pending"), ["created"]);
  assert.deepEqual(statesBefore(INVOICE_EDGES, "paid"), ["pending", "expired"]);
  assert.deepEqual(statesBefore(INVOICE_EDGES, "expired"), ["created", "pending"]);
  assert.deepEqual(statesBefore(INVOICE_EDGES, "refunded"), ["paid"]);
  assert.deepEqual(statesBefore(PAYMENT_EDGES, "lapsed"), ["live"]);
  assert.deepEqual(statesBefore(PAYMENT_EDGES, "paid"), ["live", "lapsed"]);
});

it("transitions know the same states as the database", () => {
  for (const states of [INVOICE_STATES, PAYMENT_STATES]) {
    const list = states.map((state) => `'${state}'`).join(", ");
    assert.ok(migration.includes(`check (state in (${list}))`), list);
  }
});

const now = new Date("2026-03-01T09:00:00Z");
it("a payment's time is 20 minutes, and never longer than its invoice's", () => {
  const far = new Date("2026-03-02T09:00:00Z");
  assert.equal(endOfDetails(now, far).toISOString(), "2026-03-01T09:20:00.000Z");
  const near = new Date("2026-03-01T09:05:00Z");
  assert.equal(endOfDetails(now, near).toISOString(), "2026-03-01T09:05:00.000Z");
});
const minutes = (count: number): Date => new Date(now.getTime() + count * 60_000);
it("a payment's time is followed by a quarantine of a day", () => {
  assert.deepEqual(endOfSlot(minutes(5)), minutes(5 + 24 * 60));
});
it("a payment's time earns less of a quarantine when others have replaced it soon, and what was promised all the same", () => {
  assert.deepEqual(endOfReplacedSlot(now, minutes(1), minutes(20)), minutes(20 + 2 * 60));
  assert.deepEqual(endOfReplacedSlot(now, minutes(10), minutes(20)), minutes(10 + 12 * 60));
  assert.deepEqual(endOfReplacedSlot(now, minutes(20), minutes(20)), minutes(20 + 24 * 60));
});
