// The choice of a requisite, against a plain account of its rules.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import {
  type Candidate,
  chooseSlots,
  isCardNumber,
  isPhoneNumber,
  isTransferService,
  maskNumber,
  type Slot,
  slotKey,
  type Wanted,
} from "./requisite.ts";
import { openHoldings } from "./share.ts";

const banks = ["sber", "tinkoff"];
const currencies = ["RUB", "RUB", "RUB", "EUR"];

const PLACES = { maxLivePayments: 1_000, maxDayPayments: 1_000, maxDaySumMinor: 1_000_000n };
const SOMEBODY = { shopId: "shop", userId: "user", payer: null };

const candidate = fc.record({
  bank: fc.constantFrom(...banks),
  currency: fc.constantFrom(...currencies),
  wallets: fc.constantFrom<Candidate["wallets"]>(["card"], ["phone"], ["card", "phone"]),
  lastUsedAt: fc.option(fc.date({ min: new Date(1), max: new Date(9), noInvalidDate: true })),
  minMinor: fc.bigInt(1n, 6n),
  maxMinor: fc.bigInt(4n, 12n),
  places: fc.constant(PLACES),
  livePaymentsLeft: fc.nat(3),
  dayPaymentsLeft: fc.nat(3),
  daySumLeftMinor: fc.bigInt(0n, 30n),
});

