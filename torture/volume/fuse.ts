// Just enough of FUSE to be a file system of two files: one whose bytes somebody else keeps, and one
// that takes commands. Requests are answered strictly one after another, so that a command falls
// between two of them: at one moment for everything that the kernel asks.

import { readSync, writeSync } from "node:fs";

export interface ServedFile {
  readonly name: string;
  readonly bytes: number;
  /** What they throw is an input/output error to whoever asked. */
  read(offset: number, length: number): Buffer;
  write(offset: number, data: Buffer): void;
  flush(): void;
}

const OPCODES = {
  ...{ lookup: 1, forget: 2, getattr: 3, setattr: 4, open: 14, read: 15, write: 16, statfs: 17 },
  ...{ release: 18, fsync: 20, flush: 25, init: 26, opendir: 27, releasedir: 29, interrupt: 36 },
  ...{ destroy: 38, batchForget: 42 },
} as const;

const NAMES = new Map(Object.entries(OPCODES).map(([name, code]) => [code as number, name]));
const UNANSWERED = new Set(["forget", "interrupt", "batchForget"]);

const [NO_ENTRY, IO_ERROR, NO_DEVICE, NOT_SUPPORTED] = [2, 5, 19, 38];
const [REQUEST_HEADER, ANSWER_HEADER, WRITE_HEADER] = [40, 16, 40];
const LARGEST_WRITE = 1 << 20;
/** Larger writes than one page, and how many pages one may have. */
const WISHES = (1 << 5) | (1 << 22);
/** No page cache between the kernel and us: each write is heard of before it is called done. */
const DIRECT = 1;
const [DIRECTORY, REGULAR] = [0o040755, 0o100600];
const ROOT = 1;

class Refused extends Error {
  readonly errno: number;
  constructor(errno: number) {
    super(`errno ${errno}`);
    this.errno = errno;
  }
}

/** Until it is unmounted. */
export function serveFiles(device: number, files: readonly ServedFile[]): void {
  const request = Buffer.alloc(LARGEST_WRITE + 4096);
  const nodeOf = (file: ServedFile): number => files.indexOf(file) + ROOT + 1;
  const fileOf = (node: number): ServedFile => {
    const file = files[node - ROOT - 1];
    if (file === undefined) throw new Refused(NO_ENTRY);
    return file;
  };

  const attributes = (node: number): Buffer => {
    const file = files[node - ROOT - 1];
    const out = Buffer.alloc(88);
    out.writeBigUInt64LE(BigInt(node), 0);
    out.writeBigUInt64LE(BigInt(file?.bytes ?? 0), 8);
    out.writeUInt32LE(file === undefined ? DIRECTORY : REGULAR, 60);
    out.writeUInt32LE(1, 64);
    out.writeUInt32LE(4096, 80);
    return out;
  };

  const answerTo = (name: string, node: number, body: Buffer): Buffer => {
    switch (name) {
      case "init": {
        const out = Buffer.alloc(64);
        out.writeUInt32LE(7, 0);
        out.writeUInt32LE(31, 4);
        out.writeUInt32LE(body.readUInt32LE(8), 8);
        out.writeUInt32LE((body.readUInt32LE(12) & WISHES) >>> 0, 12);
        out.writeUInt16LE(16, 16);
        out.writeUInt16LE(12, 18);
        out.writeUInt32LE(LARGEST_WRITE, 20);
        out.writeUInt32LE(1, 24);
        out.writeUInt16LE(LARGEST_WRITE / 4096, 28);
        return out;
      }
      case "lookup": {
        const wanted = body.toString("utf8", 0, body.indexOf(0));
        const file = files.find((one) => one.name === wanted);
        if (file === undefined) throw new Refused(NO_ENTRY);
        const entry = Buffer.alloc(40);
        entry.writeBigUInt64LE(BigInt(nodeOf(file)), 0);
        return Buffer.concat([entry, attributes(nodeOf(file))]);
      }
      case "getattr":
      case "setattr":
        return Buffer.concat([Buffer.alloc(16), attributes(node)]);
      case "open": {
        const out = Buffer.alloc(16);
        out.writeUInt32LE(DIRECT, 8);
        return out;
      }
      case "opendir":
        return Buffer.alloc(16);
      case "read":
        return fileOf(node).read(Number(body.readBigUInt64LE(8)), body.readUInt32LE(16));
      case "write": {
        const length = body.readUInt32LE(16);
        const data = body.subarray(WRITE_HEADER, WRITE_HEADER + length);
        fileOf(node).write(Number(body.readBigUInt64LE(8)), data);
        const out = Buffer.alloc(8);
        out.writeUInt32LE(length, 0);
        return out;
      }
      case "fsync":
        fileOf(node).flush();
        return Buffer.alloc(0);
      case "statfs":
        return Buffer.alloc(80);
      case "flush":
      case "release":
      case "releasedir":
      case "destroy":
        return Buffer.alloc(0);
      default:
        throw new Refused(NOT_SUPPORTED);
    }
  };

  for (;;) {
    const length = nextRequest(device, request);
    if (length === undefined) return;
    const name = NAMES.get(request.readUInt32LE(4)) ?? "";
    if (UNANSWERED.has(name)) continue;
    const node = Number(request.readBigUInt64LE(16));
    const body = request.subarray(REQUEST_HEADER, length);
    let errno = 0;
    let out: Buffer = Buffer.alloc(0);
    try {
      out = answerTo(name, node, body);
    } catch (error) {
      errno = error instanceof Refused ? error.errno : IO_ERROR;
    }
    const header = Buffer.alloc(ANSWER_HEADER);
    header.writeUInt32LE(ANSWER_HEADER + out.length, 0);
    header.writeInt32LE(-errno, 4);
    request.copy(header, 8, 8, 16);
    answer(device, Buffer.concat([header, out]));
  }
}

const errnoOf = (error: unknown): number =>
  error instanceof Error && "errno" in error ? -Number(error.errno) : 0;

const [INTERRUPTED, TRY_AGAIN] = [4, 11];

function nextRequest(device: number, into: Buffer): number | undefined {
  for (;;) {
    try {
      return readSync(device, into);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === NO_DEVICE) return undefined;
      // A request that was withdrawn before it was read.
      if (errno !== NO_ENTRY && errno !== INTERRUPTED && errno !== TRY_AGAIN) throw error;
    }
  }
}

function answer(device: number, bytes: Buffer): void {
  try {
    writeSync(device, bytes);
  } catch (error) {
    // Whoever asked is gone.
    if (errnoOf(error) !== NO_ENTRY && errnoOf(error) !== NO_DEVICE) throw error;
  }
}
