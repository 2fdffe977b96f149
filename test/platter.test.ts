// The torture's disk is a judge of others, so it is judged: what was flushed is safe from every cut, and
// what was not becomes exactly what a disk may make of it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomOf } from "../torture/random.ts";
import { BLOCK_BYTES, type CutStyle, openPlatter } from "../torture/volume/platter.ts";

const BLOCKS = 64;
const block = (content: number): Buffer => Buffer.alloc(BLOCK_BYTES, content);

/** Every block was flushed as 1, then half of them were written as 2, and some of those again as 3. */
function writtenPlatter() {
  const platter = openPlatter(BLOCKS * BLOCK_BYTES);
  platter.write(0, Buffer.alloc(BLOCKS * BLOCK_BYTES, 1));
  platter.flush();
  for (let n = 0; n < BLOCKS; n += 2) platter.write(n * BLOCK_BYTES, block(2));
  for (let n = 0; n < BLOCKS; n += 4) platter.write(n * BLOCK_BYTES, block(3));
  const contents = (): number[] =>
    Array.from({ length: BLOCKS }, (_, n) => {
      const bytes = platter.read(n * BLOCK_BYTES, BLOCK_BYTES);
      assert.ok(bytes.equals(block(bytes[0] ?? 0)), "a block is whole");
      return bytes[0] ?? 0;
    });
  return { platter, contents };
}

function afterCut(style: CutStyle) {
  const { platter, contents } = writtenPlatter();
  const report = platter.cut(style, randomOf(5));
  return { report, contents: contents() };
}

describe("the torture's disk", () => {
  const newest = Array.from({ length: BLOCKS }, (_, n) => (n % 4 === 0 ? 3 : n % 2 === 0 ? 2 : 1));

  it("gives back what was written last while it has power", () => {
    assert.deepEqual(writtenPlatter().contents(), newest);
  });

  it("loses what was not flushed, and nothing else", () => {
    const { report, contents } = afterCut("lost");
    assert.deepEqual(new Set(contents), new Set([1]));
    assert.deepEqual(report, { unflushed: 32, thrownBack: 32, flushes: 1 });
  });

  it("may keep all of it", () => {
    const { report, contents } = afterCut("kept");
    assert.deepEqual(contents, newest);
    assert.equal(report.thrownBack, 0);
  });

  it("may keep for each block any of the contents that it had", () => {
    const { report, contents } = afterCut("scattered");
    const those = (every: (n: number) => boolean) =>
      new Set(contents.filter((_, n) => every(n)).toSorted());
    assert.deepEqual(
      those((n) => n % 4 === 0),
      new Set([1, 2, 3]),
    );
    assert.deepEqual(
      those((n) => n % 4 === 2),
      new Set([1, 2]),
    );
    assert.deepEqual(
      those((n) => n % 2 === 1),
      new Set([1]),
    );
    assert.ok(report.thrownBack > 0 && report.thrownBack < 32);
  });

  it("is never thrown back behind a flush", () => {
    const { platter, contents } = writtenPlatter();
    platter.flush();
    platter.cut("lost", randomOf(5));
    assert.deepEqual(contents(), newest);
  });
});
