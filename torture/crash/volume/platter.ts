// What a disk holds, and what it only says it holds: a write is answered at once and is safe only after
// the next flush. When the power goes, each block that was written since then has, as chance wills, any
// of the contents that it had meanwhile. Blocks are whole: that much a disk promises.

import type { Random } from "../../random.ts";

export const BLOCK_BYTES = 4096;

/** What becomes of the blocks that were not flushed. */
export type CutStyle = "lost" | "kept" | "scattered";

export function openPlatter(bytes: number) {
  // Untouched memory costs nothing.
  const now = Buffer.alloc(bytes);
  /** By block: what it held at the last flush, then everything it has been told since, but the last. */
  const earlier = new Map<number, Buffer[]>();
  const blockAt = (block: number): Buffer =>
    now.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
  return {
    bytes,
    read: (offset: number, length: number): Buffer => now.subarray(offset, offset + length),
    write(offset: number, data: Buffer): void {
      const last = Math.floor((offset + data.length - 1) / BLOCK_BYTES);
      for (let block = Math.floor(offset / BLOCK_BYTES); block <= last; block += 1) {
        const contents = earlier.get(block) ?? [];
        contents.push(Buffer.from(blockAt(block)));
        earlier.set(block, contents);
      }
      data.copy(now, offset);
    },
    flush: (): void => earlier.clear(),
    cut(style: CutStyle, random: Random): void {
      for (const [block, contents] of earlier) {
        // One past the last of them stands for what is there now.
        const { length } = contents;
        const chosen = { lost: 0, kept: length, scattered: random.below(length + 1) }[style];
        contents[chosen]?.copy(blockAt(block));
      }
      earlier.clear();
    },
  };
}
