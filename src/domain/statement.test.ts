// Sections of one account that have days in common: pages that go on are one statement, and no movement is read
// twice, however a file repeats itself.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { Refusal } from "./refusal.ts";
import {
  canBeRedated,
  lineKeys,
  type ReadSection,
  type StatementLine,
  sumOf,
  wholeStatement,
} from "./statement.ts";

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

const LINE: StatementLine = {
  row: 1,
  direction: "in",
  status: "booked",
  day: "2026-11-15",
  time: "12:00:00",
  amountMinor: 102_000n,
  number: "17",
  bankId: null,
  party: { account: "40817810000000000101", name: "Вера С.", inn: "770000000512" },
  purpose: "За книги",
  isReversal: false,
  isCharge: false,
};

const SBP = `A${"5320".repeat(7)}7F0`;

/** In place of a digest the text itself: what it is made of can be seen. */
const keysOf = (...changes: readonly Partial<StatementLine>[]) =>
  changes.map((change) => ({ ...LINE, ...change })).map(lineKeys((text) => text));

const [plain] = keysOf({});

/** What is other about a second line, and whether its key and its identity are still the first's. */
const CHANGES: readonly [
  change: Partial<StatementLine>,
  key: "same" | "other",
  identity: "same" | "other",
][] = [
  [{ row: 9 }, "same", "same"],
  [{ purpose: "За книги" }, "same", "same"],
  [{ purpose: "За кнѝги" }, "other", "same"],
  [{ purpose: "за книги" }, "other", "same"],
  [{ purpose: "" }, "other", "same"],
  [{ amountMinor: 102_001n }, "other", "same"],
  [{ time: null }, "other", "same"],
  [{ status: "pending" }, "other", "same"],
  [{ direction: "out" }, "other", "other"],
  [{ day: "2026-11-16" }, "other", "other"],
  [{ number: "18" }, "other", "other"],
  [{ number: null }, "other", "other"],
  [{ party: { ...LINE.party, account: "40817810000000000102" } }, "other", "other"],
  [{ party: { ...LINE.party, inn: null } }, "other", "same"],
  [{ bankId: "B-1" }, "other", "other"],
];

it("a line's key is what it says, its identity which document it is", () => {
  for (const [change, key, identity] of CHANGES) {
    const [own] = keysOf(change);
    const name = Object.entries(change).flat().map(String).join(" ");
    assert.equal(own?.key === plain?.key, key === "same", name);
    assert.equal(own?.identity === plain?.identity, identity === "same", name);
  }
  // Either of the two tells a document, and none of them runs into the next.
  const { account } = LINE.party;
  const parts = keysOf(
    { number: null },
    { party: { ...LINE.party, account: null } },
    { number: `17${account}`, party: { ...LINE.party, account: "" } },
  );
  const identities = new Set([plain, ...parts].map((one) => one?.identity));
  assert.equal(identities.size, 4);
  assert.ok(!identities.has(null));
  assert.equal(new Set([plain, ...parts].map((one) => one?.key)).size, 4);
  assert.equal(
    keysOf({ number: null, party: { ...LINE.party, account: null } })[0]?.identity,
    null,
  );
});

it("equal lines are numbered in the file's order, each kind for itself", () => {
  const keys = keysOf({}, { amountMinor: 1n }, {}, { status: "pending" }, { amountMinor: 1n }, {});
  assert.deepEqual(
    keys.map(({ ordinal }) => ordinal),
    [1, 1, 2, 1, 2, 3],
  );
});

it("with the bank's id texts do not matter; the sum and the day do, and are a change of that document", () => {
  for (const id of [{ bankId: "B-1" }, { purpose: `Перевод ${SBP} через СБП` }]) {
    const [first] = keysOf(id);
    const [told, moved, changed] = keysOf(
      { ...id, time: null, number: "99", party: { ...LINE.party, account: null } },
      { ...id, day: "2026-11-16" },
      { ...id, amountMinor: 1n },
    );
    assert.equal(told?.key, first?.key);
    for (const other of [moved, changed]) {
      assert.notEqual(other?.key, first?.key);
      assert.equal(other?.identity, first?.identity);
    }
  }
  const [one, other] = keysOf({ purpose: `СБП ${SBP}` }, { purpose: `Возврат по ${SBP}, спасибо` });
  assert.equal(one?.key, other?.key);
});

it("an id of the fast payment system is one only where it stands alone in the text", () => {
  const [without] = keysOf({ purpose: "" });
  for (const purpose of [`x${SBP}`, `${SBP}0`, SBP.slice(1), `${SBP} ${SBP.replace("A", "B")}`]) {
    assert.equal(keysOf({ purpose })[0]?.identity, without?.identity, purpose);
  }
});

it("a bank dates anew by a week at most, forwards and back", () => {
  const to = (day: string) => canBeRedated("2026-03-01", day);
  assert.deepEqual(["2026-03-01", "2026-03-08", "2026-03-09", "2026-02-22", "2026-02-21"].map(to), [
    true,
    true,
    false,
    true,
    false,
  ]);
});
