// The choice of a requisite, against a plain account of its rules.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import {
  type Candidate,
  chooseSlots,
  type HeldSlot,
  isCardNumber,
  isPhoneNumber,
  maskNumber,
  openHoldings,
  type Shares,
  type Slot,
  slotKey,
  uncrowded,
  type Wanted,
} from "./requisite.ts";

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
    "411111111111116",
    "41111111111111111113",
    "4111 1111 1111 1111",
    "4111111111111111 ",
    "4111111111111111x",
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
    "+123456789",
    "+1234567890123456",
    "+79990000001x",
    "+7 999 000 00 01",
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

const RANGE = 100;

const shareWish: fc.Arbitrary<Draft> = fc.record({
  toPayMinor: fc.bigInt(100n, 420n),
  nudgeMaxMinor: fc.constantFrom(0n, 5n, 99n),
  shop: fc.nat(3),
  payer: fc.option(fc.nat(2)),
});

const shareSituation = fc.record({
  wishes: fc.array(shareWish, { minLength: 1, maxLength: 300 }),
  shares: fc.record({
    shop: fc.integer({ min: 1, max: 100 }),
    user: fc.integer({ min: 1, max: 100 }),
    payer: fc.integer({ min: 1, max: 100 }),
  }),
  places: fc.tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 120 })),
  sumMinor: fc.bigInt(500n, 50_000n),
});

const share = (total: number, percent: number): number =>
  Math.max(1, Math.floor((total * percent) / 100));

interface Draft {
  readonly toPayMinor: bigint;
  readonly nudgeMaxMinor: bigint;
  readonly shop: number;
  readonly payer: number | null;
}

/** Shops 0 and 1 are one user's, 2 and 3 another's. */
function shareWanted({ toPayMinor, nudgeMaxMinor, shop, payer }: Draft): Wanted {
  return {
    bank: "sber",
    currency: "RUB",
    wallet: "card",
    toPayMinor,
    nudgeMaxMinor,
    holder: {
      shopId: `shop ${shop}`,
      userId: `user ${shop >> 1}`,
      payer: payer === null ? null : `payer ${payer}`,
    },
  };
}

function requisite(id: string, maxLivePayments: number, maxDaySumMinor = 10_000_000n): Candidate {
  return {
    id,
    bank: "sber",
    currency: "RUB",
    wallets: ["card"],
    lastUsedAt: null,
    minMinor: 1n,
    maxMinor: 10_000n,
    places: { maxLivePayments, maxDayPayments: 1_000, maxDaySumMinor },
    livePaymentsLeft: maxLivePayments,
    dayPaymentsLeft: 1_000,
    daySumLeftMinor: maxDaySumMinor,
  };
}

function held(wishes: readonly Wanted[], slots: readonly unknown[]): HeldSlot[] {
  return wishes.flatMap((one, index) => {
    const slot = slots[index];
    return typeof slot === "string" ? [] : [{ ...(slot as Slot), ...one.holder }];
  });
}

it("shares are never passed, on no requisite and in no range that a price is nudged through", () => {
  checkProperty(
    fc.property(shareSituation, ({ wishes: drafts, shares, places, sumMinor }) => {
      const wishes = drafts.map(shareWanted);
      const requisites = places.map((most, index) => requisite(`r${index}`, most, sumMinor));
      const holdings = openHoldings(shares, [], []);
      const slots = held(
        wishes,
        chooseSlots(requisites, () => false, wishes, holdings),
      );
      for (const { id, places: of } of requisites) {
        const { maxLivePayments, maxDaySumMinor } = of;
        const own = slots.filter(({ requisiteId }) => requisiteId === id);
        for (const [kind, name] of NAMES) {
          for (const mine of Object.values(Object.groupBy(own, (slot) => name(slot) ?? ""))) {
            if (mine === undefined || name(mine[0] as HeldSlot) === null) continue;
            const most = share(maxLivePayments, shares[kind]);
            assert.ok(mine.length <= most, `${kind}: ${mine.length} of ${maxLivePayments}`);
            const sum = mine.reduce((total, { amountMinor }) => total + amountMinor, 0n);
            const mostSum = (maxDaySumMinor * BigInt(shares[kind])) / 100n;
            assert.ok(mine.length === 1 || sum <= mostSum, `${kind}: ${sum} of ${maxDaySumMinor}`);
            for (const { amountMinor: from } of mine) {
              const inRange = mine.filter(
                ({ amountMinor }) => amountMinor >= from && amountMinor < from + BigInt(RANGE),
              );
              assert.ok(inRange.length <= share(RANGE, shares[kind]), kind);
            }
          }
        }
      }
    }),
    { numRuns: 300 },
  );
});