const wanted: fc.Arbitrary<Wanted> = fc.record({
  bank: fc.constantFrom(...banks, "any"),
  currency: fc.constantFrom(...currencies),
  wallet: fc.constantFrom<Wanted["wallet"]>("card", "phone"),
  toPayMinor: fc.bigInt(1n, 9n),
  nudgeMaxMinor: fc.bigInt(0n, 4n),
  holder: fc.constant(SOMEBODY),
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

const open = {
  bank: "sber",
  currency: "RUB",
  wallets: ["card"] as const,
  minMinor: 1n,
  maxMinor: 100n,
  places: PLACES,
  livePaymentsLeft: 9,
  dayPaymentsLeft: 9,
  daySumLeftMinor: 1000n,
};

const wish: Wanted = {
  bank: "sber",
  currency: "RUB",
  wallet: "card",
  toPayMinor: 5n,
  nudgeMaxMinor: 9n,
  holder: SOMEBODY,
};

/** With shares that leave everything to whoever asks. */
const choose = (
  candidates: readonly Candidate[],
  isTaken: (slot: Slot) => boolean,
  wishes: readonly Wanted[],
): (Slot | undefined)[] => {
  const everything = openHoldings({ shop: 100, user: 100, payer: 100 }, [], []);
  const slots = chooseSlots(candidates, isTaken, wishes, everything);
  return slots.map((slot) => (typeof slot === "string" ? undefined : slot));
};

it("the choice of a requisite keeps every limit, suits every wish, gives no slot twice and misses none", () => {
  checkProperty(
    fc.property(situation, ({ candidates, wishes, taken }) => {
      const held = new Set(
        taken.map(([index, amountMinor]) => slotKey({ requisiteId: `r${index}`, amountMinor })),
      );
      const isTaken = (slot: Slot): boolean => held.has(slotKey(slot));
      const slots = choose(candidates, isTaken, wishes);
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

it("the choice of a requisite takes the longest unused first, and one that was never used before all", () => {
  const candidates: Candidate[] = [
    { ...open, id: "recent", lastUsedAt: new Date(3) },
    { ...open, id: "old", lastUsedAt: new Date(1) },
    { ...open, id: "never", lastUsedAt: null },
  ];
  const slots = choose(candidates, () => false, [wish, wish, wish, wish]);
  assert.deepEqual(
    slots.map((slot) => `${slot?.requisiteId} ${slot?.amountMinor}`),
    ["never 5", "old 5", "recent 5", "never 6"],
  );
});

it("the choice of a requisite sends whoever was chosen to the back of the line, also where nothing is taken", () => {
  const candidates = ["b", "a", "c"].map((id) => ({ ...open, id, lastUsedAt: null }));
  const wishes = [5n, 6n, 7n, 8n, 9n].map((toPayMinor) => ({ ...wish, toPayMinor }));
  const slots = choose(candidates, () => false, wishes);
  assert.deepEqual(
    slots.map((slot) => slot?.requisiteId),
    ["a", "b", "c", "a", "b"],
  );
});

it("the choice of a requisite goes by the last use and then by the id, in whatever order they come", () => {
  const moment = fc.option(fc.integer({ min: 1, max: 4 }).map((ms) => new Date(ms)));
  checkProperty(
    fc.property(fc.array(moment, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (uses, keys) => {
      const named = uses.map((lastUsedAt, index) => ({ ...open, id: `r${index}`, lastUsedAt }));
      const mixed = named
        .map((one) => ({ one, key: keys.next().value ?? 0 }))
        .toSorted((left, right) => left.key - right.key)
        .map(({ one }) => one);
      const wishes = named.map((_, index) => ({ ...wish, toPayMinor: BigInt(5 + index) }));
      const ids = choose(mixed, () => false, wishes).map((slot) => slot?.requisiteId);
      const sortable = named.map(({ id, lastUsedAt }) => `${lastUsedAt?.getTime() ?? 0} ${id}`);
      assert.deepEqual(
        ids,
        sortable.toSorted().map((text) => text.split(" ")[1]),
      );
    }),
    { numRuns: 500 },
  );
});

const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];

it("a number to send money to of a card has 16 to 19 digits, of which the last is the check digit", () => {
  const digits = fc.array(fc.nat(9), { minLength: 15, maxLength: 18 });
  checkProperty(
    fc.property(digits, (given) => {
      // From the right, every second digit counts double, and its own digits are added up.
      const sum = given
        .toReversed()
        .reduce((all, digit, index) => all + (index % 2 === 0 ? (DOUBLED[digit] ?? 0) : digit), 0);
      const right = (10 - (sum % 10)) % 10;
      for (let last = 0; last < 10; last += 1) {
        assert.equal(isCardNumber(`${given.join("")}${last}`), last === right);
      }
    }),
  );
});

it("a number to send money to of a card is nothing but its digits, and neither shorter nor longer", () => {
  assert.ok(isCardNumber("4111111111111111"));
  for (const text of [
    "",
    "0",
    "411111111111116",
    "41111111111111111113",
    "00000000000000000000",
    "4111 1111 1111 1111",
    " 4111111111111111",
    "4111111111111111 ",
    "x4111111111111111",
    "4111111111111111x",
    "a".repeat(16),
    "４１１１１１１１１１１１１１１１",
  ]) {
    assert.equal(isCardNumber(text), false, text);
  }
});

it("a number to send money to of a phone has a plus, the country and ten to fifteen digits", () => {
  for (const text of ["+79990000001", "+1234567890", "+123456789012345"]) {
    assert.equal(isPhoneNumber(text), true, text);
  }
  for (const text of [
    "",
    "79990000001",
    "+09990000001",
    "+123456789",
    "+1234567890123456",
    "x+79990000001",
    "+79990000001x",
    "+7 999 000 00 01",
    "+7abcdefghij",
    "+",
  ]) {
    assert.equal(isPhoneNumber(text), false, text);
  }
});

it("a number to send money to is masked to the first six and the last four, and to less where it is short", () => {
  assert.equal(maskNumber("2202200000000007"), "220220******0007");
  assert.equal(maskNumber("2202 2000 0000 0007"), "220220******0007");
  assert.equal(maskNumber("1234567890123"), "123456***0123");
  assert.equal(maskNumber("123456789012"), "12******9012");
  assert.equal(maskNumber("+79990000001"), "79*****0001");
  assert.equal(maskNumber("1234567"), "12*4567");
  assert.equal(maskNumber("1 2 3 4 5 6"), "123456");
  assert.equal(maskNumber("1 - - - 2345"), "*****");
  assert.equal(maskNumber("1       2"), "**");
});

it("a number to send money to belongs to a service that moves money, and to no other name", () => {
  for (const service of ["p2p_card", "p2p_sbp"]) assert.equal(isTransferService(service), true);
  for (const service of ["card", "", "toString"]) assert.equal(isTransferService(service), false);
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
    (wish.bank === "any" || one.bank === wish.bank) &&
    one.currency === wish.currency &&
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
