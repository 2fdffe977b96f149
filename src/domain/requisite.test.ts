// The choice of a requisite, against a plain account of its rules.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { type Candidate, chooseSlots, type Slot, slotKey, type Wanted } from "./requisite.ts";

const banks = ["sber", "tinkoff"];

const candidate = fc.record({
  bank: fc.constantFrom(...banks),
  currency: fc.constant("RUB"),
  wallets: fc.constantFrom<Candidate["wallets"]>(["card"], ["phone"], ["card", "phone"]),
  lastUsedAt: fc.option(fc.date({ min: new Date(1), max: new Date(9), noInvalidDate: true })),
  minMinor: fc.bigInt(1n, 6n),
  maxMinor: fc.bigInt(4n, 12n),
  livePaymentsLeft: fc.nat(3),
  dayPaymentsLeft: fc.nat(3),
  daySumLeftMinor: fc.bigInt(0n, 30n),
});

const wanted: fc.Arbitrary<Wanted> = fc.record({
  bank: fc.constantFrom(...banks),
  currency: fc.constant("RUB"),
  wallet: fc.constantFrom<Wanted["wallet"]>("card", "phone"),
  toPayMinor: fc.bigInt(1n, 9n),
  nudgeMaxMinor: fc.bigInt(0n, 4n),
});

const situation = fc.record({
  candidates: fc
    .array(candidate, { maxLength: 5 })
    .map((all): Candidate[] => all.map((one, index) => ({ ...one, id: `r${index}` }))),
  wishes: fc.array(wanted, { maxLength: 12 }),
  taken: fc.uniqueArray(fc.tuple(fc.nat(4), fc.bigInt(1n, 12n)), {
    maxLength: 10,
    selector: String,
  }),
});

describe("the choice of a requisite", () => {
  it("keeps every limit, suits every wish, gives no slot twice and misses none", () => {
    checkProperty(
      fc.property(situation, ({ candidates, wishes, taken }) => {
        const held = new Set(
          taken.map(([index, amountMinor]) => slotKey({ requisiteId: `r${index}`, amountMinor })),
        );
        const isTaken = (slot: Slot): boolean => held.has(slotKey(slot));
        const slots = chooseSlots(candidates, isTaken, wishes);
        const given: Slot[] = [];
        for (const [index, wish] of wishes.entries()) {
          const slot = slots[index];
          const free = (amountMinor: bigint): Candidate[] =>
            candidates.filter((one) => isFree(one, wish, amountMinor, given, isTaken));
          const tried = Array.from(
            { length: Number(wish.nudgeMaxMinor) + 1 },
            (_, nudge) => wish.toPayMinor + BigInt(nudge),
          );
          const lowest = tried.find((amount) => free(amount).length > 0);
          assert.equal(slot?.amountMinor, lowest, "the smallest amount that is free, or none");
          if (slot === undefined) continue;
          assert.ok(free(slot.amountMinor).some(({ id }) => id === slot.requisiteId));
          given.push(slot);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes the longest unused first, and one that was never used before all", () => {
    const open = {
      bank: "sber",
      currency: "RUB",
      wallets: ["card"] as const,
      minMinor: 1n,
      maxMinor: 100n,
      livePaymentsLeft: 9,
      dayPaymentsLeft: 9,
      daySumLeftMinor: 1000n,
    };
    const candidates: Candidate[] = [
      { ...open, id: "recent", lastUsedAt: new Date(3) },
      { ...open, id: "old", lastUsedAt: new Date(1) },
      { ...open, id: "never", lastUsedAt: null },
    ];
    const wish: Wanted = {
      bank: "sber",
      currency: "RUB",
      wallet: "card",
      toPayMinor: 5n,
      nudgeMaxMinor: 9n,
    };
    const slots = chooseSlots(candidates, () => false, [wish, wish, wish, wish]);
    assert.deepEqual(
      slots.map((slot) => `${slot?.requisiteId} ${slot?.amountMinor}`),
      ["never 5", "old 5", "recent 5", "never 6"],
    );
  });
});

/** The rules once more, as plainly as they can be said. */
function isFree(
  one: Candidate,
  wish: Wanted,
  amountMinor: bigint,
  given: readonly Slot[],
  isTaken: (slot: Slot) => boolean,
): boolean {
  const slot = { requisiteId: one.id, amountMinor };
  const own = given.filter(({ requisiteId }) => requisiteId === one.id);
  const sumMinor = own.reduce((sum, each) => sum + each.amountMinor, 0n);
  return (
    one.bank === wish.bank &&
    one.wallets.includes(wish.wallet) &&
    one.minMinor <= amountMinor &&
    amountMinor <= one.maxMinor &&
    own.length < one.livePaymentsLeft &&
    own.length < one.dayPaymentsLeft &&
    sumMinor + amountMinor <= one.daySumLeftMinor &&
    !isTaken(slot) &&
    !given.some((each) => slotKey(each) === slotKey(slot))
  );
}