it("shares refuse nobody who is within theirs while something is free", () => {
  const shares = { shop: 80, user: 90, payer: 20 };
  const greedy = shareWanted({ toPayMinor: 500n, nudgeMaxMinor: 99n, shop: 0, payer: null });
  const neighbour = shareWanted({ toPayMinor: 500n, nudgeMaxMinor: 99n, shop: 1, payer: null });
  const stranger = shareWanted({ toPayMinor: 500n, nudgeMaxMinor: 99n, shop: 2, payer: null });
  const wishes = [
    ...Array.from({ length: 120 }, () => greedy),
    ...Array.from({ length: 30 }, () => neighbour),
    ...Array.from({ length: 30 }, () => stranger),
  ];
  const one = [requisite("r", 1_000)];
  const slots = chooseSlots(one, () => false, wishes, openHoldings(shares, [], []));
  const got = (from: number, to: number): number =>
    held(
      wishes,
      slots.map((slot, index) => (index >= from && index < to ? slot : "none")),
    ).length;
  assert.deepEqual([got(0, 120), got(120, 150), got(150, 180)], [80, 10, 10]);
  assert.deepEqual([slots[119], slots[149], slots[179]], ["share", "share", "none"]);
});

it("shares leave one place to whoever asks where there is one", () => {
  const shares: Shares = { shop: 1, user: 1, payer: 1 };
  const asks = shareWanted({ toPayMinor: 500n, nudgeMaxMinor: 0n, shop: 0, payer: 0 });
  const slots = chooseSlots([requisite("r", 1)], () => false, [asks], openHoldings(shares, [], []));
  assert.deepEqual(slots, [{ requisiteId: "r", amountMinor: 500n }]);
});

it("shares need no look at the holders while all together hold less than anybody may", () => {
  const holder = { shopId: "shop", userId: "user", payer: "payer" };
  checkProperty(
    fc.property(
      shareSituation,
      fc.nat(200),
      fc.bigInt(0n, 60_000n),
      (drawn, payments, sumMinor) => {
        const { shares, places } = drawn;
        const { places: of } = requisite("r", places[0], drawn.sumMinor);
        const sparse = uncrowded(shares, [holder]);
        for (const [kind] of NAMES) {
          assert.ok(sparse.slots <= share(RANGE, shares[kind]));
          if (!sparse.has(of, payments, sumMinor)) continue;
          assert.ok(payments <= share(of.maxLivePayments, shares[kind]));
          assert.ok(sumMinor <= (of.maxDaySumMinor * BigInt(shares[kind])) / 100n);
        }
      },
    ),
  );
});

it("shares cost little where everything is crowded: ten times as many slots take hardly longer", () => {
  const cards = Array.from({ length: 50 }, (_, index) => requisite(`r${index}`, 1_000, 10n ** 12n));
  const greedy = shareWanted({ toPayMinor: 0n, nudgeMaxMinor: 99n, shop: 0, payer: null });
  const wishes = Array.from({ length: 16 }, (_, index) => ({
    ...greedy,
    toPayMinor: 1_100n + BigInt(index),
  }));
  const timed = (slotsOfCard: number): number => {
    const crowd = cards.flatMap(({ id: requisiteId }) =>
      Array.from({ length: slotsOfCard }, (_, index) => ({
        requisiteId,
        amountMinor: 1_000n + BigInt(index),
        ...greedy.holder,
      })),
    );
    const holdings = openHoldings(DEFAULTS, crowd, []);
    const { user: before } = process.cpuUsage();
    const slots = chooseSlots(cards, () => false, wishes, holdings);
    assert.deepEqual(new Set(slots), new Set(["share"]));
    return process.cpuUsage().user - before;
  };
  timed(400);
  const [few, many] = [400, 4_000].map((slots) => Math.min(...[1, 2, 3].map(() => timed(slots))));
  // Searched one by one they took ten times as long: 128 wishes were 5 s.
  assert.ok((many ?? 0) < 5 * (few ?? 0), `${few} and ${many} µs`);
});

const DEFAULTS = { shop: 80, user: 90, payer: 20 };

const NAMES: readonly (readonly [keyof Shares, (slot: HeldSlot) => string | null])[] = [
  ["shop", ({ shopId }) => shopId],
  ["user", ({ userId }) => userId],
  ["payer", ({ payer }) => payer],
];
