// The torture's disk is a judge of others, so it is judged: what was flushed is safe from every cut, and
// what was not becomes exactly what a disk may make of it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BLOCK_BYTES, type CutStyle, openPlatter } from "../torture/crash/volume/platter.ts";
import { randomOf } from "../torture/random.ts";

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
  platter.cut(style, randomOf(5));
  return contents();
}

describe("the torture's disk", () => {
  const newest = Array.from({ length: BLOCKS }, (_, n) => (n % 4 === 0 ? 3 : n % 2 === 0 ? 2 : 1));

  it("gives back what was written last while it has power", () => {
    assert.deepEqual(writtenPlatter().contents(), newest);
  });

  it("loses what was not flushed, and nothing else", () => {
    assert.deepEqual(new Set(afterCut("lost")), new Set([1]));
  });

  it("may keep all of it", () => {
    assert.deepEqual(afterCut("kept"), newest);
  });

  it("may keep for each block any of the contents that it had", () => {
    const contents = afterCut("scattered");
    const seen = [0, 1, 2, 3].map((place) =>
      [...new Set(contents.filter((_, n) => n % 4 === place))].toSorted(),
    );
    assert.deepEqual(seen, [[1, 2, 3], [1], [1, 2], [1]]);
  });

  it("is never thrown back behind a flush", () => {
    const { platter, contents } = writtenPlatter();
    platter.flush();
    platter.cut("lost", randomOf(5));
    assert.deepEqual(contents(), newest);
  });
});
