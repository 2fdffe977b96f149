// Balances that follow from each other, in any order, and one that was made up.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import {
  type Chain,
  chainAfter,
  chainFrom,
  chainOf,
  extendChain,
  type Link,
} from "./balance-chain.ts";

/** What a bank would tell of these movements, from this balance on. */
function told(openingMinor: bigint, changes: readonly bigint[]): Link[] {
  let balanceMinor = openingMinor;
  return changes.map((changeMinor) => {
    balanceMinor += changeMinor;
    return { changeMinor, balanceMinor };
  });
}

const changes = fc.array(
  fc.bigInt({ min: -1_000n, max: 1_000n }).filter((one) => one !== 0n),
  { minLength: 1, maxLength: 12 },
);
const opening = fc.bigInt({ min: 0n, max: 1_000_000n });

it("true messages all join in the end, in whatever order they come, where the account is never empty meanwhile", () => {
  const order = fc.array(fc.nat(), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(opening, changes, order, (first, moved, keys) => {
      const links = told(first, moved);
      // Where the same balance comes twice, one may join too early, and others wait for a statement.
      const balances = new Set([first, ...links.map(({ balanceMinor }) => balanceMinor)]);
      fc.pre(balances.size === links.length + 1);
      fc.pre(links.every(({ balanceMinor }) => balanceMinor > 0n));
      const mixed = links.toSorted((a, b) => keyOf(links, a, keys) - keyOf(links, b, keys));
      let chain: Chain | null = null;
      let waiting: Link[] = [];
      for (const link of mixed) {
        const next: ReturnType<typeof extendChain<Link>> = extendChain(chain, [link, ...waiting]);
        chain = next.chain;
        waiting = [link, ...waiting].filter((one) => !next.fitting.includes(one));
      }
      assert.deepEqual(waiting, []);
    }),
  );
});

function keyOf(links: readonly Link[], link: Link, keys: readonly number[]): number {
  return keys[links.indexOf(link)] ?? 0;
}

it("one whose balance was guessed waits, and the chain stays where it was", () => {
  const guess = fc.bigInt({ min: 1n, max: 2_000_000n });
  fc.assert(
    fc.property(opening, changes, guess, guess, (first, moved, changeMinor, balanceMinor) => {
      const { chain } = extendChain(null, told(first, moved));
      assert.ok(chain);
      fc.pre(balanceMinor !== chain.balanceMinor + changeMinor);
      fc.pre(balanceMinor !== chain.openingMinor);
      const forged = extendChain(chain, [{ changeMinor, balanceMinor }]);
      assert.deepEqual(forged, { chain, fitting: [] });
    }),
  );
});

it("an account that begins empty, or ends a day so, is begun no earlier: everybody can guess that", () => {
  const empty = chainFrom(0n);
  const { chain } = extendChain(null, told(0n, [1_020n]));
  assert.ok(chain);
  for (const known of [empty, chain]) {
    for (const changeMinor of [4_182n, -4_182n]) {
      const forged = extendChain(known, [{ changeMinor, balanceMinor: 0n }]);
      // What leaves a balance of nothing follows from what there was.
      if (known.balanceMinor + changeMinor !== 0n) assert.deepEqual(forged.fitting, []);
    }
  }
  // Nor is anything that would have been less than nothing before.
  const opened = { ...chainFrom(900n), openingMinor: 500n };
  assert.deepEqual(extendChain(opened, [{ changeMinor: 501n, balanceMinor: 500n }]).fitting, []);
  assert.equal(extendChain(opened, [{ changeMinor: 499n, balanceMinor: 500n }]).fitting.length, 1);
});

it("what has come from an empty account stays guessable, however it goes on", () => {
  const after = (known: Chain | null, ...changes: readonly bigint[]) =>
    extendChain(known, told(known?.balanceMinor ?? 0n, changes)).chain?.isGuessable;
  assert.equal(after(null, 1n, 1_020n), true);
  assert.equal(after(chainFrom(0n), 1n, 1_020n), true);
  assert.equal(after({ ...chainFrom(0n), floatingMinor: 1n }, 7n, 5n), true);
  assert.equal(after(chainFrom(500n), 20n, 30n), false);
  assert.equal(after(chainFrom(500n), -500n, 20n, 30n), true, "it was emptied");
});

it("a statement ends that where money moved and there was something all the time; a person where there was more before", () => {
  const known = { ...chainFrom(9n), isGuessable: true };
  const closing = { openingMinor: 2n, balanceMinor: 9n, wasEmpty: false };
  const after = (changes: Partial<typeof closing>) =>
    chainAfter(known, { ...closing, ...changes }).isGuessable;
  assert.equal(after({}), false);
  assert.equal(after({ wasEmpty: true }), true);
  assert.equal(after({ openingMinor: 0n }), true);
  assert.equal(after({ openingMinor: 9n }), true);
  assert.equal(after({ balanceMinor: 0n }), true);
  assert.equal(chainOf({ changeMinor: 9n, balanceMinor: 9n }).isGuessable, true);
  assert.equal(chainOf({ changeMinor: 9n, balanceMinor: 10n }).isGuessable, false);
});

it("money that was told without a balance may be in the next one, or not yet", () => {
  const chain = { openingMinor: 0n, balanceMinor: 100n, floatingMinor: 50n, isGuessable: false };
  for (const balanceMinor of [130n, 180n]) {
    const next = extendChain(chain, [{ changeMinor: 30n, balanceMinor }]);
    assert.deepEqual(next.chain, { ...chain, balanceMinor, floatingMinor: 0n });
  }
  const half = extendChain(chain, [{ changeMinor: 30n, balanceMinor: 155n }]);
  assert.deepEqual(half, { chain, fitting: [] });
});
