// Keys of lines: the same file again is the same keys, equal payments are counted, and what has changed is
// known by its document.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { StatementLine } from "./statement.ts";
import { canBeRedated, lineKeys } from "./statement-line.ts";

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
