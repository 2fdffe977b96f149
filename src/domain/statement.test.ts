// Sections of one account that have days in common: pages that go on are one statement, and no movement is read
// twice, however a file repeats itself.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { Refusal } from "./refusal.ts";
import { type ReadSection, type StatementLine, sumOf, wholeStatement } from "./statement.ts";

const line = (signed: bigint, row: number, day: string): StatementLine => ({
  row,
  day,
  time: null,
  status: "booked",
  number: null,
  bankId: null,
  purpose: "",
  direction: signed < 0n ? "out" : "in",
  amountMinor: signed < 0n ? -signed : signed,
  party: { account: null, name: null, inn: null },
  isReversal: false,
  isCharge: false,
});

interface Page extends Omit<ReadSection, "lines"> {
  readonly lines: readonly StatementLine[];
}

/** A section for each list of movements, each beginning with what the one before it ended with. */
const pagesOf = (opening: bigint, movements: readonly (readonly bigint[])[], day: string) => {
  let balance = opening;
  return movements.map((sums, index): Page => {
    const lines = sums.map((sum) => line(sum, index + 1, day));
    const openingMinor = balance;
    balance += sumOf(lines, "in") - sumOf(lines, "out");
    const account = "40817810000000000101";
    const told = { account, currency: "RUB", from: day, to: day, row: index + 1 };
    return { ...told, openingMinor, closingMinor: balance, lines };
  });
};

const read = (sections: readonly ReadSection[]) => {
  try {
    return wholeStatement("mt940", sections).sections.map(({ lines, ...section }) => ({
      ...section,
      lines: [...lines],
    }));
  } catch (error) {
    if (error instanceof Refusal && error.code === "statement_overlapping") return undefined;
    throw error;
  }
};

/** Small sums, so that pages come to nothing and balances come again. */
const sum = fc.bigInt({ min: -3n, max: 3n }).filter((minor) => minor !== 0n);
const movements = fc.array(fc.array(sum, { maxLength: 4 }), { minLength: 1, maxLength: 5 });
const DAY = "2026-03-01";

it("pages of one day that go on are one section, also where balances between them are not told", () => {
  checkProperty(
    fc.property(movements, fc.boolean(), (all, isBare) => {
      const pages = pagesOf(100n, all, DAY);
      const told = pages.map((page, index) => ({
        ...page,
        ...(isBare && index > 0 ? { openingMinor: null } : {}),
        ...(isBare && index < pages.length - 1 ? { closingMinor: null } : {}),
      }));
      const sections = read(told);
      // Where a balance comes again with equal lines, nobody can tell a page from its copy.
      fc.pre(sections !== undefined);
      assert.equal(sections.length, 1);
      const [one] = sections;
      assert.deepEqual([one?.openingMinor, one?.closingMinor], [100n, pages.at(-1)?.closingMinor]);
      assert.deepEqual(
        one?.lines,
        pages.flatMap(({ lines }) => lines),
      );
    }),
  );
  for (const all of [
    [[1n], [2n]],
    [[1n, 1n], [1n], [-3n]],
    [[], [], [5n]],
  ]) {
    assert.equal(read(pagesOf(0n, all, DAY))?.length, 1);
  }
});

it("a page that stands in the file again is refused, or has nothing that would be read twice", () => {
  checkProperty(
    fc.property(movements, fc.nat(), fc.nat(), fc.boolean(), (all, which, where, isMore) => {
      const pages = pagesOf(100n, all, DAY);
      const once = read(pages);
      const one = pages[which % pages.length] ?? assert.fail();
      // The same again, or with what has come since.
      const later = isMore ? [line(2n, 9, DAY)] : [];
      const closingMinor = (one.closingMinor ?? 0n) + (isMore ? 2n : 0n);
      const again = { ...one, closingMinor, lines: [...one.lines, ...later] };
      const twice = pages.toSpliced(where % (pages.length + 1), 0, again);
      const found = read(twice.map((page, index) => ({ ...page, row: index + 1 })));
      if (once === undefined || one.lines.length === 0) return;
      assert.equal(found, undefined);
    }),
  );
});

it("sections that have days in common and do not go on are refused; where no day is in common they stay apart", () => {
  const [first, second] = pagesOf(0n, [[1n], [2n]], DAY);
  assert.ok(first !== undefined && second !== undefined);
  const untold = { openingMinor: null, closingMinor: null };
  assert.equal(read([first, { ...second, ...untold }]), undefined);
  assert.equal(
    read([
      { ...first, ...untold },
      { ...second, ...untold },
    ]),
    undefined,
  );
  assert.equal(read([{ ...first, row: 3 }, second]), undefined);
  const other = { ...second, account: "40817810000000000102" };
  assert.equal(read([first, other])?.length, 2);
  const [next] = pagesOf(50n, [[1n]], "2026-03-02");
  assert.ok(next !== undefined);
  assert.equal(read([next, first])?.length, 2);
  // By their lines they have one, whatever they say of themselves.
  assert.equal(read([first, { ...next, lines: first.lines }]), undefined);
});

it("a section that says nothing stands in nobody's way", () => {
  const [page] = pagesOf(0n, [[50n]], DAY);
  assert.ok(page);
  const empty = { ...page, row: 9, openingMinor: null, closingMinor: null, lines: [] };
  for (const file of [
    [page, empty],
    [empty, page],
  ]) {
    const [one, ...more] = read(file) ?? [];
    assert.deepEqual([one?.closingMinor, one?.lines.length, more], [50n, 1, []]);
  }
  assert.equal(read([empty, { ...empty, row: 10 }])?.length, 1);
});
