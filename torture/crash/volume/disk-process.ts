// A disk as a process of its own: disk-process.ts <bytes>, with the kernel's FUSE device as descriptor 3,
// and just enough of FUSE to be one file: the disk's bytes, and behind their end a switch that takes
// commands. Requests are answered strictly one after another, so that a command falls between two of
// them: at one moment for everything that the kernel asks.

import { readSync, writeSync } from "node:fs";
import { randomOf } from "../../random.ts";
import { BLOCK_BYTES, type CutStyle, openPlatter } from "./platter.ts";

export interface SwitchCommand {
  readonly turn: "on" | "off";
  readonly style: CutStyle;
  readonly seed: number;
}

const DEVICE = 3;
const [NO_ENTRY, INTERRUPTED, IO_ERROR, TRY_AGAIN, NO_DEVICE, NOT_SUPPORTED] = [
  2, 4, 5, 11, 19, 38,
];
const [REQUEST_HEADER, ANSWER_HEADER, WRITE_HEADER] = [40, 16, 40];
const LARGEST_WRITE = 1 << 20;
const PAGES = LARGEST_WRITE / 4096;
/** Larger writes than one page, and how many pages one may have. */
const WISHES = (1 << 5) | (1 << 22);
/** No page cache between the kernel and us: each write is heard of before it is called done. */
const DIRECT = 1;
const REGULAR_FILE = 0o100600;
/** Forgotten files and withdrawn requests are told to us, and not answered. */
const UNANSWERED = [2, 36, 42];

const bytes = Number(process.argv[2]);
const platter = openPlatter(bytes);
let isOn = true;

/** Without power nothing is read, written or flushed any more, whoever asks. */
function powered(): typeof platter {
  if (!isOn) throw new Error("the power is off");
  return platter;
}

function write(offset: number, data: Buffer): void {
  if (offset < bytes) {
    powered().write(offset, data);
    return;
  }
  const { turn, style, seed } = JSON.parse(data.toString("utf8")) as SwitchCommand;
  if (turn === "off") powered().cut(style, randomOf(seed));
  isOn = turn === "on";
}

type Field = readonly [at: number, bytes: number, value: number];

/** So many bytes with these in them. */
function packed(size: number, ...fields: readonly Field[]): Buffer {
  const out = Buffer.alloc(size);
  for (const [at, length, value] of fields) out.writeUIntLE(value, at, length);
  return out;
}

const attributes = (): Buffer =>
  packed(104, [16, 4, 1], [24, 6, bytes + BLOCK_BYTES], [76, 4, REGULAR_FILE], [80, 4, 1]);

/** By the kernel's number for what it asks. */
const ANSWERS: Readonly<Record<number, (body: Buffer) => Buffer>> = {
  /* getattr */ 3: attributes,
  /* setattr */ 4: attributes,
  /* open */ 14: () => packed(16, [8, 4, DIRECT]),
  /* read */ 15: (body) => powered().read(body.readUIntLE(8, 6), body.readUInt32LE(16)),
  /* write */ 16: (body) => {
    const length = body.readUInt32LE(16);
    write(body.readUIntLE(8, 6), body.subarray(WRITE_HEADER, WRITE_HEADER + length));
    return packed(8, [0, 4, length]);
  },
  /* fsync */ 20: () => {
    powered().flush();
    return Buffer.alloc(0);
  },
  /* init: version 7.31, and how much at once */ 26: (body) => {
    const wishes = (body.readUInt32LE(12) & WISHES) >>> 0;
    const limits = [16, 12, LARGEST_WRITE & 0xffff, LARGEST_WRITE >>> 16, 0, 0, PAGES];
    const version = [7, 0, 31, 0, body.readUInt16LE(8), body.readUInt16LE(10)];
    const told = [...version, wishes & 0xffff, wishes >>> 16, ...limits];
    return packed(64, ...told.map((value, nth): Field => [2 * nth, 2, value]));
  },
};

/** The number of an error that may be, or 0. */
function failureOf(expected: readonly number[], work: () => unknown): number {
  try {
    work();
    return 0;
  } catch (error) {
    const errno = error instanceof Error && "errno" in error ? -Number(error.errno) : 0;
    if (!expected.includes(errno)) throw error;
    return errno;
  }
}

const request = Buffer.alloc(LARGEST_WRITE + 4096);
for (let isMounted = true; isMounted; ) {
  let length = 0;
  const failure = failureOf([NO_ENTRY, INTERRUPTED, TRY_AGAIN, NO_DEVICE], () => {
    length = readSync(DEVICE, request);
  });
  isMounted = failure !== NO_DEVICE;
  const opcode = request.readUInt32LE(4);
  // A request that was withdrawn before it was read is followed by others.
  if (failure !== 0 || UNANSWERED.includes(opcode)) continue;
  let errno = ANSWERS[opcode] === undefined ? NOT_SUPPORTED : 0;
  let out: Buffer = Buffer.alloc(0);
  try {
    out = ANSWERS[opcode]?.(request.subarray(REQUEST_HEADER, length)) ?? out;
  } catch {
    errno = IO_ERROR;
  }
  const header = packed(ANSWER_HEADER, [0, 4, ANSWER_HEADER + out.length]);
  header.writeInt32LE(-errno, 4);
  request.copy(header, 8, 8, 16);
  // Whoever asked may be gone.
  failureOf([NO_ENTRY, NO_DEVICE], () => writeSync(DEVICE, Buffer.concat([header, out])));
}
