// Shares of what all need, against a plain account of the rule.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { type Candidate, chooseSlots, type Slot, type Wanted } from "./requisite.ts";
import { type HeldSlot, openHoldings, type Shares, uncrowded } from "./share.ts";

const RANGE = 100;

const wish: fc.Arbitrary<Draft> = fc.record({
  toPayMinor: fc.bigInt(100n, 420n),
  nudgeMaxMinor: fc.constantFrom(0n, 5n, 99n),
  shop: fc.nat(3),
  payer: fc.option(fc.nat(2)),
});

const situation = fc.record({
  wishes: fc.array(wish, { minLength: 1, maxLength: 300 }),
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
function wanted({ toPayMinor, nudgeMaxMinor, shop, payer }: Draft): Wanted {
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
    fc.property(situation, ({ wishes: drafts, shares, places, sumMinor }) => {
      const wishes = drafts.map(wanted);
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
  const greedy = wanted({ toPayMinor: 500n, nudgeMaxMinor: 99n, shop: 0, payer: null });
  const neighbour = wanted({ toPayMinor: 500n, nudgeMaxMinor: 99n, shop: 1, payer: null });
  const stranger = wanted({ toPayMinor: 500n, nudgeMaxMinor: 99n, shop: 2, payer: null });
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
  const asks = wanted({ toPayMinor: 500n, nudgeMaxMinor: 0n, shop: 0, payer: 0 });
  const slots = chooseSlots([requisite("r", 1)], () => false, [asks], openHoldings(shares, [], []));
  assert.deepEqual(slots, [{ requisiteId: "r", amountMinor: 500n }]);
});

it("shares need no look at the holders while all together hold less than anybody may", () => {
  const holder = { shopId: "shop", userId: "user", payer: "payer" };
  checkProperty(
    fc.property(situation, fc.nat(200), fc.bigInt(0n, 60_000n), (drawn, payments, sumMinor) => {
      const { shares, places } = drawn;
      const { places: of } = requisite("r", places[0], drawn.sumMinor);
      const sparse = uncrowded(shares, [holder]);
      for (const [kind] of NAMES) {
        assert.ok(sparse.slots <= share(RANGE, shares[kind]));
        if (!sparse.has(of, payments, sumMinor)) continue;
        assert.ok(payments <= share(of.maxLivePayments, shares[kind]));
        assert.ok(sumMinor <= (of.maxDaySumMinor * BigInt(shares[kind])) / 100n);
      }
    }),
  );
});

it("shares cost little where everything is crowded: ten times as many slots take hardly longer", () => {
  const cards = Array.from({ length: 50 }, (_, index) => requisite(`r${index}`, 1_000, 10n ** 12n));
  const greedy = wanted({ toPayMinor: 0n, nudgeMaxMinor: 99n, shop: 0, payer: null });
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
