// What a disk holds, and what it only says it holds: a write is answered at once and is safe only after
// the next flush. When the power goes, each block that was written since then has, as chance wills, any
// of the contents that it had meanwhile. Blocks are whole: that much a disk promises.

import type { Random } from "../random.ts";

export const BLOCK_BYTES = 4096;

/** What becomes of the blocks that were not flushed. */
export type CutStyle = "lost" | "kept" | "scattered";

export interface CutReport {
  /** Blocks that had been written and not flushed. */
  readonly unflushed: number;
  /** Those of them that the cut has thrown back to an older content. */
  readonly thrownBack: number;
  /** Flushes since the power came on. */
  readonly flushes: number;
}

export interface Platter {
  readonly bytes: number;
  read(offset: number, length: number): Buffer;
  write(offset: number, data: Buffer): void;
  flush(): void;
  cut(style: CutStyle, random: Random): CutReport;
}

export function openPlatter(bytes: number): Platter {
  // Untouched memory costs nothing.
  const now = Buffer.alloc(bytes);
  /** By block: what it held at the last flush, then everything it has been told since, but the last. */
  const earlier = new Map<number, Buffer[]>();
  let flushes = 0;
  const blockAt = (block: number): Buffer =>
    now.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
  return {
    bytes,
    read: (offset, length) => now.subarray(offset, offset + length),
    write(offset, data) {
      const last = Math.floor((offset + data.length - 1) / BLOCK_BYTES);
      for (let block = Math.floor(offset / BLOCK_BYTES); block <= last; block += 1) {
        const contents = earlier.get(block) ?? [];
        contents.push(Buffer.from(blockAt(block)));
        earlier.set(block, contents);
      }
      data.copy(now, offset);
    },
    flush() {
      earlier.clear();
      flushes += 1;
    },
    cut(style, random) {
      const unflushed = earlier.size;
      let thrownBack = 0;
      for (const [block, contents] of earlier) {
        // The last of them stands for what is there now.
        const chosen =
          style === "lost"
            ? 0
            : style === "kept"
              ? contents.length
              : random.below(contents.length + 1);
        const content = contents[chosen];
        if (content === undefined) continue;
        thrownBack += 1;
        content.copy(blockAt(block));
      }
      earlier.clear();
      const report = { unflushed, thrownBack, flushes };
      flushes = 0;
      return report;
    },
  };
}
